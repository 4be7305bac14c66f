/**
 * Processes without agents see to the asks that no agent owns, whoever asked and however long ago, and leave all else to agents.
 */
import { expect, test } from 'vitest';
import { agent, confirm, number } from '../../../src/index.js';
import { gate, heard, leaseAndSweep, minute, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const there = { channel: 'phone', to: 'anna' };
const anna = { participant: { id: 'phone:anna' }, conversationId: 'anna' };

/** An ask whose asker has ended, and another process without agents. */
async function asked(options: object = {}) {
  const scene = world();
  const asker = await scene.replica({ channels: [new TestChannel()] });
  const { askId } = await asker.ask(number('How many?'), { ...there, ...options });
  await asker.stop();
  const phone = new TestChannel();
  const registry = await scene.replica({ channels: [phone] });
  return { ...scene, askId, phone, registry };
}

test('a reply is read, asked again and decided by another process than the one that asked', async () => {
  const { says, phone, registry, askId } = await asked();
  await says(phone, 'many', anna);
  expect(phone.texts()).toHaveLength(1);
  await says(phone, '4', anna);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', value: 4 });
});

test('a deadline is kept when nobody waits, and a late reply changes nothing: it is kept for an agent, and logged', async () => {
  const { advance, says, replica, store, askId } = await asked({ expiresIn: 10 * minute });
  const warnings: unknown[] = [];
  const warn = (...said: unknown[]) => void warnings.push(said);
  const phone = new TestChannel();
  const logger = { debug: () => {}, info: () => {}, warn, error: () => {} };
  const registry = await replica({ channels: [phone], logger });
  await advance(10 * minute + leaseAndSweep);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'expired' });
  await says(phone, '4', anna);
  await says(phone, '5', anna);
  await advance(leaseAndSweep);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'expired' });
  expect((await store.conversation('anna'))?.queue).toHaveLength(2);
  expect(warnings).toEqual([[expect.stringContaining('after the deadline'), { conversationId: 'anna', askId }]]);
});

test('reminders are sent when the asker is gone', async () => {
  const { advance, phone } = await asked({ remindAfter: 10 * minute });
  await advance(10 * minute + leaseAndSweep);
  expect(phone.texts('anna')).toEqual([expect.stringMatching(/How many\?/)]);
});

test('the program that waited has ended: the answer is decided, kept, and told to who waits next', async () => {
  const { replica, says } = world();
  const asker = await replica({ channels: [new TestChannel()] });
  const waiting = asker.askAndWait(number('How many?'), { ...there, timeout: 60 * minute }).catch(() => 'stopped');
  await settle();
  const [open] = (await asker.listAsks()).asks;
  await asker.stop();
  expect(await waiting).toBe('stopped');
  const phone = new TestChannel();
  const registry = await replica({ channels: [phone] });
  await says(phone, '7', anna);
  expect(await registry.getAsk(open?.id ?? '')).toMatchObject({ status: 'answered', value: 7 });
  expect(await registry.wait(open?.id ?? '')).toMatchObject({ status: 'answered', value: 7 });
});

test('an ask that was recorded and not opened when its asker died is opened by another', async () => {
  const { replica, store, advance } = world();
  let isDead = false;
  const dies = storeWith(store, {
    take: (call) => {
      if (isDead) return new Promise(() => {});
      isDead = call.entry !== undefined;
      return store.take(isDead ? { ...call, lease: 0 } : call);
    },
  });
  const asker = await replica({ store: dies, channels: [new TestChannel()] });
  void asker.ask(number('How many?'), { ...there, key: 'seats' }).catch(() => {});
  await settle();
  const phone = new TestChannel();
  const registry = await replica({ channels: [phone] });
  expect((await registry.listAsks()).asks).toEqual([]);
  await advance(leaseAndSweep);
  expect(phone.texts('anna')).toEqual(['How many?']);
  await registry.ask(number('How many?'), { ...there, key: 'seats' });
  expect((await registry.listAsks()).asks).toHaveLength(1);
});

test('what is no reply is ignored there: it keeps nobody waiting, is not parked, and nothing is logged of it', async () => {
  const warned: string[] = [];
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const logger = {
    warn: (message: string) => void warned.push(message),
    debug: () => {},
    info: () => {},
    error: () => {},
  };
  const registry = await replica({ channels: [phone], logger });
  const { askId } = await registry.ask(number('How many?'), there);
  await says(phone, '/help', anna);
  await says(phone, 'hello', { ...anna, participant: { id: 'phone:ben' } });
  await says(phone, '4', anna);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', value: 4 });
  await advance(20 * minute);
  expect((await registry.parked()).items).toEqual([]);
  expect(warned).toEqual([]);
});

test('conversations of agents are left alone: not claimed, not counted, not parked, and done when an agent comes', async () => {
  const { replica, store, says, advance } = world();
  const claims: string[] = [];
  const seen = storeWith(store, {
    take: (call) => {
      if (call.lease > 0) claims.push(call.conversationId);
      return store.take(call);
    },
  });
  const phone = new TestChannel();
  const registry = await replica({ store: seen, channels: [phone] });
  const handedBack = heard(registry, 'handedBack');
  await registry.ask(number('How many?'), there);
  await says(phone, 'hi', { conversationId: 'ben' });
  await advance(60 * minute);
  expect(claims.filter((id) => id !== 'anna')).toEqual([]);
  expect(handedBack).toEqual([]);
  const attempts: number[] = [];
  const support = agent('support').onMessage(({ attempt }) => void attempts.push(attempt));
  const worker = await replica({ agents: [support] });
  await advance(leaseAndSweep);
  expect(attempts).toEqual([1]);
  expect((await worker.parked()).items).toEqual([]);
});

test.each([
  [
    ['/help', 'yes'],
    [
      ['/help', 1],
      [true, 1],
    ],
  ],
  [
    ['yes', '/help'],
    [
      [true, 1],
      ['/help', 1],
    ],
  ],
])(
  'where an agent asks, too, %j waits for it, is not parked and counts nothing; the other ask goes on after it',
  async (words, handled) => {
    const { replica, says, advance } = world();
    const made = () => {
      const told: unknown[] = [];
      const support = agent('support');
      const sure = support.question('sure', confirm('Sure?'), {
        onAnswer: (yes, { attempt }) => void told.push([yes, attempt]),
      });
      support.onMessage(({ message, ask, attempt }) => {
        if (message === 'ask') return ask(sure);
        told.push([message, attempt]);
      });
      return { support, told };
    };
    const phone = new TestChannel();
    const before = await replica({ agents: [made().support], channels: [phone] });
    await says(phone, 'ask', anna);
    await before.stop();
    const next = new TestChannel();
    const registry = await replica({ channels: [next] });
    const { askId } = await registry.ask(number('How many?'), there);
    for (const each of words) await says(next, each, anna);
    await advance(60 * minute);
    expect((await registry.parked()).items).toEqual([]);
    const after = made();
    await replica({ agents: [after.support], channels: [new TestChannel()] });
    await advance(leaseAndSweep);
    expect(after.told).toEqual(handled);
    await says(next, '4', anna);
    expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', value: 4 });
  },
);

test('what is written behind the answer is left to agents', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const registry = await replica({ channels: [phone] });
  await registry.ask(number('How many?'), there);
  const both = [says(phone, '4', anna), says(phone, 'where is my refund?', anna)];
  await Promise.all(both);
  await advance(minute);
  const told: unknown[] = [];
  await replica({ agents: [agent('support').onMessage(({ message, attempt }) => void told.push([message, attempt]))] });
  await advance(leaseAndSweep);
  expect(told).toEqual([['where is my refund?', 1]]);
});

test('however many conversations wait for agents, a deadline is kept', async () => {
  const { says, advance, phone, registry, askId } = await asked({ expiresIn: 20 * minute });
  for (let i = 0; i < 700; i += 1) void says(phone, 'hi', { conversationId: `c${i}` });
  await settle();
  await advance(20 * minute + leaseAndSweep);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'expired' });
});

test('recoverPending() of a process without agents expires such asks', async () => {
  const { advance, registry, askId } = await asked();
  await advance(60 * minute);
  expect(await registry.recoverPending(30 * minute)).toEqual({ expired: 1, recovered: 0 });
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'expired' });
});

test('what a registry with agents asked is left to agents: none of their messages is ignored by a process that only records', async () => {
  const { replica, says, advance } = world();
  const told: string[] = [];
  const support = () => agent('support').onMessage(({ message }) => void told.push(message));
  const worker = await replica({ agents: [support()], channels: [new TestChannel()] });
  await worker.ask(number('How many?'), there);
  await worker.stop();
  const phone = new TestChannel();
  await replica({ channels: [phone] });
  await says(phone, '/help', anna);
  await advance(minute);
  await replica({ agents: [support()] });
  await advance(leaseAndSweep);
  expect(told).toEqual(['/help']);
});

/** A registry without agents, and what it warns of. */
async function agentless() {
  const scene = world();
  const warned: unknown[] = [];
  const note = (): void => {};
  const logger = { debug: note, info: note, warn: (...said: unknown[]) => void warned.push(said), error: note };
  const registry = await scene.replica({ logger });
  const hands = (id: string, options = {}) =>
    registry.handle({ id, conversationId: 'web', text: 'refund', participant: { id: 'web:ann' } }, options);
  return { ...scene, registry, warned, hands };
}

test('handle() where agents were forgotten: one warning says that no process began to work on the message', async () => {
  const { advance, warned, hands } = await agentless();
  const handled = Promise.all([hands('1'), hands('2')]);
  await advance(minute);
  expect((await handled).map(({ disposition }) => disposition.type)).toEqual(['received', 'received']);
  expect(warned).toEqual([[expect.stringContaining('the option agents'), { conversationId: 'web', waited: 60_000 }]]);
});

test('handle() in a process without agents is not warned of a caller that waits only briefly, or of a turn that takes long elsewhere', async () => {
  const { advance, replica, warned, hands } = await agentless();
  const brief = hands('1', { timeout: 1 });
  await advance(2);
  expect((await brief).disposition).toEqual({ type: 'received' });
  const work = gate();
  await replica({ agents: [agent('shop').onMessage(() => work.passed)] });
  const slow = hands('2');
  await advance(minute);
  expect((await slow).disposition).toEqual({ type: 'received' });
  expect(warned).toEqual([]);
  work.open();
  await settle();
});
