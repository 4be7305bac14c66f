/** The Redis store keeps the store contract by ioredis 6 as it does by ioredis 5. */
import { Redis } from 'ioredis6';
import { afterAll, beforeAll, test } from 'vitest';
import { storeContract } from '../../src/testing/store-contract/index.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { pass, storeOn } from './redis-kit.js';

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

storeContract({ test, open: async () => ({ store: storeOn(client), pass }) });
