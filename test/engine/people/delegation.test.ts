/**
 * An agent that runs another in its turn: the inner one asks through the same conversation, and the reply is its own.
 */
import { expect, test } from 'vitest';
import type { AgentInput, AgentResult } from '../../../src/index.js';
import { agent, BaseAgent, choice, confirm, text } from '../../../src/index.js';
import { heard, leaseAndSweep, minute, TestChannel, world } from '../../support/engine.js';

/** The inner agent in both ways of writing, and what it was told. */
function declaredInner() {
  const told: unknown[] = [];
  const inner = agent('inner');
  const order = inner.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
    maxRetries: 1,
    expiresIn: 10 * minute,
    onAnswer: (answer, { attempt }) => {
      told.push([answer, attempt]);
      return `Inner has ${answer}.`;
    },
    onClosed: (_, why) => {
      told.push(why);
      return `Inner ends: ${why}.`;
    },
  });
  inner.onMessage(({ ask }) => ask(order));
  return { inner, told };
}

function classInner() {
  const told: unknown[] = [];
  class Inner extends BaseAgent {
    readonly name = 'inner';
    async invokeAgent({ message = '', attempt }: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk();
      if (pending === null)
        return this.ask(text('Which order?', { pattern: /^\d{5}$/ }), { maxRetries: 1, expiresIn: 10 * minute });
      return this.handlePendingAsk(pending, message, (answer) => {
        told.push([answer, attempt]);
        return `Inner has ${answer}.`;
      });
    }
    protected override onAskClosed(_: unknown, why: string): string {
      told.push(why);
      return `Inner ends: ${why}.`;
    }
  }
  return { inner: new Inner(), told };
}

/** The outer agent in both ways of writing. */
function declaredOuter(inner: BaseAgent, heardOf: string[] = []) {
  return agent('outer').onMessage((turn) => {
    heardOf.push(turn.message);
    return turn.message === 'order' ? inner.invokeAgent(turn) : 'Outer.';
  });
}

function classOuter(inner: BaseAgent, heardOf: string[] = []) {
  class Outer extends BaseAgent {
    readonly name = 'outer';
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      heardOf.push(input.message ?? '');
      return input.message === 'order' ? inner.invokeAgent(input) : { output: 'Outer.' };
    }
  }
  return new Outer();
}

const ways = [
  ['declared', 'declared', declaredOuter, declaredInner],
  ['declared', 'class', declaredOuter, classInner],
  ['class', 'declared', classOuter, declaredInner],
  ['class', 'class', classOuter, classInner],
] as const;

test.each(ways)(
  '%s outer, %s inner: the reply goes to the inner one, whose result is said',
  async (_, __, outer, made) => {
    const { replica, says } = world();
    const phone = new TestChannel();
    const { inner, told } = made();
    const heardOf: string[] = [];
    const registry = await replica({ agents: [outer(inner, heardOf), inner], channels: [phone] });
    await says(phone, 'order');
    expect((await registry.listAsks()).asks).toMatchObject([{ agentName: 'inner', question: 'Which order?' }]);
    await says(phone, 'the blue one');
    await says(phone, '12345');
    await says(phone, 'thanks');
    expect(told).toEqual([['12345', 1]]);
    expect(heardOf).toEqual(['order', 'thanks']);
    expect(phone.texts()).toEqual([
      'Which order?',
      expect.stringMatching(/Which order\?/),
      'Inner has 12345.',
      'Outer.',
    ]);
  },
);

test.each(ways)('%s outer, %s inner: another replica reads the reply after a restart', async (_, __, outer, made) => {
  const { replica, says } = world();
  const before = new TestChannel();
  const first = made();
  const asking = await replica({ agents: [outer(first.inner), first.inner], channels: [before] });
  await says(before, 'order');
  await asking.stop();
  const phone = new TestChannel();
  const second = made();
  await replica({ agents: [outer(second.inner), second.inner], channels: [phone] });
  await says(phone, '12345');
  expect(first.told).toEqual([]);
  expect(second.told).toEqual([['12345', 1]]);
  expect(phone.texts()).toEqual(['Inner has 12345.']);
});

test.each(ways)(
  '%s outer, %s inner: the inner one is told when it ends without an answer',
  async (_, __, outer, made) => {
    const { replica, says, advance } = world();
    const phone = new TestChannel();
    const { inner, told } = made();
    await replica({ agents: [outer(inner), inner], channels: [phone] });
    await says(phone, 'order');
    await advance(10 * minute + leaseAndSweep);
    expect(told).toEqual(['expired']);
    expect(phone.texts().at(-1)).toBe('Inner ends: expired.');
  },
);

test('a turn that fails after the inner one asked runs again and asks nothing twice', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const { inner, told } = declaredInner();
  const outer = agent('outer').onMessage(async (turn) => {
    const result = await inner.invokeAgent(turn);
    if (turn.attempt === 1) throw new Error('once more');
    return result;
  });
  await replica({ agents: [outer, inner], channels: [phone] });
  await says(phone, 'order');
  await advance(10_000);
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Which order?', 'Inner has 12345.']);
  expect(told).toEqual([['12345', 1]]);
});

test('a handler of the outer one runs the inner one, which asks on', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const { inner, told } = declaredInner();
  const outer = agent('outer');
  const sure = outer.question('sure', confirm('A refund?'), {
    onAnswer: (yes, turn) => (yes ? inner.invokeAgent(turn) : 'Kept.'),
  });
  outer.onMessage(({ ask }) => ask(sure));
  await replica({ agents: [outer, inner], channels: [phone] });
  await says(phone, 'hello');
  await says(phone, 'yes');
  await says(phone, '12345');
  expect(told).toEqual([['12345', 1]]);
  expect(phone.texts().slice(1)).toEqual(['Which order?', 'Inner has 12345.']);
});

test('where the inner one waits, the outer one goes on with its result, after a restart too', async () => {
  const { replica, says, advance } = world();
  const made = () => {
    const inner = agent('inner').onMessage(async ({ askAndWait }) => {
      const size = await askAndWait(choice('Which size?', ['small', 'large']));
      return size.status === 'answered' ? size.value : size.status;
    });
    return agent('outer').onMessage(async (turn) => `Outer sends ${(await inner.invokeAgent(turn)).output}.`);
  };
  const before = new TestChannel();
  const first = await replica({ agents: [made()], channels: [before] }); // whoever only waits need not be registered
  await says(before, 'order');
  await first.stop();
  const phone = new TestChannel();
  await replica({ agents: [made()], channels: [phone] });
  await advance(leaseAndSweep);
  await says(phone, 'large');
  expect([...before.texts(), ...phone.texts()].map((said) => said.split('\n')[0])).toEqual([
    'Which size?',
    'Outer sends large.',
  ]);
});

test('an inner agent that is not registered is refused when it asks, with what to do', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const { inner } = declaredInner();
  const registry = await replica({ agents: [declaredOuter(inner)], channels: [phone] });
  const parked = heard(registry, 'parked');
  await says(phone, 'order');
  expect((await registry.listAsks()).asks).toEqual([]);
  expect(parked).toMatchObject([
    { failure: { code: 'not-registered', message: expect.stringMatching(/"inner".*Put it into `agents`/) } },
  ]);
});

test('the keys of once() are each agent’s own', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const done: string[] = [];
  const work = (name: string) => async () => {
    done.push(name);
    return name;
  };
  const inner = agent('inner').onMessage(({ once }) => once('pay', work('inner')));
  const outer = agent('outer').onMessage(async (turn) => {
    const own = await turn.once('pay', work('outer'));
    const { output } = await inner.invokeAgent(turn);
    if (turn.attempt === 1) throw new Error('once more');
    return `${own}, ${output}`;
  });
  await replica({ agents: [outer, inner], channels: [phone] });
  await says(phone, 'go');
  await advance(10_000);
  expect(phone.texts()).toEqual(['outer, inner']);
  expect(done).toEqual(['outer', 'inner']);
});
