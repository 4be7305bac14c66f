/** Processes with different parts: one that only records, one that only works, and channels that not everybody has. */
import { expect, test } from 'vitest';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica, type ReplicaConfig } from '../../support/replica/replica.js';
import { fresh, never, soon } from '../../support/replica/world.js';

const question = 'What is your order number?';

const { server, world } = await redisAndWorld();

const replica = (prefix: string, more: Omit<ReplicaConfig, 'world'>) =>
  Replica.here({ world, redis: server.url, prefix, ...more });

test('what a process without agents records is worked on by a worker at once, and goes out where the channel is', async () => {
  const prefix = fresh('roles');
  // nobody sweeps: only a hint brings the message to the worker, and only a hint brings its words back
  const door = await replica(prefix, { settings: never, agents: false });
  const worker = await replica(prefix, { settings: never, channel: false });
  for (const way of ['class', 'declared']) {
    const conversationId = fresh(way);
    for (const [text, answer] of [
      ['refund slowly', question],
      ['12345', 'Refunded 12345.'],
      ['thank you!', 'I can refund an order.'],
    ] as const) {
      await door.says(conversationId, text);
      if (text.endsWith('slowly')) expect((await world.next('note', conversationId)).by).toBe(worker.name);
      expect((await world.hears(conversationId, answer)).by).toBe(door.name);
    }
    expect(await world.ledger(conversationId)).toMatchObject({ payments: 1, calls: 1 });
  }
});

test('a message handed to a process without agents gets its answer back there', async () => {
  const prefix = fresh('roles');
  const door = await replica(prefix, { settings: never, agents: false, channel: false });
  await replica(prefix, { settings: never, channel: false });
  const conversationId = fresh('class');
  const handled = await door.call('handle', { id: 'm1', conversationId, text: 'refund' });
  expect(handled).toMatchObject({ disposition: { type: 'ordinary' }, outputs: [{ text: question }] });
});

test('nobody works yet: the message waits, and the first worker that starts takes it', async () => {
  const prefix = fresh('roles');
  const door = await replica(prefix, { settings: soon, agents: false });
  const conversationId = fresh('class');
  await door.says(conversationId, 'refund slowly');
  expect(await door.call('sweep')).toMatchObject({ taken: 0 });
  const worker = await replica(prefix, { settings: soon, channel: false });
  expect((await world.next('note', conversationId)).by).toBe(worker.name);
  expect((await world.hears(conversationId, question)).by).toBe(door.name);
});

test('a worker without the channel leaves its question to whoever has it, for as long as that takes', async () => {
  const prefix = fresh('roles');
  const settings = { ...soon, sendLease: 20, deliveryBackOff: [1, 1] };
  const door = await replica(prefix, { settings, agents: false });
  const conversationId = fresh('class');
  await door.says(conversationId, 'refund slowly');
  await door.end('SIGKILL');

  const worker = await replica(prefix, { settings, channel: false });
  await world.next('note', conversationId);
  await worker.call('idle');
  // many more looks than deliveries are tried; what it cannot send is no failure of the channel
  for (let looks = 0; looks < 10; looks += 1) expect(await worker.call('sweep')).toMatchObject({ delivered: 0 });
  const { asks } = await worker.call<{ asks: { id: string; status: string }[] }>('listAsks', { conversationId });
  expect(asks).toMatchObject([{ status: 'pending' }]);
  expect(await world.heard(conversationId)).toEqual([]);

  const phone = await replica(prefix, { settings, agents: false });
  expect(await world.hears(conversationId, question)).toMatchObject({ by: phone.name, askId: asks[0]?.id });
  await phone.says(conversationId, '12345');
  await world.hears(conversationId, 'Refunded 12345.');
  expect(await world.ledger(conversationId)).toMatchObject({ payments: 1, calls: 1 });
});
