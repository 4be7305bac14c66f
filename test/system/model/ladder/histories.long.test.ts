/** Many random histories of questions in several places, on every store: what comes of them is what the reference model says. */
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startRedis } from '../../../support/redis-server.js';
import { seed } from '../../../support/seed.js';
import { inFile, inMemory, onRedis } from '../grounds.js';
import { factor } from '../playing.js';
import { firstWrongLadder } from './playing.js';

const timeout = 600_000 * factor;

test('any places and steps in memory come to what the model says', { timeout }, async () => {
  expect(await firstWrongLadder(inMemory, 60, { seed })).toBeUndefined();
});

test('any places and steps in a file come to what the model says', { timeout }, async () => {
  expect(await firstWrongLadder(inFile, 20, { seed })).toBeUndefined();
});

test('any places and steps on Redis come to what the model says', { timeout }, async () => {
  const server = await startRedis();
  const client = new Redis(server.url);
  try {
    // side by side, because most of the time everybody waits for Redis's time to pass
    const lanes = [1, 2, 3, 4].map((n) => firstWrongLadder(() => onRedis(client), 3, { seed: seed + n }));
    for (const found of await Promise.all(lanes)) expect(found).toBeUndefined();
  } finally {
    client.disconnect();
    await server.stop();
  }
});
