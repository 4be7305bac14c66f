/** The Redis store keeps the store contract by ioredis 6 as it does by ioredis 5. */
import { Redis } from 'ioredis6';
import { afterAll, test } from 'vitest';
import { storeContract } from '../../../src/testing/store-contract/index.js';
import { redisForFile } from '../../support/for-file.js';
import { pass, storeOn } from '../../support/redis-store.js';

const { server } = await redisForFile();
const client = new Redis(server.url);
afterAll(() => client.disconnect());

storeContract({ test, open: async () => ({ store: storeOn(client), pass }) });
