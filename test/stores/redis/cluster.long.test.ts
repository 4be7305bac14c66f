/** The Redis store keeps the store contract on a Cluster of three masters. */
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeContract } from '../../../src/testing/store-contract/index.js';
import { type RedisCluster, startCluster } from '../../support/redis-server.js';
import { pass, storeOn } from '../../support/redis-store.js';

let cluster: RedisCluster;
let client: Cluster;
beforeAll(async () => {
  cluster = await startCluster(3);
  client = new Cluster(cluster.ports.map((port) => ({ host: '127.0.0.1', port })));
});
afterAll(async () => {
  client.disconnect();
  await cluster.stop();
});

storeContract({ test, open: async () => ({ store: storeOn(client), pass }) });

test('the user keeps the Cluster client after close', async () => {
  const store = storeOn(client);
  await store.open();
  await store.close();
  expect(await client.set('mine', 'still')).toBe('OK');
});
