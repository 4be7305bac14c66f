/** Code that waits for answers, with several processes on one Redis. */
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Caller, callerOf, type NodeProcess, patience, spawnNode } from '../support/processes.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { fresh, soon } from '../support/replica/world.js';

const child = fileURLToPath(new URL('waiting.mjs', import.meta.url));

let redis: RedisServer;
let control: Redis;
beforeAll(async () => {
  redis = await startRedis();
  control = new Redis(redis.url);
});
afterAll(async () => {
  control.disconnect();
  await redis.stop();
});

interface Shown {
  readonly shown?: string;
  readonly conversationId?: string;
  readonly askId?: string;
}

class Process {
  readonly process: NodeProcess;
  readonly call: Caller;

  private constructor(process: NodeProcess) {
    this.process = process;
    this.call = callerOf(process);
  }

  static async begin(more: { readonly works?: boolean; readonly quiet?: boolean } = {}): Promise<Process> {
    const config = { redis: redis.url, name: fresh('waiter'), settings: soon, ...more };
    const begun = new Process(spawnNode(child, [JSON.stringify(config)]));
    onTestFinished(() => void begun.kill());
    await begun.process.next((message) => message['ready'] === true);
    return begun;
  }

  says(conversationId: string, text: string): Promise<unknown> {
    return this.call('says', { id: fresh('m'), conversationId, text, address: conversationId });
  }

  async shows(conversationId: string): Promise<Shown> {
    return this.process.next<Shown>(
      (message) => message.conversationId === conversationId && message.shown !== undefined,
    );
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.process.exited;
  }
}

test('a waiter in one process is woken by the answer that another process reads', async () => {
  const [waiter, worker] = await Promise.all([Process.begin(), Process.begin({ works: true })]);
  const to = fresh('anna');
  const outcome = waiter.call('askAndWait', to);
  await Promise.race([waiter.shows(to), worker.shows(to)]);
  await worker.says(to, '7');
  expect(await outcome).toMatchObject({ status: 'answered', value: 7 });
});

test('killed while it waits: the ask stays, and wait() in another process gets the answer', async () => {
  const [first, second] = await Promise.all([Process.begin(), Process.begin()]);
  const to = fresh('anna');
  first.call('askAndWait', to, { keep: true }).catch(() => undefined);
  const { askId } = await first.shows(to);
  await first.kill();
  const value = second.call('wait', askId);
  await second.says(to, '5');
  expect(await value).toBe(5);
});

test('a turn that waits is killed: another replica runs it again, asks nothing twice, and books once', async () => {
  const [a, b] = await Promise.all([Process.begin({ works: true }), Process.begin({ works: true })]);
  const room = fresh('room');
  await a.says(room, 'book');
  const began = async (replica: Process) => {
    const { began: attempt } = await replica.process.next<{ began?: number }>(
      (each) => each.began !== undefined,
      patience,
    );
    return { replica, attempt };
  };
  const turns = [began(a), began(b)];
  const { replica: holder } = await Promise.any(turns);
  const other = holder === a ? b : a;
  const shown = [a.shows(room), b.shows(room)];
  await Promise.any(shown);
  await holder.kill();
  expect(await turns[other === a ? 0 : 1]).toEqual({ replica: other, attempt: 2 }); // again, and no second question
  await other.says(room, '4');
  expect(await shown[other === a ? 0 : 1]).toMatchObject({ shown: 'Booked 4.' });
});

test('an answer that reaches the other replica is taken out of line by the waiting turn', async () => {
  const [a, b] = await Promise.all([Process.begin({ works: true }), Process.begin({ works: true })]);
  const room = fresh('room');
  await a.says(room, 'book');
  const question = await Promise.any([a.shows(room), b.shows(room)]);
  expect(question).toMatchObject({ shown: 'How many seats?' });
  await b.says(room, '4'); // whichever holds it, one of the two ways is between processes
  expect(await Promise.any([a.shows(room), b.shows(room)])).toMatchObject({ shown: 'Booked 4.' });
});

test('10 000 waiters cost no connection of their own, all are settled, and none is lost when Redis drops them', async () => {
  const count = 10_000;
  const waiter = await Process.begin({ quiet: true });
  const answering = await Process.begin({ quiet: true, works: true });
  const connections = async () => Number(/connected_clients:(\d+)/.exec(await control.info('clients'))?.[1]);
  const [before, empty] = [await connections(), await waiter.call<number>('memory')];
  await waiter.call('begin', count);
  const open = async () => Number(await opened());
  await expect.poll(open, { timeout: patience, interval: 200 }).toBe(count);
  expect(await connections()).toBeLessThanOrEqual(before);
  expect(((await waiter.call<number>('memory')) - empty) / count).toBeLessThan(6_000); // bytes a waiter
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
