/** Redis misbehaves: people may be told "not now", and everything that was acknowledged comes to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fresh } from '../../support/replica/world.js';
import { answers, asks, crowd, question, refund } from './people.js';
import { redisStage } from './redis-stage.js';

const { world, admin, begun, proxied } = await redisStage();

test('nothing comes back on a connection any more, for good: a new one is made, and people are served', async () => {
  const { proxy, run } = await proxied(1);
  await refund(run);
  const before = proxy.accepted;
  proxy.stall(); // the connections there are; a new one would be well
  const said = run.says(fresh('class'), 'refund');
  await expect(said.then(() => 'acknowledged')).resolves.toBe('acknowledged');
  expect(proxy.accepted).toBeGreaterThan(before);
  proxy.heal();
  await run.check({ accepted: 1 });
});

test('Redis is away: a sender is told "not now" in time, never "received"', async () => {
  const { proxy, run } = await proxied();
  const { conversationId } = await asks(run);
  proxy.down();
  const start = performance.now();
  await expect(run.says(conversationId, '12345', { patience: 0, id: 'm1' })).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  expect(performance.now() - start).toBeLessThan(20_000);
  proxy.heal();
  await run.says(conversationId, '12345', { id: 'm1' });
  await world.hears(conversationId, 'Refunded 12345.');
  await run.check({ accepted: 1 });
});

test('Redis is away for a moment: an answer by id, and a question about it, wait for it as a message does', async () => {
  const { proxy, run } = await proxied(1);
  const { askId } = await asks(run);
  const [replica] = run.replicas;
  await replica?.call('idle');
  const away = async (call: string, ...args: unknown[]) => {
    const before = proxy.accepted;
    proxy.down();
    await expect.poll(() => proxy.accepted - before).toBeGreaterThan(1); // both its connections know
    const result = replica?.call(call, ...args).catch((error: unknown) => error);
    await sleep(300);
    proxy.heal();
    return result;
  };
  const by = { id: 'phone:user' };
  expect(await away('answer', askId, { text: '12345' }, { by })).toMatchObject({ type: 'accepted' });
  expect(await away('getAsk', askId)).toMatchObject({ status: 'answered' });
  await run.check({ accepted: 1 });
});

describe('out of memory, with noeviction', () => {
  const full = () => admin.config('SET', 'maxmemory', '1mb');
  const enough = () => admin.config('SET', 'maxmemory', '0');

  test('a new conversation is told "not now", a running turn saves, and replies are taken as ever', async () => {
    const run = await begun();
    onTestFinished(() => void enough());
    const { conversationId, askId } = await asks(run);
    const later = await asks(run, 'declared');
    world.keep('pay');
    await run.says(conversationId, '12345');
    await world.next('pay', conversationId);
    await full();

    const isNew = fresh('declared');
    await expect(run.says(isNew, 'refund', { id: 'm1', patience: 0 })).rejects.toMatchObject({ code: 'store-full' });
    await run.says(later.conversationId, '54321');
    await world.hears(later.conversationId, 'Refunded 54321.');
    world.release();
    await world.hears(conversationId, 'Refunded 12345.'); // saved, sent
    expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
    await Promise.all(run.replicas.map((replica) => replica.call('sweep').catch(() => {})));

    await enough();
    await run.says(isNew, 'refund', { id: 'm1' });
    await world.hears(isNew, question);
    await run.check({ accepted: 2 });
  });
});

test('FLUSHALL in the middle: zombies are refused, nobody crashes, and new conversations are as good as ever', async () => {
  const run = await begun();
  const talks = await Promise.all(Array.from({ length: 6 }, () => asks(run)));
  for (const { conversationId } of talks) {
    world.keep('pay');
    await run.says(conversationId, '12345');
    await world.next('pay', conversationId);
  }
  await admin.flushall();
  world.release();
  const ids = new Set(talks.map(({ conversationId }) => conversationId));
  const fenced = () => run.events().filter((event) => event.what === 'event' && event.event === 'fenced').length;
  await expect.poll(fenced).toBe(ids.size);
  await Promise.all(run.replicas.map((replica) => replica.call('idle')));
  expect(await admin.keys(`${run.prefix}:*`)).toEqual([]);

  await crowd(run, 10);
  const { conversationId } = talks[0] as { conversationId: string };
  await run.says(conversationId, 'refund'); // a new life under an old name
  await world.hears(conversationId, question);
  await answers(run, conversationId);
  const { events } = await run.check({ accepted: 11, lost: (id) => ids.has(id) });
  expect(events.filter((event) => event.what === 'crash')).toEqual([]);
});
