/** Redis dies and comes back: on its append-only file, on a part of it, or later than everybody else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { AofRedis } from '../../support/redis-aof.js';
import { startRedis } from '../../support/redis-server.js';
import { checkKeys } from '../../support/redis-store.js';
import { fresh, World } from '../../support/replica/world.js';
import { randomOf, seed } from '../../support/seed.js';
import { silent } from '../../support/store.js';
import { complaints, rules } from './checker.js';
import { answers, asks, crowd, question, refund } from './people.js';
import { Run } from './run.js';

let world: World;
beforeAll(async () => {
  world = await World.begin();
});
afterAll(() => world.end());

async function redis(from?: { dir: string; cut: number }): Promise<AofRedis> {
  const server = await AofRedis.begin(from);
  onTestFinished(() => server.stop());
  return server;
}

test('killed and restarted on its append-only file under load: nothing acknowledged is lost', async () => {
  const server = await redis();
  const run = await Run.here(world, server.url, { commandTimeout: 1_000 });
  await run.alive(2);
  const random = randomOf('deaths');
  let deaths = 0;
  await crowd(run, 20, 6, async (done) => {
    for (; deaths < 3 && !done(); deaths += 1) {
      await sleep(300 + random() * 200); // in the middle of something
      await server.kill();
      await server.restart();
    }
  });
  expect(deaths).toBeGreaterThan(0);
  await run.check({ accepted: 20 });
});

/** The histories of conversations as texts, oldest first. */
async function histories(url: string, prefix: string, ids: readonly string[]) {
  const client = new Redis(url);
  const store = new RedisStore({ client, prefix, logger: silent });
  await store.open();
  await checkKeys(client, prefix);
  const found = await Promise.all(ids.map((id) => store.history(id, { limit: 1_000 })));
  await store.close();
  client.disconnect();
  return found.map(({ items }) => items.map(({ text }) => text));
}

/**
 * What is not asked for after a cut: that the part that is gone is known. So conversations from before may have lost the
 * end of their history, and something may have been paid or sent whose decision is gone; it keeps its key if it is done
 * again. Everything that was acknowledged after the cut is asked for as ever.
 */
async function expectGood(after: Run, old: readonly string[], accepted: number, said: string): Promise<void> {
  const fresh = after.events().flatMap((event) => ('conversationId' in event ? (event.conversationId ?? []) : []));
  const evidence = await after.evidence([...new Set([...old, ...fresh])]);
  expect(complaints(evidence, { accepted, lost: (id) => old.includes(id) }), said).toEqual([]);
  for (const rule of [rules.accountedFor, rules.order, rules.noOldHolder])
    expect(rule(evidence, { accepted }), said).toEqual([]);
}

test('the end of the file is cut at random bytes: what is left is a prefix of whole steps, and goes on', async () => {
  const server = await redis();
  const run = await Run.here(world, server.url);
  const first = await run.replica();
  await crowd(run, 4, 4);
  const open = await Promise.all([asks(run), asks(run, 'declared'), asks(run, 'odd', 'refund within 60000')]);
  const inTurn = await asks(run);
  await first.call('idle');
  world.keep('pay');
  await run.says(inTurn.conversationId, '12345');
  await world.next('pay', inTurn.conversationId);
  const old = [
    ...new Set(run.events().flatMap((event) => ('conversationId' in event ? (event.conversationId ?? []) : []))),
  ];
  const whole = await histories(server.url, run.prefix, old);
  await first.end();
  run.dismiss(first);
  await server.kill();
  world.release();

  const random = randomOf('cuts');
  const limit = (await server.size()) - 200;
  for (let i = 0; i < 5; i += 1) {
    const cut = Math.floor(random() * limit);
    const said = `${cut} bytes cut, ASKBACK_SEED=${seed}`;
    const rest = await redis({ dir: server.dir, cut });
    const left = await histories(rest.url, run.prefix, old);
    for (const [i, items] of left.entries()) expect(items, said).toEqual(whole[i]?.slice(0, items.length));
    const after = await Run.here(world, rest.url, { prefix: run.prefix });
    const replica = await after.replica();
    for (const { conversationId } of [...open, inTurn]) await after.says(conversationId, 'hello');
    await refund(after);
    await expectGood(after, old, 1, said);
    await replica.end();
    after.dismiss(replica);
  }
});

test('Redis comes back without the last of what it acknowledged, and the replicas lived on: nobody writes on what is gone', async () => {
  const server = await redis();
  const run = await Run.here(world, server.url, { commandTimeout: 1_000 });
  await run.alive(2);
  const talks = await Promise.all(Array.from({ length: 6 }, () => asks(run)));
  await Promise.all(run.replicas.map((replica) => replica.call('idle')));
  for (const { conversationId } of talks.slice(0, 3)) {
    world.keep('pay');
    await run.says(conversationId, '12345');
    await world.next('pay', conversationId);
  }
  const old = talks.map(({ conversationId }) => conversationId);
  const before = run.events().length;
  const size = await server.size();
  await server.kill();
  await server.restart(Math.floor(size / 3) + (size % 100));
  world.release();
  await crowd(run, 6);
  for (const conversationId of old) await run.says(conversationId, 'hello');
  const evidence = await run.evidence();
  const since = { ...evidence, events: run.events().slice(before) };
  expect(complaints(evidence, { accepted: 6, lost: (id) => old.includes(id) })).toEqual([]);
  expect(rules.accountedFor(since, { accepted: 6 })).toEqual([]);
});

test('Redis is down at the start: start() says so in time and can be called again when Redis is there', async () => {
  const gone = await startRedis();
  const { port, url } = gone;
  await gone.stop();
  const run = await Run.here(world, url, { commandTimeout: 1_000 });
  const replica = await run.replica({ lazy: true });
  for (const _ of ['once', 'twice']) {
    const begun = performance.now();
    await expect(replica.call('start')).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringMatching(/could not be reached.*Check that it runs/) as string,
    });
    expect(performance.now() - begun).toBeLessThan(30_000);
  }
  const server = await startRedis({ port });
  onTestFinished(() => server.stop());
  await replica.call('start');
  Object.assign(replica, { listens: true });
  const conversationId = fresh('class');
  await run.says(conversationId, 'refund');
  await world.hears(conversationId, question);
  await answers(run, conversationId);
  await run.check({ accepted: 1 });
});

test('Redis goes away between the two connections of a start: the second start is a good one, and its end leaves nothing', async () => {
  const server = await startRedis();
  const proxy = await FaultProxy.begin(server.port);
  onTestFinished(async () => {
    await proxy.close();
    await server.stop();
  });
  const run = await Run.here(world, server.url, { redis: proxy.url, commandTimeout: 1_000 });
  const replica = await run.replica({ lazy: true });
  const lost = proxy.once('execute then hold', ([name]) => name?.toLowerCase() === 'subscribe', { hold: 5_000 });
  await expect(replica.call('start')).rejects.toMatchObject({ code: 'store-unavailable' });
  await lost;
  await replica.call('start');
  await replica.call('stop');
  await expect.poll(() => proxy.open).toBe(0);
});

test('Redis does not answer any more when a replica is told to end: it ends all the same', async () => {
  const server = await startRedis();
  const proxy = await FaultProxy.begin(server.port);
  onTestFinished(async () => {
    await proxy.close();
    await server.stop();
  });
  const run = await Run.here(world, server.url, { redis: proxy.url, commandTimeout: 1_000, settings: { grace: 500 } });
  const replica = await run.replica();
  const { conversationId } = await asks(run);
  world.keep('pay');
  await run.says(conversationId, '12345');
  await world.next('pay', conversationId);
  proxy.stall();
  const start = performance.now();
  expect(await replica.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(performance.now() - start).toBeLessThan(30_000);
  run.dismiss(replica);
  world.release();
  proxy.heal();
  await run.replica();
  await world.hears(conversationId, 'Refunded 12345.');
  await run.check({ accepted: 1 });
});
