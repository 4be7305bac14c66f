/** A process that stands still in its turn and wakes after somebody took over: what it still wants to write is refused. */
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../../src/core/settings.js';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica } from '../../support/replica/replica.js';
import { fresh, never, safe, soon } from '../../support/replica/world.js';

const question = 'What is your order number?';
const refunded = 'Refunded 12345.';

const { server, world } = await redisAndWorld();

const replica = (prefix: string, settings: Partial<Settings> = soon) =>
  Replica.here({ world, redis: server.url, settings, prefix });

describe.each(['class', 'declared'])('SIGSTOP, written as: %s', (way) => {
  test('in its continuation: another replica pays and tells; when it wakes, its save is refused', async () => {
    const prefix = fresh('paused');
    const sleeper = await replica(prefix);
    const conversationId = fresh(way);
    await sleeper.says(conversationId, 'refund');
    const { askId } = await world.hears(conversationId, question);
    await sleeper.call('idle');
    world.keep('pay');
    await sleeper.says(conversationId, '12345');
    await world.next('pay', conversationId);
    sleeper.process.kill('SIGSTOP');

    const other = await replica(prefix, safe);
    const told = await world.hears(conversationId, refunded);
    expect(told.by).toBe(other.name);
    world.release();
    sleeper.process.kill('SIGCONT');
    expect((await sleeper.event('fenced')).about).toMatchObject({ conversationId });

    await Promise.all([sleeper.call('idle'), other.call('idle')]);
    expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 2, keys: [askId] });
    expect(await world.heard(conversationId)).toEqual([question, refunded]);
    const items = await sleeper.history(conversationId);
    expect(items.filter((item) => item.type === 'decision')).toHaveLength(1);
    expect(items.filter((item) => item.type === 'in')).toHaveLength(2);

    // and it is a good replica again
    await sleeper.says(conversationId, 'thank you!');
    await world.hears(conversationId, 'I can refund an order.');
  });

  test('before it asked: another replica asks; when it wakes, it neither asks again nor says anything', async () => {
    const prefix = fresh('paused');
    const sleeper = await replica(prefix);
    const conversationId = fresh(way);
    world.keep('note');
    await sleeper.says(conversationId, 'refund slowly');
    await world.next('note', conversationId);
    sleeper.process.kill('SIGSTOP');

    const other = await replica(prefix, safe);
    const { askId, by } = await world.hears(conversationId, question);
    expect(by).toBe(other.name);
    world.release();
    sleeper.process.kill('SIGCONT');
    await sleeper.event('fenced');

    await Promise.all([sleeper.call('idle'), other.call('idle')]);
    expect(await world.heard(conversationId)).toEqual([question]);
    const { asks } = await sleeper.call<{ asks: { id: string }[] }>('listAsks', { conversationId });
    expect(asks.map((ask) => ask.id)).toEqual([askId]);
  });
});

test('everything is flushed while a turn runs: it writes nothing into the empty Redis and says nothing', async () => {
  const zombie = await Replica.here({ world, redis: server.url, settings: never });
  const client = new Redis(server.url);
  onTestFinished(() => client.disconnect());
  const conversationId = fresh('class');
  await zombie.says(conversationId, 'refund');
  await world.hears(conversationId, question);
  await zombie.call('idle');
  world.keep('pay');
  await zombie.says(conversationId, '12345');
  await world.next('pay', conversationId);
  await client.flushall();
  world.release();
  expect((await zombie.event('fenced')).about).toMatchObject({ conversationId });
  await zombie.call('idle');
  expect(await client.keys('*')).toEqual([]);
  expect(await world.heard(conversationId)).toEqual([question]);
});
