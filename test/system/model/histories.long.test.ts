/**
 * Many random histories on every ground: what comes of them is what the reference model
 * says, and everything that can become of a message or an ask comes about.
 */
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startRedis } from '../../support/redis-server.js';
import { seed } from '../../support/seed.js';
import { inFile, inMemory, onRedis } from './grounds.js';
import { everything, factor, firstFailure, missing, type Seen } from './playing.js';

const timeout = 600_000 * factor;
const common = ['accepted', 'insufficient', 'ordinary', 'ask answered', 'ask expired'];

test('any history in memory ends as the model says', { timeout }, async () => {
  const seen: Seen = new Map();
  expect(await firstFailure({ ground: inMemory, runs: 120, length: 40, seen })).toBeUndefined();
  expect(missing(seen, everything)).toEqual([]);
});

test('any history in a file ends as the model says', { timeout }, async () => {
  const seen: Seen = new Map();
  expect(await firstFailure({ ground: inFile, runs: 80, length: 30, seen })).toBeUndefined();
  expect(missing(seen, common)).toEqual([]);
});

test('any history on Redis ends as the model says', { timeout }, async () => {
  const server = await startRedis();
  const client = new Redis(server.url);
  try {
    const seen: Seen = new Map();
    // side by side, because most of the time everybody waits for Redis's time to pass
    const lanes = [1, 2, 3, 4].map((n) =>
      firstFailure({ ground: () => onRedis(client), runs: 15, length: 24, seed: seed + n, seen }),
    );
    for (const found of await Promise.all(lanes)) expect(found).toBeUndefined();
    expect(missing(seen, common)).toEqual([]);
  } finally {
    client.disconnect();
    await server.stop();
  }
});
