/** Redis misbehaves while many people talk: some are told "not now", and everything that was acknowledged comes to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { soon } from '../../support/replica/world.js';
import { crowd, type Mischief } from './people.js';
import { redisStage } from './redis-stage.js';

const { admin, begun, proxied } = await redisStage();

/** Does something again and again until the people are done. */
const every =
  (ms: number, work: () => Promise<unknown>): Mischief =>
  async (done) => {
    for (; !done(); await sleep(ms)) await work();
  };

describe('under load', () => {
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
    const run = await begun(2, { commandTimeout: 1_000 });
    const pauseTwice = async () => {
      await admin.client('PAUSE', 2 * soon.lease, 'ALL');
      await sleep(300);
      await admin.client('PAUSE', 2 * soon.lease, 'ALL'); // waits for the end of the first, like everybody
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
        await sleep(1.5 * soon.lease);
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

  test('out of memory again and again: nothing acknowledged is lost', async () => {
    const run = await begun();
    const full = () => admin.config('SET', 'maxmemory', '1mb');
    const enough = () => admin.config('SET', 'maxmemory', '0');
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
