import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { AgentInput, AgentResult } from '../../src/index.js';
import { AgentRegistry, agent, BaseAgent, MemoryStore, text } from '../../src/index.js';
import { turns as current } from '../../src/registry/turn/turn.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (how?: { type: 'minor' }) => void;
const [turns, bytes] = [100, 20_000];

/** How many of the things marked during `work` are still there after what young garbage costs: two minor collections. */
async function leftBy(work: (mark: (thing: object) => void) => Promise<void>): Promise<number> {
  const marked = (thing: object): void => {
    Object.assign(thing, { ballast: new ArrayBuffer(bytes) });
  };
  collect();
  const before = process.memoryUsage().arrayBuffers;
  await work(marked);
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return (process.memoryUsage().arrayBuffers - before) / bytes;
}

async function started(one: BaseAgent): Promise<(id: string, words: string) => Promise<unknown>> {
  const registry = new AgentRegistry({ agents: [one], channels: [], store: new MemoryStore() });
  await registry.start();
  return (conversationId, words) =>
    registry.handle({ id: words, conversationId, text: words, participant: { id: 'anna' } });
}

test('what a turn was given is young garbage when it is over: nothing of it waits for a full collection', async () => {
  const left = await leftBy(async (mark) => {
    const support = agent('support');
    const order = support.question('order', text('Which order?', { pattern: /^\d+$/ }), {
      onAnswer: (_, turn) => mark(turn),
    });
    support.onMessage((turn) => {
      mark(turn.participant as object);
      return turn.ask(order);
    });
    const say = await started(support);
    for (let i = 0; i < turns / 2; i += 1) {
      await say(`c${i}`, 'hello');
      await say(`c${i}`, '17');
    }
  });
  expect(left).toBeLessThan(turns / 10);
});

test('so is what a class is given', async () => {
  const left = await leftBy(async (mark) => {
    class Support extends BaseAgent {
      readonly name = 'support';
      async invokeAgent(input: AgentInput): Promise<AgentResult> {
        mark(input);
        const pending = this.getPendingAsk();
        if (pending === null) return this.ask('Which order?');
        return this.handlePendingAsk(pending, input.message ?? '', (_, turn) => mark(turn));
      }
    }
    const say = await started(new Support());
    for (let i = 0; i < turns / 2; i += 1) {
      await say(`c${i}`, 'hello');
      await say(`c${i}`, 'number 17');
    }
  });
  expect(left).toBeLessThan(turns / 10);
});

test('no step of the store runs inside a turn: what a client keeps of a call must not keep the turn', async () => {
  const steps: (readonly [string, unknown])[] = [];
  const store = new Proxy(new MemoryStore(), {
    get: (inner, name) => {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        steps.push([String(name), current.get()]);
        return value.apply(inner, args) as unknown;
      };
    },
  });
  const support = agent('support');
  const order = support.question('order', text('Which order?', { pattern: /^\d+$/ }), {
    onAnswer: async (_, { once }) => once('paid', async () => current.get() !== undefined).then(String),
  });
  support.onMessage(({ ask }) => ask(order));
  const registry = new AgentRegistry({ agents: [support], channels: [], store });
  await registry.start();
  await registry.handle({ id: '1', conversationId: 'c', text: 'hello' });
  const { outputs } = await registry.handle({ id: '2', conversationId: 'c', text: '17' });
  expect(outputs.map((each) => each.text)).toEqual(['true']); // while the handler does
  expect(steps.map(([name]) => name)).toEqual(expect.arrayContaining(['take', 'save', 'remember']));
  expect(steps.filter(([, turn]) => turn !== undefined)).toEqual([]);
});

test('a copy of what an agent is given has its signal too', async () => {
  const signals: unknown[] = [];
  const support = agent('support');
  support.onMessage((turn) => {
    signals.push({ ...turn }.signal, turn.signal);
  });
  const say = await started(support);
  await say('c', 'hello');
  expect(signals).toEqual([expect.any(AbortSignal), signals[0]]);
});
