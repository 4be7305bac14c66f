/** Redis misbehaves under load: people may be told "not now", and everything that was acknowledged comes to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fresh, World } from '../processes/kit.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { answers, asks, crowd, type Mischief, question, refund } from './people.js';
import { Run } from './run.js';

let server: RedisServer;
let world: World;
let admin: Redis;
beforeAll(async () => {
  [server, world] = await Promise.all([startRedis(), World.begin()]);
  admin = new Redis(server.url);
});
afterAll(async () => {
  admin.disconnect();
  await Promise.all([server.stop(), world.end()]);
});

async function begun(replicas = 2, config: Parameters<typeof Run.here>[2] = {}) {
  const run = await Run.here(world, server.url, config);
  await run.alive(replicas);
  return run;
}

async function proxied(replicas = 2) {
  const proxy = await FaultProxy.begin(server.port);
  onTestFinished(() => proxy.close());
  const run = await begun(replicas, { redis: proxy.url, commandTimeout: 500 });
  return { proxy, run };
}

/** Does something again and again until the people are done. */
const every =
  (ms: number, work: () => Promise<unknown>): Mischief =>
  async (done) => {
    for (; !done(); await sleep(ms)) await work();
  };

describe('under load', { timeout: 60_000 }, () => {
  test('SCRIPT FLUSH every 50 ms: nobody notices', async () => {
    const run = await begun();
    await crowd(
      run,
      25,
      6,
      every(50, () => admin.script('FLUSH')),
    );
    expect(run.refusals).toBe(0);
    await run.check({ accepted: 25 });
  });

  test('CLIENT KILL every 200 ms: every message is taken in the end, and nothing happens twice', async () => {
    const run = await begun();
    const kill = async () => {
      await admin.client('KILL', 'TYPE', 'normal');
      await admin.client('KILL', 'TYPE', 'pubsub');
    };
    await crowd(run, 25, 6, every(200, kill));
    const { calls } = await run.check({ accepted: 25 });
    const paid = calls.filter((call) => call.what === 'pay');
    expect(paid.filter((call) => !call.repeat)).toHaveLength(25);
  });

  test('CLIENT PAUSE longer than the lease and the time-out of a command: all go on when it is over', async () => {
    const run = await begun(2, { commandTimeout: 500 });
    const pauseTwice = async () => {
      await admin.client('PAUSE', 1_500, 'ALL');
      await sleep(300);
      await admin.client('PAUSE', 1_500, 'ALL'); // waits for the end of the first, like everybody
    };
    await crowd(run, 20, 6, pauseTwice);
    await run.check({ accepted: 20 });
  });

  test('a slow Redis, 80 ms for each reply: slow people, and nothing else', async () => {
    const { proxy, run } = await proxied();
    proxy.delay(80);
    await crowd(run, 10, 10);
    expect(run.refusals).toBe(0);
    proxy.heal();
    await run.check({ accepted: 10 });
  });

  const stalling =
    (proxy: FaultProxy, stalls: { count: number }): Mischief =>
    async (done) => {
      for (; !done(); stalls.count += 1) {
        proxy.stall();
        await sleep(900);
        proxy.heal();
        await sleep(400);
      }
    };

  test('replies stall for longer than the lease, again and again: all go on when they come again', async () => {
    const { proxy, run } = await proxied();
    const stalls = { count: 0 };
    await crowd(run, 15, 6, stalling(proxy, stalls));
    expect(stalls.count).toBeGreaterThan(0);
    await run.check({ accepted: 15 });
  });

  test('the same where a repeat is worse than a stop: the ledger, which may ignore keys, is never called twice', async () => {
    const { proxy, run } = await proxied();
    const ways = [{ how: 'class-park', nonsense: 0, stranger: false }];
    await crowd(run, 12, 6, stalling(proxy, { count: 0 }), ways);
    const { calls } = await run.check({ accepted: 1 });
    const paid = calls.filter((call) => call.what === 'pay').map((call) => call.key);
    expect(paid).toHaveLength(new Set(paid).size);
  });

  test('connections are cut at any moment', async () => {
    const { proxy, run } = await proxied();
    await crowd(
      run,
      15,
      6,
      every(150, async () => proxy.cut()),
    );
    await run.check({ accepted: 15 });
  });
});

test('nothing comes back on a connection any more, for good: a new one is made, and people are served', async () => {
  const { proxy, run } = await proxied(1);
  await refund(run);
  const before = proxy.accepted;
  proxy.stall(); // the connections there are; a new one would be well
  const said = run.says(fresh('class'), 'refund', { patience: 10_000 });
  await expect(said.then(() => 'acknowledged')).resolves.toBe('acknowledged');
  expect(proxy.accepted).toBeGreaterThan(before);
  proxy.heal();
  await run.check({ accepted: 1 });
});

test('Redis is away: a sender is told "not now" within a few seconds, never "received"', async () => {
  const { proxy, run } = await proxied();
  const { conversationId } = await asks(run);
  proxy.down();
  const start = performance.now();
  await expect(run.says(conversationId, '12345', { patience: 0, id: 'm1' })).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  expect(performance.now() - start).toBeLessThan(6_000);
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

  test('ingress says "not now", a running turn saves, and all goes on when there is memory again', async () => {
    const run = await begun();
    onTestFinished(() => void enough());
    const { conversationId, askId } = await asks(run);
    const later = await asks(run, 'declared');
    world.keep('pay');
    await run.says(conversationId, '12345');
    await world.next('pay', conversationId);
    await full();

    await expect(run.says(later.conversationId, '54321', { id: 'm1', patience: 0 })).rejects.toMatchObject({
      code: 'store-full',
    });
    world.release();
    await world.hears(conversationId, 'Refunded 12345.'); // saved, sent
    expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
    await Promise.all(run.replicas.map((replica) => replica.call('sweep').catch(() => {})));

    await enough();
    await run.says(later.conversationId, '54321', { id: 'm1' });
    await world.hears(later.conversationId, 'Refunded 54321.');
    await run.check({ accepted: 2 });
  });

  test('again and again under load: nothing acknowledged is lost', async () => {
    const run = await begun();
    onTestFinished(() => void enough());
    await crowd(run, 20, 6, async (done) => {
      for (; !done(); await sleep(200)) {
        await full();
        await sleep(200);
        await enough();
      }
    });
    expect(run.refusals).toBeGreaterThan(0);
    await run.check({ accepted: 20 });
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
  await expect.poll(fenced, { timeout: 10_000 }).toBe(ids.size);
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
