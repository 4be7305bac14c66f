/** Deploys and restarts: SIGTERM in a turn, asks that outlive every process, and recovery beside a replica at work. */
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import type { PendingAsk } from '../../../src/index.js';
import { Keys } from '../../../src/stores/redis/keys.js';
import { decodeValue } from '../../../src/stores/redis/plan.js';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica, type ReplicaConfig } from '../../support/replica/replica.js';
import { fresh, never, safe, soon } from '../../support/replica/world.js';

const question = 'What is your order number?';
const refunded = 'Refunded 12345.';

const { server, world } = await redisAndWorld();

const replica = (prefix: string, settings: ReplicaConfig['settings'] = soon) =>
  Replica.here({ world, redis: server.url, settings, prefix });

/** A turn whose continuation has called the ledger, which does not answer. */
async function inContinuation(at: Replica): Promise<{ conversationId: string; askId: string }> {
  const conversationId = fresh('class');
  await at.says(conversationId, 'refund');
  const { askId = '' } = await world.hears(conversationId, question);
  await at.call('idle');
  world.keep('pay');
  await at.says(conversationId, '12345');
  await world.next('pay', conversationId);
  return { conversationId, askId };
}

test('SIGTERM in a turn that ends within the grace time: it is finished and told, and run by nobody else', async () => {
  const prefix = fresh('graceful');
  const [stopping, other] = await Promise.all([replica(prefix, safe), replica(prefix, safe)]);
  const { conversationId, askId } = await inContinuation(stopping);
  const client = new Redis(server.url);
  onTestFinished(() => client.disconnect());
  const key = new Keys(prefix).conversation(conversationId);
  const leasedUntil = async () => decodeValue((await client.get(key)) ?? '').leasedUntil;
  stopping.process.kill('SIGTERM');
  // it must go on renewing while it stops: again and again the lease ends later
  const ends = new Set<number>();
  await expect.poll(async () => ends.add(await leasedUntil()).size).toBeGreaterThan(5);
  expect(await other.call('sweep')).toMatchObject({ taken: 0 });
  world.release();
  expect(await stopping.process.exited).toEqual({ code: 0, signal: null });
  const told = await world.hears(conversationId, refunded);
  expect(told.by).toBe(stopping.name);
  expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
});

test('three deploys in one turn that does not end in time: handed back each time, no strike counted', async () => {
  const prefix = fresh('impatient');
  const settings = { ...never, lease: 30_000, renewal: 10_000, maxAttempts: 1, grace: 100 };
  const first = await replica(prefix, settings);
  const { conversationId, askId } = await inContinuation(first);
  let at = first;
  for (let deploys = 0; deploys < 3; deploys += 1) {
    const next = await replica(prefix, settings);
    world.keep('pay');
    at.process.kill('SIGTERM');
    expect((await at.event('handedBack')).about).toMatchObject({ conversationId, why: 'stopped' });
    const { attempt, by } = await world.next('pay', conversationId); // by a hint: the lease is long, and nobody sweeps
    expect({ attempt, by }).toEqual({ attempt: deploys + 2, by: next.name });
    expect(await at.process.exited).toEqual({ code: 0, signal: null });
    at = next;
  }
  world.release();
  await world.hears(conversationId, refunded);
  expect(await at.call('parked')).toEqual([]);
  expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 4, keys: [askId] });
});

test('a pending ask outlives every process: it is found, answered and continued after a restart', async () => {
  const prefix = fresh('restart');
  const asker = await replica(prefix);
  const conversationId = fresh('declared');
  await asker.says(conversationId, 'refund');
  const { askId } = await world.hears(conversationId, question);
  expect(await asker.end('SIGTERM')).toEqual({ code: 0, signal: null });

  const later = await replica(prefix);
  const { asks } = await later.call<{ asks: PendingAsk[] }>('listAsks', { conversationId });
  expect(asks).toMatchObject([{ id: askId, status: 'pending', retries: 0 }]);
  await later.says(conversationId, '?');
  await world.next('deliver', conversationId);
  expect(await later.end('SIGTERM')).toEqual({ code: 0, signal: null });

  const last = await replica(prefix);
  expect(await last.call('getAsk', askId)).toMatchObject({ status: 'pending', retries: 1 });
  await last.says(conversationId, '12345');
  await world.hears(conversationId, refunded);
  expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
});

test('recovery tells what it expired and what it left, twice the same, and disturbs no replica at work', async () => {
  const prefix = fresh('recovery');
  const [working, other] = await Promise.all([replica(prefix, safe), replica(prefix, safe)]);
  const { conversationId, askId } = await inContinuation(working);
  const waiting = fresh('class');
  await other.says(waiting, 'refund');
  await world.hears(waiting, question);

  const hour = 3_600_000;
  for (const _ of ['once', 'twice'])
    expect(await other.call('recoverPending', hour)).toEqual({ expired: 0, recovered: 1 });
  expect(await other.call('recoverPending', 0)).toEqual({ expired: 1, recovered: 0 });
  expect(await other.call('recoverPending', 0)).toEqual({ expired: 0, recovered: 0 });
  expect(await other.call('sweep')).toMatchObject({ taken: 0 });

  world.release();
  expect((await world.hears(conversationId, refunded)).by).toBe(working.name);
  expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
});
