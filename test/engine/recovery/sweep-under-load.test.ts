/** However much comes in, deadlines are met and interrupted work is recovered: the sweep has a turn slot of its own. */
import { expect, test } from 'vitest';
import type { AgentRegistry } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { gate, heard, leaseAndSweep, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const turns = 3;

/** A process whose turn slots are all taken, for good: each by a turn that does not end. */
async function busy() {
  const it = world();
  const phone = new TestChannel();
  const work = gate();
  const closed: string[] = [];
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: () => undefined,
    onClosed: (pending, why) => void closed.push(`${pending.conversationId} ${why}`),
  });
  support.onMessage(async ({ message, ask }) => {
    if (message === 'ask') return ask(order, { expiresIn: 20_000 });
    if (message === 'long') await work.passed;
    return `did ${message}`;
  });
  const registry: AgentRegistry = await it.replica({
    agents: [support],
    channels: [phone],
    settings: { turns, turnLimit: 600_000 },
  });
  const fill = async () => {
    for (let i = 0; i < turns; i += 1) await it.says(phone, 'long', { conversationId: `long ${i}` });
  };
  return { ...it, phone, work, closed, registry, fill };
}

test('asks expire while every turn slot is taken by other conversations', async () => {
  const { says, phone, fill, advance, closed, registry } = await busy();
  const asked = Array.from({ length: 5 }, (_, i) => `asked ${i}`);
  for (const conversationId of asked) await says(phone, 'ask', { conversationId });
  await fill();
  const expired = heard(registry, 'expired');
  await advance(20_000 + leaseAndSweep);
  expect(expired).toHaveLength(asked.length);
  expect(closed.toSorted()).toEqual(asked.map((id) => `${id} expired`));
});

test('work that a dead process left is taken over while every turn slot is taken', async () => {
  const { store, says, phone, fill, advance, replica } = await busy();
  // a process that records, claims, and is never heard of again
  const dead = new TestChannel();
  const doomed = await replica({
    agents: [agent('support').onMessage(() => new Promise<never>(() => {}))],
    channels: [dead],
    store: storeWith(store, { renew: () => new Promise<never>(() => {}), save: () => new Promise<never>(() => {}) }),
    settings: { sweep: 3_600_000, turnLimit: 600_000 },
  });
  await says(dead, 'left behind', { conversationId: 'left' });
  await fill();
  await advance(leaseAndSweep);
  await settle();
  expect(phone.texts('left')).toEqual(['did left behind']);
  void doomed;
});

test('the slot of the sweep is one: no more turns run than are allowed and that one', async () => {
  const { says, phone, fill, advance, work } = await busy();
  await fill();
  for (let i = 0; i < 4; i += 1) await says(phone, 'long', { conversationId: `more ${i}` });
  await advance(60_000);
  expect(phone.texts()).toEqual([]);
  work.open();
  await settle();
  await advance(60_000);
  expect(phone.texts()).toHaveLength(turns + 4);
});

test('messages that only wait for a slot stay out of the slot of the sweep: asks expire however many hang', async () => {
  const { says, phone, fill, advance, registry } = await busy();
  await says(phone, 'ask', { conversationId: 'asked' });
  await fill();
  for (let i = 0; i < 5; i += 1) await says(phone, 'long', { conversationId: `waiting ${i}` });
  const expired = heard(registry, 'expired');
  await advance(20_000 + leaseAndSweep);
  expect(expired).toHaveLength(1);
});
