/** Answer, expiry and cancel arrive together, again and again: one decision each, by order of arrival, for good. */
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import type { HistoryItem } from '../../src/core/conversation/history.js';
import type { PendingAsk, Store } from '../../src/index.js';
import { AgentRegistry, agent, MemoryStore, text } from '../../src/index.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { startRedis } from '../support/redis-server.js';

interface Arrival {
  readonly id: string;
  readonly at: number;
}

/** The store, and beside it what it recorded in which order, as seen by whoever called. */
function watched(store: Store) {
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
function asking(expiresIn: number) {
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

function check(ask: PendingAsk<unknown>, items: readonly HistoryItem[], arrivals: readonly Arrival[]): string {
  const decisions = items.filter((item) => item.type === 'decision');
  const { status, entry } = expected(ask, arrivals);
  expect(decisions).toEqual([expect.objectContaining({ askId: ask.id, status, entry })]);
  expect(ask.status).toBe(status);
  // the history tells the same order as the store
  const entries = items.flatMap((item) => (item.type === 'in' || item.type === 'note' ? [item.entry] : []));
  expect(entries).toEqual(arrivals.map((arrival) => arrival.id));
  return status;
}

const by = { id: 'web:somebody' };
let said = 0;
const saying = (conversationId: string, words: string) => ({
  id: `m${++said}`,
  conversationId,
  text: words,
  participant: by,
});

/** The same numbers every time: a round that fails can be run again. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

test('on memory, 3 000 rounds: one decision each, by order of arrival, and it never changes', async () => {
  const clock = new FakeClock();
  const { store, arrivals } = watched(new MemoryStore({ clock }));
  const { support, continued } = asking(1_000);
  const registry = new AgentRegistry({ agents: [support], store, clock });
  onTestFinished(() => registry.stop());
  const roll = dice(42);
  const seen = new Map<string, number>();
  for (let round = 0; round < 3_000; round += 1) {
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
  for (const status of ['answered', 'cancelled', 'expired']) expect(seen.get(status)).toBeGreaterThan(100);
});

test('on Redis, 300 rounds, a hundred at a time: one decision each, by order of arrival, and it never changes', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const client = new Redis(server.url);
  onTestFinished(() => client.disconnect());
  const { store, arrivals } = watched(new RedisStore({ client, logger: { warn: () => {}, debug: () => {} } }));
  const { support, continued } = asking(1_000);
  const registry = new AgentRegistry({ agents: [support], store, settings: { sweep: 20 } });
  onTestFinished(() => registry.stop());
  await registry.start();
  const roll = dice(7);

  /** Everything long before the deadline, at about it, or a little after it: a busy machine is late for all but the first. */
  const round = async (i: number) => {
    const conversationId = `round-${i}`;
    const { outputs } = await registry.handle(saying(conversationId, i % 3 === 0 ? 'ask at leisure' : 'ask'));
    const ask = outputs[0]?.ask;
    if (ask === undefined) throw new Error('Nothing was asked.');
    const { id, expiresAt } = ask;
    const acts: (() => Promise<unknown>)[] = [
      () => registry.answer(id, { text: '12345' }, { by }),
      () => registry.handle(saying(conversationId, '54321')),
      () => registry.cancel(id),
    ];
    const left = Number(expiresAt) - Date.now();
    const middle = [0, left - 40, left + 100][i % 3] ?? 0;
    const soon = () => new Promise((go) => setTimeout(go, middle + roll(80)));
    // in some rounds one of them is surely first, however busy the machine is: the others come when it has decided
    const [first] = i % 6 === 0 ? acts.splice(2, 1) : i % 6 === 3 ? acts.splice(0, 1) : [];
    const over = new Promise<void>((settled) => {
      for (const event of ['answered', 'cancelled', 'expired'] as const)
        registry.on(event, (about) => about.askId === id && settled());
    });
    await first?.();
    await Promise.all([over, ...acts.map((act) => soon().then(act))]);
    return id;
  };
  const rounds: string[] = [];
  while (rounds.length < 300) {
    const wave = Array.from({ length: 100 }, (_, i) => round(rounds.length + i));
    rounds.push(...(await Promise.all(wave)));
  }
  await registry.idle();

  const before = await Promise.all(rounds.map((id) => registry.getAsk(id)));
  const seen = new Map<string, number>();
  for (const [i, id] of rounds.entries()) {
    const { items } = await registry.history(`round-${i}`);
    const status = check(before[i] as PendingAsk<unknown>, items, arrivals.get(`round-${i}`) ?? []);
    expect(continued.get(id)).toEqual([status]);
    seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  for (const status of ['answered', 'cancelled', 'expired']) expect(seen.get(status)).toBeGreaterThan(10);

  await Promise.all(rounds.flatMap((id) => [registry.cancel(id), registry.answer(id, { text: 'late' }, { by })]));
  await registry.sweep();
  expect(await Promise.all(rounds.map((id) => registry.getAsk(id)))).toEqual(before);
});
