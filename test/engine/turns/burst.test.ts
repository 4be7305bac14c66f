/** Many messages or reads at once: all are served, in order, and the number of concurrent calls to the store is limited. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { Desk, Store } from '../../../src/index.js';
import { AgentError, agent, text } from '../../../src/index.js';
import { Admission } from '../../../src/registry/admission.js';
import type { RegistryContext } from '../../../src/registry/context.js';
import { gate, heard, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const most = 72;
const burst = 1_000;
const echo = () => {
  const made = agent('echo');
  made.onMessage(({ message }) => message);
  return made;
};

/** A store whose takes wait until the test lets them, and how many of them there are. */
function slowStore(inner: Store) {
  const seen = { now: 0, atOnce: 0, all: 0 };
  let opened = gate();
  const take: Store['take'] = async (call) => {
    seen.all += 1;
    seen.now += 1;
    seen.atOnce = Math.max(seen.atOnce, seen.now);
    await opened.passed;
    seen.now -= 1;
    return inner.take(call);
  };
  const open = () => opened.open();
  const shut = () => {
    opened = gate();
  };
  return { store: storeWith(inner, { take }), seen, open, shut };
}

/** A burst of messages, each in a conversation of its own or all in one; what became of each. */
const receives = (phone: TestChannel, { from = 0, conversationId }: { from?: number; conversationId?: string } = {}) =>
  Array.from({ length: burst }, (_, k) => {
    const i = from + k;
    const message = { id: `m${i}`, conversationId: conversationId ?? `c${i}`, text: `word ${i}` };
    return (phone.desk as Desk).receive(message);
  });

test('in a burst a limited number is recorded at once, the others queue, and all are worked on', async () => {
  const it = world();
  const phone = new TestChannel();
  const { store, seen, open } = slowStore(it.store);
  const registry = await it.replica({ agents: [echo()], channels: [phone], store });
  const told = receives(phone);
  await settle();
  expect(seen).toEqual({ now: most, atOnce: most, all: most });
  open();
  expect(new Set(await Promise.all(told))).toEqual(new Set(['recorded']));
  await registry.idle();
  await settle();
  expect(seen.atOnce).toBe(most);
  expect(phone.texts().sort()).toEqual(Array.from({ length: burst }, (_, i) => `word ${i}`).sort());
  await registry.stop();
});

test('reads of the store are limited and queue as well, and each gets its answer', async () => {
  const it = world();
  const phone = new TestChannel();
  const opened = gate();
  let [now, atOnce] = [0, 0];
  const find: Store['find'] = async (id) => {
    now += 1;
    atOnce = Math.max(atOnce, now);
    await opened.passed;
    now -= 1;
    return it.store.find(id);
  };
  const asking = agent('asking');
  const order = asking.question('order', text('Order?'), { onAnswer: () => undefined });
  asking.onMessage(({ ask }) => ask(order));
  const store = storeWith(it.store, { find });
  const registry = await it.replica({ agents: [asking], channels: [phone], store });
  await it.says(phone, 'ask');
  const { asks } = await registry.listAsks();
  const found = Promise.all(Array.from({ length: burst }, () => registry.getAsk(asks[0]?.id ?? '')));
  await settle();
  expect(now).toBe(most);
  opened.open();
  expect((await found).map((each) => each?.question)).toEqual(Array(burst).fill('Order?'));
  expect(atOnce).toBe(most);
  await registry.stop();
});

test('the messages of one conversation keep their order in the queue for the store', async () => {
  const it = world();
  const phone = new TestChannel();
  const registry = await it.replica({ agents: [echo()], channels: [phone], settings: { queue: burst } });
  const told = receives(phone, { conversationId: 'one' });
  await Promise.all(told);
  await registry.idle();
  await settle();
  expect(phone.texts()).toEqual(Array.from({ length: burst }, (_, i) => `word ${i}`));
  await registry.stop();
});

test('a queued message is worked on in the async context of its own caller, not of another', async () => {
  const it = world();
  const phone = new TestChannel();
  const tenant = new AsyncLocalStorage<string>();
  const seen: [string, string | undefined][] = [];
  const noting = agent('noting');
  noting.onMessage(({ message }) => {
    seen.push([message, tenant.getStore()]);
  });
  const registry = await it.replica({ agents: [noting], channels: [phone] });
  await Promise.all(
    Array.from({ length: burst }, (_, i) =>
      tenant.run(`t${i}`, () => (phone.desk as Desk).receive({ id: 'm', conversationId: `c${i}`, text: `t${i}` })),
    ),
  );
  await registry.idle();
  expect(seen).toHaveLength(burst);
  expect(seen.filter(([own, found]) => own !== found)).toEqual([]);
  await registry.stop();
});

test('while the store is away, the first failure fails all queued calls, and none of them tries', async () => {
  const it = world();
  const phone = new TestChannel();
  let tries = 0;
  const take: Store['take'] = async () => {
    tries += 1;
    throw new AgentError('store-unavailable', 'The store is away.');
  };
  const registry = await it.replica({ agents: [echo()], channels: [phone], store: storeWith(it.store, { take }) });
  const failed = heard(registry, 'storeFailed');
  const told = Promise.allSettled(receives(phone));
  await it.advance(3_000); // as long as a single one would wait
  const all = await told;
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(burst);
  expect(all.every((each) => each.status === 'rejected' && each.reason.code === 'store-unavailable')).toBe(true);
  expect(failed.length).toBe(tries);
  expect(new Set(failed.map(({ step }) => step))).toEqual(new Set(['take']));
  expect(tries % most).toBe(0); // the first in line tried as often as they should, all the others not once
  expect(tries / most).toBeLessThan(10);
  await registry.stop();
});

test('a refusal of one message leaves the others queued', async () => {
  const it = world();
  const phone = new TestChannel();
  const { store, open } = slowStore(it.store);
  const registry = await it.replica({
    agents: [echo()],
    channels: [phone],
    store: storeWith(store, {
      take: async (call) => {
        const taken = await store.take(call);
        if (call.conversationId === 'c0') throw new AgentError('bad-record', 'Not readable.');
        return taken;
      },
    }),
  });
  const told = Promise.allSettled(receives(phone));
  await it.advance(10_000); // longer than anybody would wait for a store that fails
  open();
  const all = await told;
  expect(all.map(({ status }) => status)).toEqual(['rejected', ...Array(burst - 1).fill('fulfilled')]);
  await registry.stop();
});

/** A door of its own, and what went through it, in order: each as soon as the one before it let go. */
function doorOf(isAwaited: (conversationId: string) => boolean = () => false) {
  const known = { has: isAwaited };
  let ticks = 0;
  const clock = { elapsed: () => ++ticks };
  const admission = new Admission(() => ({ clock, emit: () => {}, askedHere: known }) as unknown as RegistryContext);
  const order: string[] = [];
  const opened = gate();
  const record = (name: string, conversationId?: string): Promise<string> =>
    admission.run(async () => {
      order.push(name);
      await opened.passed;
      return name;
    }, conversationId);
  const inside = Array.from({ length: most }, (_, i) => record(`inside ${i}`));
  return { admission, record, order: () => order.slice(most), open: () => opened.open(), inside };
}

test('a message that leaves the queue without being recorded frees its slot for the next', async () => {
  const { admission, record, open, inside } = doorOf();
  const inVain = Array.from({ length: 3 * most }, (_, i) =>
    admission.run<string>(() => {
      if (i % 2 === 0) throw new Error('at once');
      return Promise.reject(new Error('soon'));
    }),
  );
  const ends = Promise.allSettled(inVain);
  const after = record('after');
  open();
  expect(await Promise.all(inside)).toHaveLength(most);
  expect(await after).toBe('after');
  expect((await ends).every(({ status }) => status === 'rejected')).toBe(true);
});

test('under load a reply to an open question is recorded before new messages', async () => {
  const it = world();
  const phone = new TestChannel();
  const { store, seen, open, shut } = slowStore(it.store);
  const asking = agent('asking');
  const order = asking.question('order', text('Order?'), { onAnswer: () => undefined });
  asking.onMessage(({ ask }) => ask(order));
  const registry = await it.replica({ agents: [asking], channels: [phone], store });
  open();
  await it.says(phone, 'I want my money back', { conversationId: 'asked' });
  shut();
  const recorded: string[] = [];
  const told = receives(phone).map((each, i) => each.then(() => recorded.push(`c${i}`)));
  const reply = { id: 'reply', conversationId: 'asked', text: '12345', participant: { id: 'phone:ann' } };
  const answered = (phone.desk as Desk).receive(reply).then(() => recorded.push('answer'));
  await settle();
  expect(seen.now).toBe(most);
  open();
  await Promise.all([...told, answered]);
  expect(recorded.indexOf('answer')).toBe(most); // those who were inside before it, and nobody else
  await registry.idle();
  await registry.stop();
});

test('under load messages of one conversation are recorded in the order they came, whether it was asked something or not', async () => {
  const it = world();
  const phone = new TestChannel();
  const { store, open, shut } = slowStore(it.store);
  const asking = agent('asking');
  const order = asking.question('order', text('Order?'), { onAnswer: () => undefined });
  asking.onMessage(({ message, ask }) => (message === 'ask' ? ask(order) : undefined));
  const registry = await it.replica({ agents: [asking], channels: [phone], store });
  open();
  await it.says(phone, 'ask', { conversationId: 'asked' });
  shut();
  const told = receives(phone);
  const recorded: string[] = [];
  const send = (conversationId: string, words: string) =>
    (phone.desk as Desk)
      .receive({ id: words, conversationId, text: words, participant: { id: 'phone:ann' } })
      .then(() => recorded.push(words));
  const sent = ['a', 'b', 'c'].flatMap((each) => [send('asked', `asked ${each}`), send('new', `new ${each}`)]);
  await settle();
  open();
  await Promise.all([...told, ...sent]);
  expect(recorded.filter((each) => each.startsWith('asked'))).toEqual(['asked a', 'asked b', 'asked c']);
  expect(recorded.filter((each) => each.startsWith('new'))).toEqual(['new a', 'new b', 'new c']);
  await registry.idle();
  const { items } = await registry.history('new');
  expect(items.flatMap((item) => (item.type === 'in' ? [item.text] : []))).toEqual(['new a', 'new b', 'new c']);
  await registry.stop();
});

test('replies have priority only up to a limit: what has waited longer gets its turn', async () => {
  const { record, order, open } = doorOf((conversationId) => conversationId === 'asked');
  const waiting = [record('new', 'a'), record('newer', 'b')];
  waiting.push(...Array.from({ length: 20 }, (_, i) => record(`reply ${i}`, 'asked')));
  open();
  await Promise.all(waiting);
  const replies = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `reply ${from + i}`);
  expect(order()).toEqual([...replies(0, 8), 'new', ...replies(8, 16), 'newer', ...replies(16, 20)]);
});

test('stop() lets queued messages be recorded, and rejects them after the grace time', async () => {
  const it = world();
  const phone = new TestChannel();
  const { store, open, shut, seen } = slowStore(it.store);
  const first = await it.replica({ agents: [echo()], channels: [phone], store });
  const told = Promise.allSettled(receives(phone));
  const stopping = first.stop();
  await settle();
  open();
  await stopping;
  expect(seen.all).toBe(burst); // it has waited for them
  expect((await told).every(({ status }) => status === 'fulfilled')).toBe(true);

  shut();
  const second = await it.replica({ agents: [echo()], channels: [phone], store, settings: { grace: 1_000 } });
  const late = Promise.allSettled(receives(phone, { from: burst }));
  const over = second.stop();
  await it.advance(1_100);
  open();
  await over;
  const ends = await late;
  const codes = ends.map((each) => (each.status === 'rejected' ? each.reason.code : 'recorded'));
  expect(codes).toEqual([...Array(most).fill('recorded'), ...Array(burst - most).fill('stopped')]);
});

test('a call that was admitted and has not begun comes before every later one', async () => {
  const { admission, record, order, open, inside } = doorOf();
  const first = record('first', 'one');
  let second: Promise<string> | undefined;
  const late = async () => {
    await inside[0];
    process.nextTick(() => {
      second = record('second', 'one'); // between the moment when the first is let in and its own
    });
  };
  const arrives = late();
  open();
  await Promise.all([...inside, first, arrives]);
  await second;
  expect(order()).toEqual(['first', 'second']);
  await admission.idle();
});
