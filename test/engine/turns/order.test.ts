/** Entries of one conversation reach the store in the order in which they were handed over, whatever else is under way. */
import { expect, test } from 'vitest';
import type { Desk, Store } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { gate, settle, storeWith, TestChannel, world } from '../../support/engine.js';

/** A store whose takes wait until the test lets them go on, and the entries they brought, in their order. */
function watchedStore(inner: Store) {
  const begun: { conversationId: string; id: string }[] = [];
  const waiting: (() => void)[] = [];
  let isSlow = false;
  const take: Store['take'] = async (call) => {
    if (call.entry !== undefined) begun.push({ conversationId: call.conversationId, id: call.entry.id });
    if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
    return inner.take(call);
  };
  return {
    store: storeWith(inner, { take }),
    slow: () => {
      isSlow = true;
    },
    /** Lets the takes at these places go on, the oldest first. */
    release: (count: number) => {
      for (const go of waiting.splice(0, count)) go();
    },
    fast: () => {
      isSlow = false;
      for (const go of waiting.splice(0)) go();
    },
    taken: (conversationId: string) =>
      begun.filter((each) => each.conversationId === conversationId).map(({ id }) => id.replace('m:phone:', '')),
  };
}

/** Asks after every message, so that every other one is a reply, which goes ahead of new messages. */
function asking() {
  const made = agent('asking');
  const word = made.question('word', text('Which word?'), { onAnswer: (answer) => answer });
  made.onMessage(({ ask }) => ask(word));
  return made;
}

function echo() {
  const made = agent('echo');
  made.onMessage(({ message }) => message);
  return made;
}

async function shop(made = echo()) {
  const it = world();
  const phone = new TestChannel();
  const watched = watchedStore(it.store);
  const registry = await it.replica({ agents: [made], channels: [phone], store: watched.store });
  const receive = (conversationId: string, id: string) =>
    (phone.desk as Desk).receive({ id, conversationId, text: id, participant: { id: 'phone:ann' } });
  return { ...it, ...watched, phone, registry, receive };
}

test('messages that are handed over in one tick are taken and worked on in that order', async () => {
  const { receive, registry, taken, phone } = await shop();
  const ids = Array.from({ length: 50 }, (_, i) => `${i}`);
  await Promise.all(ids.map((id) => receive('c', id)));
  await registry.idle();
  expect(taken('c')).toEqual(ids);
  expect(phone.texts('c')).toEqual(ids);
  await registry.stop();
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'under load no message overtakes another of its conversation (seed %i)',
  async (seed) => {
    const { receive, registry, taken, slow, fast, release } = await shop(asking());
    const conversations = ['a', 'b', 'c', 'd'];
    for (const each of conversations.slice(0, 2)) await receive(each, `${each} asks`);
    await registry.idle();
    slow();
    let state = seed;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const handedOver = new Map(conversations.map((each) => [each, taken(each)]));
    const told: Promise<unknown>[] = [];
    const handOver = (conversationId: string, id: string) => {
      handedOver.get(conversationId)?.push(id);
      told.push(receive(conversationId, id));
    };
    for (let i = 0; i < 100; i += 1) handOver(`burst ${i}`, `burst ${i}`); // more than may call the store at once
    for (let step = 0; step < 400; step += 1) {
      handOver(conversations[random(6)] ?? `new ${step}`, `${step}`);
      if (random(3) === 0) release(random(7));
      if (random(3) === 0) await Promise.resolve();
      if (random(9) === 0) process.nextTick(() => handOver('d', `tick ${step}`));
      if (random(20) === 0) await settle();
    }
    await settle();
    fast();
    await Promise.all(told);
    await registry.idle();
    for (const [conversationId, ids] of handedOver)
      expect([conversationId, taken(conversationId)]).toEqual([conversationId, ids]);
    await registry.stop();
  },
);

test('messages of handle() and of a channel, and calls by id after them, are recorded in the order of the calls', async () => {
  const { receive, registry, taken } = await shop(asking());
  const handle = (id: string) =>
    registry.handle({ id, conversationId: 'c', text: id, participant: { id: 'phone:ann' } });
  await receive('c', 'first');
  await registry.idle();
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  await Promise.all([
    handle('1'),
    receive('c', '2'),
    handle('3'),
    handle('4'),
    receive('c', '5'),
    registry.answer(id, { text: 'late' }),
    registry.decline(id),
    registry.cancel({ conversationId: 'c' }),
  ]);
  await registry.idle();
  const order = taken('c').map((entryId) => entryId.replace(/^m:handle:|:.*/g, ''));
  expect(order.slice(0, 6)).toEqual(['first', '1', '2', '3', '4', '5']);
  expect(order.slice(6).sort()).toEqual(['answer', 'cancel', 'decline']);
  await registry.stop();
});

test('what comes while an operator’s retry looks its work up keeps its own order, and waits for nobody', async () => {
  const it = world();
  const phone = new TestChannel();
  const watched = watchedStore(it.store);
  const looked = gate();
  let isSlow = false;
  const conversation: Store['conversation'] = async (id) => {
    if (isSlow) await looked.passed;
    return it.store.conversation(id);
  };
  let isBroken = true;
  const fragile = agent('fragile');
  fragile.onMessage(({ message }) => {
    if (message === 'fails' && isBroken) throw new Error('not yet');
    return message;
  });
  const store = storeWith(watched.store, { conversation });
  const registry = await it.replica({ agents: [fragile], channels: [phone], store, settings: { maxAttempts: 1 } });
  const receive = (id: string) => (phone.desk as Desk).receive({ id, conversationId: 'c', text: id });
  await receive('fails');
  await registry.idle();
  const [parked] = (await registry.parked()).items;
  isBroken = false;
  isSlow = true;
  const retried = registry.retry(parked?.id ?? '');
  await settle();
  await Promise.all([receive('first'), receive('second')]);
  looked.open();
  await retried;
  await registry.idle();
  expect(watched.taken('c').map((id) => id.replace(/:.*/, ''))).toEqual(['fails', 'first', 'second', 'retry']);
  expect(phone.texts('c').slice(-3)).toEqual(['first', 'second', 'fails']);
  await registry.stop();
});
