/** The Redis store keeps the store contract on a real server, and Redis is in order after every step. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { storeContract } from '../../src/testing/store-contract/index.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { freshPrefix, pass, storeOn, watched } from './redis-kit.js';

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

describe('Redis, looked into after every step', () => {
  storeContract({
    test,
    open: async () => {
      const prefix = freshPrefix();
      const store = storeOn(client, { prefix });
      return { store: watched(store, client, prefix), pass, close: () => store.close() };
    },
  });
});
