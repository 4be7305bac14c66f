/** The tables of a Redis server are given room before a measurement: looked at with DEBUG HTSTATS. */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Server, Stage } from '../../../bench/stage.js';

let stage: Stage;
let server: Server;
let redis: Redis;
beforeEach(async () => {
  stage = new Stage();
  server = await stage.server();
  redis = new Redis(server.url);
});
afterEach(async () => {
  redis.disconnect();
  await stage.close();
});

const mortal = ['PX', 3_600_000] as const;

async function add(name: string, many: number, ...ttl: readonly (string | number)[]): Promise<void> {
  await redis.pipeline(Array.from({ length: many }, (_, i) => ['set', `${name}:${i}`, '', ...ttl])).exec();
}

/** The sizes of the tables of keys and of times to live; two for one that is being moved. */
async function tables(): Promise<{ keys: number[]; expires: number[] }> {
  const stats = String(await redis.call('DEBUG', 'HTSTATS', 0));
  const [keys, expires] = stats
    .split('[Expires HT]')
    .map((part) => [...part.matchAll(/table size: (\d+)/g)].map((found) => Number(found[1])));
  return { keys: keys ?? [], expires: expires ?? [] };
}

test('what would double soon is doubled, and then the next keys move no table', async () => {
  await add('old', 3_000, ...mortal);
  await server.enlarge(3_000);
  expect(await server.entries()).toEqual({ keys: 3_000, expires: 3_000 });
  expect(await tables()).toEqual({ keys: [8_192], expires: [8_192] });
  await add('new', 3_000, ...mortal);
  expect(await tables()).toEqual({ keys: [8_192], expires: [8_192] });
});

test('each table has its own count', async () => {
  await add('plain', 3_000);
  await add('mortal', 600, ...mortal);
  await server.enlarge(500);
  expect(await server.entries()).toEqual({ keys: 3_600, expires: 600 });
  expect(await tables()).toEqual({ keys: [8_192], expires: [2_048] });
});

test('what has been doubled is left alone the next time', async () => {
  await add('old', 3_000, ...mortal);
  await server.enlarge(3_000);
  await redis.config('RESETSTAT');
  await server.enlarge(3_000);
  expect(await redis.info('commandstats')).not.toMatch(/cmdstat_(set|unlink):/);
});

test('where there is room, and where nothing has a time to live, nothing changes', async () => {
  await add('plain', 3_000);
  await server.enlarge(1_096);
  expect(await tables()).toEqual({ keys: [4_096], expires: [] });
});

test('no table is made so large that Redis would make it smaller again', async () => {
  await add('old', 1_000, ...mortal);
  await server.enlarge(100_000);
  expect(await tables()).toEqual({ keys: [4_096], expires: [4_096] }); // a quarter full; below a tenth they would shrink
});

test('a table that is being moved is moved to the end', async () => {
  await redis.config('SET', 'activerehashing', 'no');
  await add('old', 4_097, ...mortal);
  expect(await tables()).toEqual({ keys: [4_096, 8_192], expires: [4_096, 8_192] });
  await redis.config('SET', 'activerehashing', 'yes');
  await server.enlarge(1);
  expect(await tables()).toEqual({ keys: [8_192], expires: [8_192] });
});
