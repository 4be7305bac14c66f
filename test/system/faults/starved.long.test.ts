/** Others take the processors: replicas run late, leases are renewed late, and nothing may come of it but time. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { PendingAsk } from '../../../src/index.js';
import { redisAndWorld } from '../../support/for-file.js';
import { takeProcessors } from '../../support/processes.js';
import { asks, crowd } from './people.js';
import { Run } from './run.js';

const { server, world } = await redisAndWorld();

/** Far more than there are processors, so that a replica waits for whole slices of time. */
const crowdOfOthers = 6 * availableParallelism();

test('with the processors taken again and again, everybody gets a refund once, in order, and deadlines are met', async () => {
  const run = await Run.here(world, server.url, { settings: { lease: 600, renewal: 200 } });
  const [one] = await run.alive(2);
  let times = 0;
  const expiring = Promise.all([asks(run, 'odd', 'refund within 500'), asks(run, 'odd', 'refund within 1500')]);
  await crowd(run, 20, 6, async (done) => {
    for (; times < 4 && !done(); times += 1) {
      const free = takeProcessors(crowdOfOthers, 20_000);
      onTestFinished(free);
      await sleep(2_500);
      await free();
      await sleep(300);
    }
  });
  expect(times).toBeGreaterThan(0);
  for (const { askId } of await expiring) {
    await expect.poll(async () => (await one?.call<PendingAsk>('getAsk', askId))?.status).toBe('expired');
  }
  await run.check({ accepted: 20 });
});
