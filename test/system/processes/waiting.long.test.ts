/** Very many waiters of one process on one Redis. */
import { expect, test } from 'vitest';
import { redisForFile } from '../../support/for-file.js';
import { patience } from '../../support/processes.js';
import { WaitingProcess } from './waiting-process.js';

const { server, client: control } = await redisForFile();

test('10 000 waiters cost no connection of their own, all are settled, and none is lost when Redis drops them', async () => {
  const count = 10_000;
  const waiter = await WaitingProcess.begin(server, { quiet: true });
  const answering = await WaitingProcess.begin(server, { quiet: true, works: true });
  const connections = async () => Number(/connected_clients:(\d+)/.exec(await control.info('clients'))?.[1]);
  const [before, empty] = [await connections(), await waiter.call<number>('memory')];
  await waiter.call('begin', count);
  const open = async () => Number(await opened());
  await expect.poll(open, { timeout: patience, interval: 200 }).toBe(count);
  expect(await connections()).toBeLessThanOrEqual(before);
  expect(((await waiter.call<number>('memory')) - empty) / count).toBeLessThan(6_000); // bytes a waiter, with the ask that it opened
  await control.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await control.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  for (let i = 0; i < count; i += 500) {
    const some = Array.from({ length: 500 }, (_, k) => answering.says(`c${i + k}`, String(i + k)));
    const again = await Promise.allSettled(some);
    for (const [k, result] of again.entries()) {
      if (result.status === 'rejected') await answering.says(`c${i + k}`, String(i + k)); // "not now": sent again
    }
  }
  const outcomes = await waiter.call<number[]>('settled');
  expect(outcomes).toEqual(Array.from({ length: count }, (_, i) => i));
  const left = async () => (await waiter.call<number>('memory')) - empty;
  await expect.poll(left, { timeout: patience, interval: 500 }).toBeLessThan(20_000_000); // only the bounded caches are left of them
}, 240_000);

/** How many asks stand open in this Redis, by its own indexes. */
async function opened(): Promise<number> {
  const keys = await control.keys('*:open*');
  const sizes = await Promise.all(keys.map((key) => control.zcard(key)));
  return sizes.reduce((sum, size) => sum + size, 0);
}
