/** Errors that handlers throw in a rehearsal: they surface in the test, unless the test says that it expects them. */
import { describe, expect, test } from 'vitest';
import { AgentError, type AgentInput, type AgentResult, agent, BaseAgent, choice, text } from '../../../src/index.js';
import { rehearse, scriptedModel } from '../../../src/testing/index.js';

const allBackOffs = 1_000 + 5_000 + 30_000 + 120_000 + 10;

/** The lookup of an author who forgot that there may be no order. */
function lookUp(orders: Map<string, { readonly price: number }>, order: string): number {
  return (orders.get(order) as { readonly price: number }).price;
}

function support() {
  const shop = agent('support');
  const order = shop.question('order', text('Which order?'), {
    expiresIn: 60_000,
    onAnswer: (number) => `It costs ${lookUp(new Map(), number)}.`,
    onClosed: () => {
      throw new RangeError('closed badly');
    },
  });
  shop.onMessage(({ message, ask }) => (message === 'order' ? ask(order) : `You said ${message}.`));
  return shop;
}

async function rejection(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('the call that led to an error of a handler rejects with it, with its stack', () => {
  test('onAnswer, by says()', async () => {
    const { human } = await rehearse({ agents: [support()] });
    const anna = human('anna');
    await anna.says('order');
    const error = await rejection(anna.says('12345'));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).stack).toContain('at lookUp');
  });

  test('onClosed, by the clock and by a reply that declines', async () => {
    const { human, clock } = await rehearse({ agents: [support()] });
    const [anna, ben] = [human('anna'), human('ben')];
    await anna.says('order');
    await ben.says('order');
    await expect(ben.says('never mind')).rejects.toThrow('closed badly');
    await expect(clock.advance(61_000)).rejects.toThrow(RangeError);
  });

  test('invokeAgent and onMessage, by says(); a press; replies()', async () => {
    class Broken extends BaseAgent {
      name = 'broken';
      async invokeAgent(input: AgentInput): Promise<AgentResult> {
        throw new SyntaxError(`cannot read ${input.message}`);
      }
    }
    await expect((await rehearse({ agents: [new Broken()] })).human('anna').says('hi')).rejects.toThrow(SyntaxError);
    const shop = agent('shop');
    const size = shop.question('size', choice('Size?', ['S', 'M']), {
      onAnswer: () => {
        throw new Error('no stock');
      },
    });
    shop.onMessage(({ ask }) => ask(size));
    const { human } = await rehearse({ agents: [shop] });
    await human('anna').says('hi');
    await expect(human('anna').presses('S')).rejects.toThrow('no stock');
    await human('ben').says('hi');
    await expect(human('ben').replies(['M'])).rejects.toThrow('no stock');
  });

  test('an outcome handler of an ask from outside', async () => {
    const bridge = agent('bridge');
    const then = bridge.onOutcome('resume', () => {
      throw new TypeError('cannot resume');
    });
    const { human, registry } = await rehearse({ agents: [bridge] });
    await registry.ask(text('Which order?'), { channel: 'rehearsal', to: 'anna', answerableBy: 'anyone', then });
    await expect(human('anna').says('12345')).rejects.toThrow('cannot resume');
  });

  test('misuse, which is parked at once, and a sensitive answer, whose error no log has', async () => {
    const shop = agent('shop');
    const pin = shop.question('pin', text('PIN?'), {
      sensitive: true,
      onAnswer: (answer) => {
        throw new Error(`wrong: ${answer}`);
      },
    });
    shop.onMessage(({ message, ask }) => ask(pin, message === 'never' ? { expiresIn: 0 } : {}));
    const { human } = await rehearse({ agents: [shop] });
    await expect(human('ben').says('never')).rejects.toThrow(AgentError);
    await human('anna').says('pin');
    await expect(human('anna').says('1234')).rejects.toThrow('wrong: 1234');
  });

  test('what is thrown and is no Error, too', async () => {
    const shop = agent('shop').onMessage(() => {
      throw 'text'; // what authors do
    });
    const { human } = await rehearse({ agents: [shop] });
    await expect(human('anna').says('hi')).rejects.toThrow('A handler threw "text", which is no Error.');
  });
});

test('a model that fails surfaces, too', async () => {
  const model = scriptedModel([new Error('no quota')]);
  const { human } = await rehearse({ agents: [agent('shop', { model })] });
  await expect(human('anna').says('hi')).rejects.toThrow('no quota');
});

test('an error surfaces once: the next call goes on, and the try after the back-off throws again', async () => {
  const { human, clock, registry } = await rehearse({ agents: [support()] });
  const anna = human('anna');
  await anna.says('order');
  await expect(anna.says('12345')).rejects.toThrow(TypeError);
  expect(await human('ben').says('hello')).toEqual(['You said hello.']);
  await expect(clock.advance(allBackOffs)).rejects.toThrow(TypeError);
  expect((await registry.parked()).items).toHaveLength(1);
});

test('different errors of several turns come together', async () => {
  const shop = agent('shop').onMessage(({ message }) => {
    throw new Error(`no ${message}`);
  });
  const { registry, clock } = await rehearse({ agents: [shop] });
  const handled = ['tea', 'milk'].map((words) => registry.handle({ id: words, conversationId: words, text: words }));
  await expect(clock.advance(500)).rejects.toThrow('Several turns failed: Error: no tea; Error: no milk');
  await rejection(clock.advance(allBackOffs)); // until both are parked
  await Promise.all(handled);
});

test('an error that no call has told is told by stop()', async () => {
  const { registry, stop } = await rehearse({ agents: [support()], settings: { maxAttempts: 1 } });
  await registry.handle({ id: '1', conversationId: 'c1', text: 'order', participant: { id: 'a' } });
  await registry.handle({ id: '2', conversationId: 'c1', text: '12345', participant: { id: 'a' } });
  await expect(stop()).rejects.toThrow(TypeError);
});

describe("with failures: 'collect'", () => {
  test('the turn is tried again and parked as in production, and the errors can be looked at', async () => {
    const { human, clock, registry, failures, stop } = await rehearse({ agents: [support()], failures: 'collect' });
    const anna = human('anna');
    await anna.says('order');
    expect(await anna.says('12345')).toEqual([]);
    expect(failures()).toEqual([expect.any(TypeError)]);
    expect(failures()).toEqual([]);
    await clock.advance(allBackOffs);
    expect(failures()).toHaveLength(4);
    expect((await registry.parked()).items).toHaveLength(1);
    await stop();
  });

  test('a mode that there is not is refused, by name', async () => {
    await expect(rehearse({ agents: [], failures: 'ignore' as 'collect' })).rejects.toThrow(
      "rehearse(): failures must be 'throw' or 'collect', got \"ignore\".",
    );
  });
});

describe('work that is parked because its process died failed by no handler: no call rejects', () => {
  test('died too often', async () => {
    const play = await rehearse({ agents: [support()], settings: { maxAttempts: 1 } });
    play.crash('take');
    await play.human('anna').says('hello');
    await play.restart();
    await play.clock.advance(60_000);
    expect((await play.registry.parked()).items).toMatchObject([{ failure: { code: 'crashed' } }]);
  });

  test('after the decision of an ask whose effect must not repeat', async () => {
    const shop = agent('shop');
    const order = shop.question('order', text('Which order?'), { onCrash: 'park', onAnswer: () => 'Paid.' });
    shop.onMessage(({ ask }) => ask(order));
    const play = await rehearse({ agents: [shop] });
    await play.human('anna').says('hello');
    play.crash('decision');
    await play.human('anna').says('12345');
    await play.restart();
    await play.clock.advance(60_000);
    expect((await play.registry.parked()).items).toMatchObject([{ failure: { code: 'may-have-happened' } }]);
  });
});
