/**
 * A Redis server that a test troubles while replicas work on it, directly or through a proxy. For all tests of a file.
 */
import { Redis } from 'ioredis';
import { afterAll, onTestFinished } from 'vitest';
import { FaultProxy } from '../../support/fault-proxy.js';
import { redisAndWorld } from '../../support/for-file.js';
import { Run } from './run.js';

export async function redisStage() {
  const { server, world } = await redisAndWorld();
  const admin = new Redis(server.url);
  afterAll(() => admin.disconnect());

  const begun = async (replicas = 2, config: Parameters<typeof Run.here>[2] = {}) => {
    const run = await Run.here(world, server.url, config);
    await run.alive(replicas);
    return run;
  };
  const proxied = async (replicas = 2) => {
    const proxy = await FaultProxy.begin(server.port);
    onTestFinished(() => proxy.close());
    const run = await begun(replicas, { redis: proxy.url, commandTimeout: 1_000 });
    return { proxy, run };
  };
  return { server, world, admin, begun, proxied };
}
