/**
 * Servers for all tests of one file: awaited at the top of the file, stopped after its last test.
 */
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { startRedis } from './redis-server.js';
import { World } from './replica/world.js';

/** A Redis server with a client of its own. */
export async function redisForFile() {
  const server = await startRedis();
  const client = new Redis(server.url);
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });
  return { server, client };
}

/** A Redis server, and the world that replicas talk to. */
export async function redisAndWorld() {
  const [server, world] = await Promise.all([startRedis(), World.begin()]);
  afterAll(async () => {
    await Promise.all([server.stop(), world.end()]);
  });
  return { server, world };
}
