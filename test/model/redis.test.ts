/** Random histories on a real Redis, in its own time: what comes of them is what the reference model says. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkKeys, freshPrefix, storeOn } from '../stores/redis-kit.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { type Ground, running } from './grounds.js';
import { kept } from './kept.js';
import { factor, firstFailure, firstSeed, missing, played, type Seen } from './playing.js';

let server: RedisServer;
let client: Redis;
beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

function onRedis(): Ground {
  const prefix = freshPrefix();
  return running('redis', {
    store: () => storeOn(client, { prefix }),
    flush: async () => {
      await client.script('FLUSH');
    },
    look: () => checkKeys(client, prefix),
    close: async () => {
      const keys = await client.keys(`${prefix}:*`);
      if (keys.length > 0) await client.del(...keys);
    },
  });
}

test(
  'any history on Redis ends as the model says',
  async () => {
    const seen: Seen = new Map();
    // side by side, because most of the time everybody waits for Redis's time to pass
    const lanes = [1, 2, 3, 4].map((n) =>
      firstFailure({ ground: onRedis, runs: 15, length: 24, seed: firstSeed + n, seen, within: 12_000 }),
    );
    for (const found of await Promise.all(lanes)) expect(found).toBeUndefined();
    expect(missing(seen, ['accepted', 'insufficient', 'ordinary', 'ask answered', 'ask expired'])).toEqual([]);
  },
  60_000 * factor + 60_000,
);

test.concurrent.each(kept)('kept: $name', async ({ history }) => {
  expect(await played(history, onRedis())).toEqual([]);
});
