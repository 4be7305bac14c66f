/**
 * Answer, expiry and cancel arrive together, again and again, and what the rules make of their order of arrival. How many rounds are played
 * is said by the tests that call it.
 */
import { expect, onTestFinished } from 'vitest';
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import type { PendingAsk, Store } from '../../../src/index.js';
import { AgentRegistry, agent, MemoryStore, text } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';

interface Arrival {
  readonly id: string;
  readonly at: number;
}

/** The store, and beside it what it recorded in which order, as seen by whoever called. */
export function watched(store: Store) {
  const arrivals = new Map<string, Arrival[]>();
  const take: Store['take'] = async (call) => {
    const taken = await store.take(call);
    if (call.entry !== undefined && taken.entry === 'recorded') {
      const list = arrivals.get(call.conversationId) ?? [];
      arrivals.set(call.conversationId, list);
      list.push({ id: call.entry.id, at: taken.now });
    }
    return taken;
  };
  const proxy = new Proxy(store, {
    get(target, name) {
      if (name === 'take') return take;
      const method: unknown = Reflect.get(target, name);
      return typeof method === 'function' ? (method.bind(target) as unknown) : method;
    },
  });
  return { store: proxy, arrivals };
}

/** An agent that asks at once and whose continuations count. */
export function asking(expiresIn: number) {
  const continued = new Map<string, string[]>();
  const note = (ask: PendingAsk<unknown>, how: string) => {
    continued.set(ask.id, [...(continued.get(ask.id) ?? []), how]);
  };
  const support = agent('support');
  const order = support.question('order', text('Which order?'), {
    answerableBy: 'anyone',
    onAnswer: (_answer, { pending }) => note(pending, 'answered'),
    onClosed: (pending, why) => note(pending, why),
  });
  support.onMessage(({ message, ask }) => {
    if (!message.startsWith('ask')) return undefined;
    return ask(order, { expiresIn: message === 'ask at leisure' ? 600_000 : expiresIn });
  });
  return { support, continued };
}

/** What the rules make of the arrivals: the first that came in time decides, else time does. */
function expected(ask: PendingAsk<unknown>, arrivals: readonly Arrival[]) {
  const first = arrivals[1]; // behind the message that asked
  if (first === undefined || first.at >= Number(ask.expiresAt)) return { status: 'expired', entry: `expiry:${ask.id}` };
  return { status: first.id.startsWith('cancel') ? 'cancelled' : 'answered', entry: first.id };
}

export function check(ask: PendingAsk<unknown>, items: readonly HistoryItem[], arrivals: readonly Arrival[]): string {
  const decisions = items.filter((item) => item.type === 'decision');
  const { status, entry } = expected(ask, arrivals);
  expect(decisions).toEqual([expect.objectContaining({ askId: ask.id, status, entry })]);
  expect(ask.status).toBe(status);
  // the history tells the same order as the store
  const entries = items.flatMap((item) => (item.type === 'in' || item.type === 'note' ? [item.entry] : []));
  expect(entries).toEqual(arrivals.map((arrival) => arrival.id));
  return status;
}

export const by = { id: 'web:somebody' };
let said = 0;
export const saying = (conversationId: string, words: string) => ({
  id: `m${++said}`,
  conversationId,
  text: words,
  participant: by,
});

/** The same numbers every time: a round that fails can be run again. */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** Plays so many rounds on memory, in a time that stands still between them; how many ended in which way. */
export async function playOnMemory(rounds: number): Promise<ReadonlyMap<string, number>> {
  const clock = new FakeClock();
  const { store, arrivals } = watched(new MemoryStore({ clock }));
  const { support, continued } = asking(1_000);
  const registry = new AgentRegistry({ agents: [support], store, clock });
  onTestFinished(() => registry.stop());
  const roll = dice(42);
  const seen = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const conversationId = `round-${round}`;
    const { outputs } = await registry.handle(saying(conversationId, 'ask'));
    const id = outputs[0]?.ask?.id as string;
    await clock.advance(998);
    let passed = Promise.resolve();
    const pass = () => {
      passed = passed.then(() => clock.advance(1 + roll(3)));
      return passed;
    };
    const acts: (() => Promise<unknown>)[] = [
      () => registry.answer(id, { text: '12345' }, { by }),
      () => registry.handle(saying(conversationId, '54321')),
      () => registry.cancel(id),
      () => registry.sweep(),
      pass,
      pass,
    ];
    const racing: Promise<unknown>[] = [];
    while (acts.length > 0) {
      racing.push((acts.splice(roll(acts.length), 1)[0] as (typeof acts)[0])());
      for (let ticks = roll(4) * 3; ticks > 0; ticks -= 1) await Promise.resolve();
    }
    await Promise.all(racing);
    await clock.advance(1_000);
    await registry.sweep();

    const ask = await registry.getAsk(id);
    const { items } = await registry.history(conversationId);
    const status = check(ask as PendingAsk<unknown>, items, arrivals.get(conversationId) ?? []);
    expect(continued.get(id)).toEqual([status]);
    seen.set(status, (seen.get(status) ?? 0) + 1);

    await Promise.all([registry.cancel(id), registry.answer(id, { text: 'too late' }, { by }), clock.advance(2_000)]);
    await registry.sweep();
    expect(await registry.getAsk(id)).toEqual(ask);
    expect(continued.get(id)).toEqual([status]);
  }
  return seen;
}
