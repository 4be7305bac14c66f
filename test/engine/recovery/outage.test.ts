/**
 * The store is away for a while: the intake says "not now", nothing is sent, nothing is lost or run twice.
 */
import { expect, test } from 'vitest';
import { AgentError, agent, type Store, text } from '../../../src/index.js';
import {
  flaky,
  gate,
  heard,
  leaseAndSweep,
  ledger,
  minute,
  never,
  settle,
  storeWith,
  TestChannel,
  world,
} from '../../support/engine.js';

async function shop() {
  const here = world();
  const line = flaky(here.store);
  const phone = new TestChannel();
  const book = ledger();
  const work = gate();
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: async (answer, { effectKey, attempt }) => {
      if (answer === 'slow') await work.passed;
      return book.pay(effectKey, answer, attempt);
    },
  });
  support.onMessage(({ message, ask }) => (message === 'ask' ? ask(order) : 'hello'));
  const registry = await here.replica({ agents: [support], channels: [phone], store: line.store });
  return { ...here, line, phone, book, work, registry };
}

test('while the store is away a message is rejected, so that the sender tries again', async () => {
  const { line, says, phone, advance } = await shop();
  line.down = true;
  const received = says(phone, 'hi');
  received.catch(() => {});
  await settle();
  await advance(minute);
  await expect(received).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(phone.texts()).toEqual([]);
});

test('a transient error is tried again with a pause; the caller notices nothing', async () => {
  const { line, says, phone, advance } = await shop();
  line.down = true;
  const received = says(phone, 'hi');
  received.catch(() => {});
  await settle();
  await advance(300);
  line.down = false;
  await advance(2_000);
  expect(await received).toBe('recorded');
  expect(phone.texts()).toEqual(['hello']);
});

test('messages that come while an earlier one of their conversation is tried again are recorded behind it, in order', async () => {
  const { line, registry, says, phone, advance } = await shop();
  line.down = true;
  const first = [says(phone, 'one'), says(phone, 'two')];
  await settle();
  await advance(20); // both are tried again soon
  line.down = false;
  const later = [says(phone, 'three'), says(phone, 'four')];
  await settle();
  await advance(2_000);
  expect(await Promise.all([...first, ...later])).toEqual(Array(4).fill('recorded'));
  const { items } = await registry.history('c1');
  expect(items.flatMap((item) => (item.type === 'in' ? [item.text] : []))).toEqual(['one', 'two', 'three', 'four']);
});

/** A store whose takes fail late for a while: each has left before the one ahead of it is known to have failed. */
function stalling(inner: Store, clock: { after(ms: number, work: () => void): unknown }) {
  const state = { isStalled: false };
  const take: Store['take'] = (call) => {
    if (!state.isStalled) return inner.take(call);
    return new Promise((_, reject) =>
      clock.after(300, () => reject(new AgentError('store-unavailable', 'The store stood still.'))),
    );
  };
  return { state, store: storeWith(inner, { take }) };
}

/** A shop on such a store, and what its agent was told, in order. */
async function stallingShop() {
  const here = world();
  const { state, store } = stalling(here.store, here.clock);
  const phone = new TestChannel();
  const order: string[] = [];
  const noting = agent('noting').onMessage(({ message }) => void order.push(message));
  await here.replica({ agents: [noting], channels: [phone], store });
  return { ...here, state, phone, order };
}

test('messages that left while the store stood still keep the order in which they were handed over', async () => {
  const { state, phone, order, ...here } = await stallingShop();
  state.isStalled = true;
  const said: Promise<unknown>[] = [];
  for (let i = 0; i < 14; i += 1) {
    said.push(here.says(phone, `m${i}`));
    await here.advance(100);
    if (i === 9) state.isStalled = false;
  }
  await here.advance(5_000);
  await Promise.all(said);
  expect(order).toEqual(Array.from({ length: 14 }, (_, i) => `m${i}`));
});

test('what was handed over behind a message that is told "not now" is told so too, and accepted when it is sent again', async () => {
  const { state, phone, order, ...here } = await stallingShop();
  state.isStalled = true;
  const send = () =>
    ['one', 'two', 'three'].map((text) => phone.receive({ id: text, conversationId: 'c', text }).catch((e) => e.code));
  const first = send();
  await here.advance(3_000); // longer than the first may try
  state.isStalled = false;
  await here.advance(3_000);
  expect(await Promise.all(first)).toEqual(Array(3).fill('store-unavailable'));
  expect(await Promise.all(send())).toEqual(Array(3).fill('recorded'));
  await here.advance(1_000);
  expect(order).toEqual(['one', 'two', 'three']);
});

test('the tries are limited: a few in three seconds, each reported, then the caller learns', async () => {
  const { line, registry, advance, says, phone } = await shop();
  const failures = heard(registry, 'storeFailed');
  line.down = true;
  const received = says(phone, 'hi');
  received.catch(() => {});
  await settle();
  await advance(3_000);
  await expect(received).rejects.toThrow('cut');
  const takes = failures.filter((each) => each.step === 'take').length;
  expect(takes).toBeGreaterThan(2);
  expect(takes).toBeLessThan(8);
});

test('a short outage during the turn: the save is tried again, one effect, one output', async () => {
  const { line, says, phone, advance, work, book } = await shop();
  await says(phone, 'ask');
  await advance(1_000); // the question is marked as sent
  await says(phone, 'slow');
  line.down = true;
  work.open();
  await settle();
  await advance(5_000);
  expect(phone.texts()).toEqual(['Order?']);
  line.down = false;
  await advance(10_000);
  expect(phone.texts()).toEqual(['Order?', 'Refunded slow']);
  expect(book.calls).toHaveLength(1);
});

test('a long outage: the save fails, nothing is sent, the turn runs again later with the same key', async () => {
  const { line, says, phone, advance, work, book } = await shop();
  await says(phone, 'ask');
  await advance(1_000); // the question is marked as sent
  await says(phone, 'slow');
  line.down = true;
  work.open();
  await settle();
  await advance(2 * minute);
  expect(phone.texts()).toEqual(['Order?']);
  line.down = false;
  await advance(leaseAndSweep);
  expect(phone.texts()).toEqual(['Order?', 'Refunded slow']);
  expect(book.paid.size).toBe(1);
  expect(book.calls.map((call) => call.attempt)).toEqual([1, 2]);
});

test('a message sent again after "not now" is handled once', async () => {
  const { line, says, phone, advance } = await shop();
  line.down = true;
  const first = says(phone, 'hi', { id: 'event-1' });
  first.catch(() => {});
  await settle();
  await advance(minute);
  await expect(first).rejects.toThrow();
  line.down = false;
  await says(phone, 'hi', { id: 'event-1' });
  await advance(minute);
  expect(phone.texts()).toEqual(['hello']);
});

test('an outage does not end in a crash loop: deadlines are settled once it is over', async () => {
  const here = world();
  const line = flaky(here.store);
  const phone = new TestChannel();
  const closed: string[] = [];
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    expiresIn: minute,
    onAnswer: () => 'ok',
    onClosed: (_, why) => {
      closed.push(why);
    },
  });
  support.onMessage(({ ask }) => ask(order));
  await here.replica({ agents: [support], channels: [phone], store: line.store });
  await here.says(phone, 'hi');
  line.down = true;
  await here.advance(10 * minute);
  expect(closed).toEqual([]);
  line.down = false;
  await here.advance(leaseAndSweep);
  expect(closed).toEqual(['expired']);
});

test('outputs that could not be marked in the outage are not lost', async () => {
  const { line, says, phone, advance } = await shop();
  phone.onSend = () => {
    line.down = true;
  };
  await says(phone, 'ask');
  await advance(2 * minute);
  phone.onSend = () => {};
  line.down = false;
  await advance(3 * minute);
  expect(new Set(phone.sent.map((each) => each.key)).size).toBe(1);
  await says(phone, '12345');
  expect(phone.texts().at(-1)).toBe('Refunded 12345');
});

test('out of memory: take says "not now" at once, a running turn still saves and its output goes out', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  const work = gate();
  let full = false;
  const tight = storeWith(store, {
    take: async (call) => {
      if (full) throw new AgentError('store-full', 'out of memory');
      return store.take(call);
    },
  });
  const support = agent('support');
  support.onMessage(() => work.passed.then(() => 'done'));
  const registry = await replica({ agents: [support], channels: [phone], store: tight });
  await says(phone, 'work');
  full = true;
  await expect(says(phone, 'more')).rejects.toMatchObject({ code: 'store-full' });
  work.open();
  await settle();
  expect(phone.texts()).toEqual(['done']);
  expect(await registry.erase({ conversationId: 'c1' })).toMatchObject({ erased: 1 });
});

test('a call whose store never answers is told after callTimeout where that is shorter than the lease', async () => {
  const { replica, store, advance } = world();
  const hanging = storeWith(store, { find: never });
  const registry = await replica({ store: hanging, settings: { callTimeout: 5_000 } });
  let told: unknown;
  const asked = registry.getAsk('some').catch((error: unknown) => {
    told = error;
  });
  await advance(4_999);
  expect(told).toBeUndefined();
  await advance(1);
  await asked;
  expect(told).toMatchObject({
    code: 'store-unavailable',
    message: expect.stringContaining('5000 ms (settings.callTimeout)'),
  });
});

test('a take that never settles is told after the lease or callTimeout; one of a store that limits itself in that time is not limited again', async () => {
  for (const [settlesWithin, told] of [
    [undefined, [5_000, 'store-unavailable']],
    [5_001, [5_000, 'store-unavailable']],
    [5_000, []],
  ] as const) {
    const { replica, store, advance, clock } = world();
    const began = clock.elapsed();
    const hanging = storeWith(store, { take: never, ...(settlesWithin && { settlesWithin }) });
    const phone = new TestChannel();
    await replica({ agents: [agent('shop')], channels: [phone], store: hanging, settings: { callTimeout: 5_000 } });
    const heard: unknown[] = [];
    phone
      .receive({ id: 'm', conversationId: 'c', text: 'hello' })
      .catch((error: AgentError) => heard.push(clock.elapsed() - began, error.code));
    await advance(5_000);
    expect(heard).toEqual(told);
  }
});

test('what a turn writes may take as long as its lease, also where callTimeout is shorter', async () => {
  const { replica, store, says, advance } = world();
  const phone = new TestChannel();
  const line = gate();
  const failed: unknown[] = [];
  const slow = storeWith(store, { save: async (call) => line.passed.then(() => store.save(call)) });
  const options = { agents: [agent('shop').onMessage(() => 'done')], channels: [phone], store: slow };
  const registry = await replica({ ...options, settings: { callTimeout: 5_000 } });
  registry.on('storeFailed', (each) => void failed.push(each));
  await says(phone, 'work');
  await advance(20_000);
  line.open();
  await settle();
  expect(phone.texts()).toEqual(['done']);
  expect(failed).toEqual([]);
});
