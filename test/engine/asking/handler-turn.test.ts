/** A handler has the whole turn, in both ways of writing an agent: it can ask, wait, send, run the model. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { AgentInput, AgentResult, Closed, Continuation, MessageTurn, PendingAsk } from '../../../src/index.js';
import { type AgentError, agent, BaseAgent, confirm, number, text } from '../../../src/index.js';
import { settle, TestChannel, world } from '../../support/engine.js';

/** What the handlers of an agent do, however it is written. */
interface Does {
  readonly onAnswer?: (answer: string, turn: Continuation<string>) => unknown;
  readonly onClosed?: (pending: PendingAsk<unknown>, why: Closed, turn: Continuation<unknown>) => unknown;
}

const model = async () => 'The model says hello.';
const result = (said: unknown): AgentResult =>
  typeof said === 'string' ? { output: said } : ((said ?? {}) as AgentResult);

function asDeclared({ onAnswer, onClosed }: Does): BaseAgent {
  const shop = agent('shop', { model });
  const first = shop.question('first', text('Which order?', { pattern: /^\d+$/ }), {
    maxRetries: 0,
    onAnswer: async (order, turn) => result(await onAnswer?.(order, turn)),
    onClosed: async (pending, why, turn) => result(await onClosed?.(pending, why, turn)),
  });
  return shop.onMessage(({ message, ask }) => (message === 'go' ? ask(first) : `Heard ${message}.`));
}

function asClass({ onAnswer, onClosed }: Does): BaseAgent {
  class Shop extends BaseAgent {
    readonly name = 'shop';
    override readonly model = model;
    async invokeAgent({ message = '' }: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk();
      if (pending !== null)
        return this.handlePendingAsk(pending, message, async (order, turn) => result(await onAnswer?.(order, turn)));
      if (message === 'go') return this.ask(text('Which order?', { pattern: /^\d+$/ }), { maxRetries: 0 });
      return { output: `Heard ${message}.` };
    }
    protected override async onAskClosed(pending: PendingAsk<unknown>, why: Closed, turn: Continuation<unknown>) {
      return result(await onClosed?.(pending, why, turn));
    }
  }
  return new Shop();
}

async function play(made: BaseAgent) {
  const { replica, says, store } = world();
  const [phone, ops] = [new TestChannel('phone'), new TestChannel('ops')];
  const registry = await replica({ agents: [made], channels: [phone, ops] });
  return { registry, phone, ops, store, says: (line: string) => says(phone, line) };
}

describe.each([
  ['declared', asDeclared],
  ['as a class', asClass],
])('%s', (_, made) => {
  test('onAnswer gets the input of its turn, the decided ask and its key', async () => {
    const seen: Continuation<string>[] = [];
    const { says } = await play(made({ onAnswer: (_order, turn) => void seen.push(turn) }));
    await says('go');
    await says('123');
    const [turn] = seen;
    expect(turn).toMatchObject({
      ...{ message: '123', conversationId: 'c1', channelName: 'phone', attempt: 1 },
      participant: { id: 'phone:ann', name: 'Ann' },
      pending: { status: 'answered', value: '123' },
      effectKey: turn?.pending.id,
    });
    expect(turn?.signal).toBeInstanceOf(AbortSignal);
  });

  test('onAnswer asks the next question, sends to another channel, and runs the model', async () => {
    const { says, phone, ops, registry } = await play(
      made({
        onAnswer: async (order, { ask, sendTo, run, once, progress }) => {
          progress('One moment.');
          await sendTo('ops', `${order} is looked at.`, { to: 'desk' });
          const { output } = await run('hello');
          const cents = await once('price', async () => 4800);
          return ask('Which item?', { context: { order, output, cents } });
        },
      }),
    );
    await says('go');
    await says('123');
    expect(phone.texts()).toEqual(['Which order?', 'One moment.', 'Which item?']);
    expect(ops.sent).toMatchObject([{ text: '123 is looked at.', address: 'desk' }]);
    expect((await registry.listAsks()).asks).toMatchObject([
      { question: 'Which item?', context: { order: '123', output: 'The model says hello.', cents: 4800 } },
    ]);
  });

  test('onAnswer asks and waits in its own turn', async () => {
    const { says, phone } = await play(
      made({
        onAnswer: async (order, { askAndWait }) => {
          const outcome = await askAndWait(confirm(`Refund ${order}?`));
          return outcome.status === 'answered' && outcome.value ? 'Refunded.' : 'Kept.';
        },
      }),
    );
    await says('go');
    await says('123');
    await says('yes');
    expect(phone.texts()).toEqual(['Which order?', expect.stringContaining('Refund 123?'), 'Refunded.']);
  });

  test.each([
    ['exhausted', 'what?'],
    ['declined', 'never mind'],
  ])('onClosed asks another question when the first is %s', async (why, reply) => {
    const { says, phone } = await play(
      made({ onClosed: (pending, how, { ask }) => ask(`${pending.question} was ${how}. May we call you?`) }),
    );
    await says('go');
    await says(reply);
    expect(phone.texts()).toEqual(['Which order?', `Which order? was ${why}. May we call you?`]);
  });

  test('the rest of a turn that was taken apart keeps its functions', async () => {
    const { says, phone } = await play(
      made({ onAnswer: (_order, { pending: _pending, ...turn }) => turn.ask('Which item?') }),
    );
    await says('go');
    await says('123');
    expect(phone.texts()).toEqual(['Which order?', 'Which item?']);
  });

  test('what is kept beyond its turn is refused, whatever turn runs then', async () => {
    const kept: Continuation<string>[] = [];
    const codes: unknown[] = [];
    const { says, registry } = await play(
      made({
        onAnswer: async (_order, turn) => {
          const [old] = kept.splice(0, 1, turn);
          if (old === undefined) return;
          const calls = [
            () => old.ask('Which item?'),
            () => old.askAndWait('Which item?'),
            () => old.run('hello'),
            () => old.sendTo('ops', 'hello'),
            async () => old.progress('hello'),
            () => old.once('key', async () => 1),
          ];
          for (const call of calls) codes.push(await call().catch((error: AgentError) => error.code));
        },
      }),
    );
    for (const line of ['go', '1', 'go', '2']) await says(line);
    expect(codes).toEqual(Array.from({ length: 6 }, () => 'turn-ended'));
    expect((await registry.listAsks()).asks).toEqual([]);
  });
});

test('onMessage has sendTo, too', async () => {
  const shop = agent('shop').onMessage(async ({ message, sendTo }) => {
    await sendTo('ops', `Somebody says ${message}.`);
    return 'Sent.';
  });
  const { says, phone, ops } = await play(shop);
  await says('hello');
  expect([phone.texts(), ops.texts()]).toEqual([['Sent.'], ['Somebody says hello.']]);
});

test('onInsufficient gets the ask that was given up, and the turn', async () => {
  class Shop extends BaseAgent {
    readonly name = 'shop';
    async invokeAgent({ message = '' }: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk();
      if (pending === null) return this.ask(text('Which order?', { pattern: /^\d+$/ }), { maxRetries: 0 });
      const given = () => ({ output: 'Thank you.' });
      return this.handlePendingAsk(pending, message, given, ({ status }, { ask }) => ask(`${status}: may we call?`));
    }
  }
  const { says, phone } = await play(new Shop());
  for (const line of ['go', 'what?']) await says(line);
  expect(phone.texts()).toEqual(['Which order?', 'exhausted: may we call?']);
});

test('a question that another agent declared is refused in a handler, and nothing is asked', async () => {
  const other = agent('other').question('item', text('Which item?'), { onAnswer: () => undefined });
  const codes: unknown[] = [];
  const shop = asDeclared({
    onAnswer: (_order, { ask }) => ask(other).catch((error: AgentError) => void codes.push(error.code)),
  });
  const { says, registry } = await play(shop);
  for (const line of ['go', '1']) await says(line);
  await settle();
  expect(codes).toEqual(['unknown-question']);
  expect((await registry.listAsks()).asks).toEqual([]);
});

test('askAndWait in a handler knows the type of its answer', () => {
  type Waits = Continuation<string>['askAndWait'];
  const shop = agent('shop');
  shop.question('order', text('Which order?'), {
    onAnswer: async (_order, { askAndWait }) => {
      const outcome = await askAndWait(number('How many?'));
      if (outcome.status === 'answered') expectTypeOf(outcome.value).toEqualTypeOf<number>();
    },
  });
  expectTypeOf<MessageTurn['askAndWait']>().toEqualTypeOf<Waits>();
  expectTypeOf<MessageTurn['message']>().toEqualTypeOf<string>();
  expectTypeOf<Continuation<string>['message']>().toEqualTypeOf<string | undefined>();
});
