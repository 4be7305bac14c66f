/** The proxy itself: it loses what it is told to lose, and nothing else. */
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FaultProxy } from '../../support/fault-proxy.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

const incr = ([name]: readonly string[]) => name?.toLowerCase() === 'incr';

/** A client that sends nothing twice, so that what is lost stays lost. */
async function begun(Client: typeof Redis = Redis) {
  const proxy = await FaultProxy.begin(server.port);
  const client = new Client(proxy.url, { maxRetriesPerRequest: 0, retryStrategy: () => 10 });
  client.on('error', () => {});
  const direct = new Redis(server.url);
  onTestFinished(async () => {
    client.disconnect();
    direct.disconnect();
    await proxy.close();
  });
  await direct.flushall();
  await client.ping();
  return { proxy, client, direct };
}

describe.each([
  ['ioredis 5', Redis],
  ['ioredis 6', Redis6 as unknown as typeof Redis],
])('with %s', (_, Client) => {
  test('passes everything, large and small, in order', async () => {
    const { client } = await begun(Client);
    const large = 'ä\\r\\n$3'.repeat(100_000);
    await client.set('k', large);
    expect(await client.get('k')).toBe(large);
    await client.hset('h', { a: '1', b: '' });
    expect(await client.hgetall('h')).toEqual({ a: '1', b: '' });
    const numbers = Array.from({ length: 500 }, (_, i) => i + 1);
    expect(await Promise.all(numbers.map(() => client.incr('n')))).toEqual(numbers);
    expect(await client.get('none')).toBeNull();
    expect(await client.eval("return { 1, 'a', false, { 2 } }", 0)).toEqual([1, 'a', null, [2]]);
    await expect(client.lpush('k', 'x')).rejects.toThrow('WRONGTYPE');
  });

  test('cut before: Redis never hears of it', async () => {
    const { proxy, client, direct } = await begun(Client);
    const done = proxy.once('cut before', incr);
    await expect(client.incr('n')).rejects.toThrow();
    await done;
    expect(await direct.get('n')).toBeNull();
    await expect.poll(() => client.incr('n').catch(() => 0)).toBe(1); // only once
  });

  test('execute then cut: Redis has done it, and nobody was told', async () => {
    const { proxy, client, direct } = await begun(Client);
    const done = proxy.once('execute then cut', incr);
    const [before, lost] = await Promise.allSettled([client.get('n'), client.incr('n')]);
    await done;
    expect(before).toMatchObject({ status: 'fulfilled' }); // what was asked before is answered
    expect(lost).toMatchObject({ status: 'rejected' });
    expect(await direct.get('n')).toBe('1');
  });
});

test('messages of a channel come through, beside commands', async () => {
  const { proxy, direct } = await begun();
  const listener = new Redis(proxy.url);
  onTestFinished(() => listener.disconnect());
  await listener.subscribe('news');
  const heard = new Promise((resolve) => listener.on('message', (_, text) => resolve(text)));
  await direct.publish('news', 'hello');
  expect(await heard).toBe('hello');
});

test('execute then hold: the reply comes late, and those after it wait in line', async () => {
  const { proxy, client, direct } = await begun();
  const done = proxy.once('execute then hold', incr, { hold: 200 });
  const start = performance.now();
  const answers = Promise.all([client.incr('n'), client.get('n')]);
  await done;
  expect(await direct.get('n')).toBe('1');
  expect(await answers).toEqual([1, '1']);
  expect(performance.now() - start).toBeGreaterThan(190);
});

test('stalled: commands still arrive, replies come after healing; delayed: each takes so long', async () => {
  const { proxy, client, direct } = await begun();
  proxy.stall();
  const answer = client.incr('n');
  await expect.poll(() => direct.get('n')).toBe('1');
  expect(await Promise.race([answer, direct.ping()])).toBe('PONG');
  proxy.heal();
  expect(await answer).toBe(1);
  proxy.delay(100);
  const start = performance.now();
  await Promise.all([client.ping(), client.ping()]);
  expect(performance.now() - start).toBeGreaterThan(95);
});

test('down and up again; a fault that never comes about is told, not waited for; closed, it leaves nothing open', async () => {
  const { proxy, client } = await begun();
  proxy.down();
  await expect(client.ping()).rejects.toThrow();
  proxy.heal();
  await expect.poll(() => client.ping().catch(() => '')).toBe('PONG');
  await expect(proxy.once('cut before', incr, { within: 50 })).rejects.toThrow('cut before');
  await proxy.close();
  expect(proxy.open).toBe(0);
});
