/** A turn waits for an answer in its own conversation, and much else comes in meanwhile. */
import { expect, test } from 'vitest';
import type { Store } from '../../../src/index.js';
import { agent, number } from '../../../src/index.js';
import { settle, storeWith, TestChannel, world } from '../../support/engine.js';

/** A turn that waits, on a store that counts the entries it gives to its readers. */
async function waitingTurn() {
  const { replica, store, says, advance } = world();
  const seen: unknown[] = [];
  const desk = agent('desk').onMessage(async ({ message, askAndWait }) => {
    if (message !== 'go') return `You said ${message}.`;
    const outcome = await askAndWait(number('Seats?'), { timeout: 60_000 });
    seen.push([outcome.status, 'reason' in outcome ? outcome.reason : undefined]);
    return undefined;
  });
  const state = { entries: 0, lost: new Set<string>() };
  const counted: Store = storeWith(store, {
    conversation: async (id, skip = 0) => {
      const found = state.lost.size === 0 ? await store.conversation(id, skip) : await store.conversation(id);
      if (found === null) return null;
      const kept = found.queue.filter((entry) => !state.lost.has(entry.id));
      const queue = state.lost.size === 0 ? kept : kept.slice(skip);
      state.entries += queue.length;
      return { ...found, queue };
    },
  });
  const phone = new TestChannel();
  const registry = await replica({ agents: [desk], channels: [phone], store: counted });
  await says(phone, 'go');
  const others = async (count: number) => {
    for (let i = 0; i < count; i += 1) await says(phone, `hello ${i}`, { participant: { id: 'phone:bob' } });
  };
  return { registry, store, phone, says, advance, seen, state, others };
}

test('each entry that comes in while a turn waits is read once, not again for every other that comes', async () => {
  const { registry, phone, says, advance, seen, state, others } = await waitingTurn();
  const read = async (count: number) => {
    const before = state.entries;
    await others(count);
    return state.entries - before;
  };
  await read(20);
  expect(await read(40)).toBeLessThanOrEqual(2 * 40); // itself, and the one before it
  const before = state.entries;
  await advance(5_000);
  expect(state.entries - before).toBeLessThanOrEqual(6); // a look every second finds nothing new
  await says(phone, '4');
  expect(seen).toEqual([['answered', undefined]]);
  await registry.stop();
});

test.each(['answer', 'cancel', 'cancel all'])('behind a flood the waiting turn finds its %s', async (what) => {
  const { registry, seen, others } = await waitingTurn();
  await others(30);
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  const by = { id: 'phone:ann' };
  if (what === 'answer') void registry.answer(id, { value: 4 }, { by });
  else void registry.cancel(what === 'cancel' ? (id as never) : { conversationId: 'c1' });
  await settle();
  expect(seen).toEqual([[what === 'answer' ? 'answered' : 'cancelled', undefined]]);
  await registry.stop();
});

test('an answer that takes the place of an entry which the store has lost is found', async () => {
  const { registry, store, phone, says, seen, state, others } = await waitingTurn();
  await others(5);
  const { queue } = (await store.conversation('c1')) ?? { queue: [] };
  for (const { id } of queue.slice(2)) state.lost.add(id);
  await says(phone, '4');
  expect(seen).toEqual([['answered', undefined]]);
  await registry.stop();
});

test('a turn whose conversation was erased reads nothing of the next life', async () => {
  const { registry, store, phone, says, advance, seen } = await waitingTurn();
  const { incarnation, revision } = (await store.conversation('c1')) ?? { incarnation: '', revision: 0 };
  const erase = { conversationId: 'c1', incarnation, revision, asks: [], parked: [], people: [], retention: 1_000 };
  expect(await store.erase(erase)).toBe(true);
  await says(phone, '4');
  await advance(2_000);
  expect([seen, phone.texts().at(-1)]).toEqual([[['cancelled', 'erased']], 'You said 4.']);
  await registry.stop();
});
