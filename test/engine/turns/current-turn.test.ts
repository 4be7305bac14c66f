/**
 * Which turn code belongs to: everything an agent's author wrote is in its own turn, before and after it waits, and nothing
 * that outlives a turn is in one.
 */
import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AgentInput, AgentResult, Declared, Desk } from '../../../src/index.js';
import { AgentRegistry, agent, BaseAgent, text } from '../../../src/index.js';
import type { Clock } from '../../../src/machine/clock.js';
import { currentTurn } from '../../../src/registry/turn/current-turn.js';
import { gate, leaseAndSweep, settle, storeWith, TestChannel, world } from '../../support/engine.js';

type Handler = Parameters<ReturnType<typeof agent>['onMessage']>[0];
type Handlers = Partial<Parameters<ReturnType<typeof agent>['question']>[2]>;

const here = (): string | undefined => currentTurn()?.conversationId;

/** An agent of these handlers, which note where they are. */
async function shop(
  onMessage: (see: () => void, order: Declared<unknown>) => Handler,
  handlers: (see: () => void) => Handlers = () => ({}),
) {
  const seen: (string | undefined)[] = [];
  const see = (): void => {
    seen.push(here());
  };
  const phone = new TestChannel();
  const support = agent('support');
  const order = support.question('order', text('Which order?', { pattern: /^\d+$/ }), {
    onAnswer: () => undefined,
    ...handlers(see),
  });
  support.onMessage(onMessage(see, order));
  const { says, replica } = world();
  const registry = await replica({ agents: [support], channels: [phone] });
  return { seen, see, registry, phone, says: (words: string) => says(phone, words) };
}

const asking =
  (see: () => void, order: Declared<unknown>): Handler =>
  ({ message, ask }) => {
    if (message === 'ask') return ask(order);
    see();
    return undefined;
  };

test('the handlers of a question are in their turn, after the decision was stored too', async () => {
  const { says, seen } = await shop(asking, (see) => ({
    check: () => {
      see();
      return true;
    },
    effectKey: () => {
      see();
      return 'k';
    },
    onAnswer: () => see(),
    onClosed: () => see(),
    maxRetries: 0,
  }));
  for (const words of ['hello', 'ask', '12345', 'ask', 'what?', 'ask', 'cancel']) await says(words);
  expect(seen).toEqual(Array.from({ length: 6 }, () => 'c1'));
});

test('async handlers of a question are in their turn after they have waited', async () => {
  const { says, seen } = await shop(asking, (see) => {
    const late = async (): Promise<void> => {
      await tick();
      see();
    };
    return {
      onAnswer: late,
      onClosed: late,
      check: async () => {
        await late();
        return true as const;
      },
      maxRetries: 0,
    };
  });
  for (const words of ['ask', '12345', 'ask', 'what?']) await says(words);
  expect(seen).toEqual(['c1', 'c1', 'c1']);
});

const handlers: Record<string, (see: () => void) => Handler> = {
  'an async handler': (see) => async () => {
    see();
    await tick();
    see();
  },
  'a plain function that returns a promise': (see) => () => {
    see();
    return tick().then(see);
  },
  'a handler after once()': (see) => (turn) => {
    see();
    return turn.once('k', async () => undefined).then(see);
  },
  'the work of once()': (see) => (turn) =>
    turn.once('k', async () => {
      see();
      await tick();
      see();
    }),
};
for (const [what, handler] of Object.entries(handlers)) {
  test(`${what} is in its turn before and after it waits, and what runs beside it is in none`, async () => {
    const { says, see, seen } = await shop(handler);
    see();
    await says('hello');
    see();
    expect(seen).toEqual([undefined, 'c1', 'c1', undefined]);
  });
}

test('two conversations on one instance of a class never see each other, however their work overlaps', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const gates = { c1: gate(), c2: gate() };
  class Support extends BaseAgent {
    readonly name = 'support';
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const { conversationId, message = '' } = input;
      const pending = this.getPendingAsk();
      await gates[conversationId as 'c1' | 'c2'].passed;
      await this.sendTo('phone', `${here()}: ${message}`);
      if (pending) return this.handlePendingAsk(pending, message, (answer) => `${here()} got ${answer}`);
      return this.ask(`What about ${conversationId}?`);
    }
  }
  const registry = await replica({ agents: [new Support()], channels: [phone] });
  for (const [words, order] of [
    ['hello', ['c2', 'c1']],
    ['order 17', ['c1', 'c2']],
  ] as const) {
    [gates.c1, gates.c2] = [gate(), gate()];
    for (const conversationId of ['c1', 'c2']) await says(phone, words, { conversationId });
    for (const id of order) {
      gates[id].open();
      await settle();
    }
  }
  await registry.idle();
  for (const id of ['c1', 'c2'])
    expect(phone.texts(id)).toEqual([`${id}: hello`, `What about ${id}?`, `${id}: order 17`, `${id} got order 17`]);
});

test('a function that a handler was given acts in its own turn, wherever it is called', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const [open, kept] = [gate(), gate()];
  let progress: (words: string) => void = () => {};
  const support = agent('support');
  support.onMessage(async (turn) => {
    if (turn.message === 'keep') {
      progress = turn.progress;
      kept.open();
      await open.passed;
      return undefined;
    }
    await kept.passed;
    progress('from the other turn');
    return undefined;
  });
  await replica({ agents: [support], channels: [phone] });
  await says(phone, 'keep', { conversationId: 'c1' });
  await says(phone, 'use', { conversationId: 'c2' });
  open.open();
  await settle();
  expect([phone.texts('c1'), phone.texts('c2')]).toEqual([['from the other turn'], []]);
});

test('work that nobody awaited stays part of its turn, which has ended: that is an error, also for a class', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const later = gate();
  const errors: unknown[] = [];
  class Support extends BaseAgent {
    readonly name = 'support';
    async invokeAgent(): Promise<AgentResult> {
      void later.passed.then(() => this.ask('Order?')).catch((error: unknown) => errors.push(error));
      return { output: 'Done.' };
    }
  }
  await replica({ agents: [new Support()], channels: [phone] });
  await says(phone, 'hello');
  later.open();
  await settle();
  expect(errors).toMatchObject([{ code: 'turn-ended' }]);
  expect(phone.texts()).toEqual(['Done.']);
});

test('the registry, called after a wait by a handler that is not async, does not wait for that very turn', async () => {
  const state: { cancel?: () => Promise<unknown> } = {};
  const { says, phone, registry } = await shop(() => () => tick().then(() => state.cancel?.().then(() => 'Done.')));
  state.cancel = () => registry.cancel({ conversationId: 'c1' });
  await says('hello');
  expect(phone.texts()).toEqual(['Done.']);
});

test('a message that a handler hands in for another conversation has a turn of its own, and its hooks are in none', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const seen: unknown[] = [];
  const state: { registry?: AgentRegistry } = {};
  const support = agent('support');
  support.onMessage(async ({ message }) => {
    if (message === 'pass on') await state.registry?.handle({ id: 'm', conversationId: 'c2', text: 'passed on' });
    seen.push([message, here()]);
  });
  const identify = <T>(participant: T): T => {
    seen.push(['identify', here()]);
    return participant;
  };
  const route = ({ text: words }: { readonly text: string }): string => {
    seen.push([`route ${words}`, here()]);
    return 'support';
  };
  state.registry = await replica({ agents: [support], channels: [phone], identify, route });
  await says(phone, 'pass on');
  expect(seen).toEqual([
    ['identify', undefined],
    ['route pass on', undefined],
    ['route passed on', undefined],
    ['passed on', 'c2'],
    ['pass on', 'c1'],
  ]);
});

/** A registry whose store, clock and channel note the steps that are taken inside a turn. */
async function watched(support: ReturnType<typeof agent>) {
  const it = world();
  const steps = new Set<string>();
  const inside: string[] = [];
  const note = (what: string): void => {
    steps.add(what);
    if (currentTurn() !== undefined) inside.push(what);
  };
  const store = new Proxy(it.store, {
    get: (inner, name) => {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        note(String(name));
        return value.apply(inner, args) as unknown;
      };
    },
  });
  const clock: Clock = {
    now: () => it.clock.now(),
    elapsed: () => it.clock.elapsed(),
    after: (ms, work) => {
      note('timer');
      return it.clock.after(ms, work);
    },
  };
  const phone = new TestChannel();
  phone.onSend = () => note('send');
  phone.start = (desk: Desk) => {
    note('start');
    phone.desk = desk;
  };
  const other = { agents: [support], channels: [phone], store: storeWith(store, {}), clock };
  return { ...it, steps, inside, phone, other };
}

test('no step of the store, no timer and no delivery is part of the turn that caused it', async () => {
  const support = agent('support');
  support.onMessage(async ({ askAndWait, once }) => {
    const outcome = await askAndWait('Which order?', { timeout: 60_000 });
    return once('k', async () => `${here()}: ${outcome.status}`);
  });
  const { replica, says, advance, steps, inside, phone, other } = await watched(support);
  await replica(other);
  await says(phone, 'hello');
  await advance(leaseAndSweep);
  await says(phone, '17');
  await advance(leaseAndSweep);
  expect(phone.texts()).toEqual(['Which order?', 'c1: answered']);
  const all = ['take', 'save', 'remember', 'renew', 'due', 'conversation', 'sent', 'timer', 'send', 'start'];
  expect([...steps]).toEqual(expect.arrayContaining(all));
  expect(inside).toEqual([]);
});

test('a registry that is started by a handler is not part of the turn of that handler', async () => {
  const inner = agent('inner');
  inner.onMessage(() => 'From inside.');
  const { replica, says, advance, steps, inside, phone, other } = await watched(inner);
  const outer = agent('outer');
  const door = new TestChannel('door');
  outer.onMessage(() => new AgentRegistry(other).start());
  await replica({ agents: [outer], channels: [door] });
  await says(door, 'start it');
  await says(phone, 'hello', { conversationId: 'c2' });
  await advance(leaseAndSweep);
  expect(phone.texts()).toEqual(['From inside.']);
  expect([...steps]).toEqual(expect.arrayContaining(['open', 'watch', 'start', 'due', 'timer']));
  expect(inside).toEqual([]);
});
