/** Random histories around sensitive questions on stores whose time really passes. */
import { afterAll, expect, test } from 'vitest';
import { redisForFile } from '../../support/for-file.js';
import { inFile, onRedis, playsRandom, times } from './secrets.js';

const { client } = await redisForFile();

afterAll(() => expect(Object.values(times)).not.toContain(0));

test.each([
  ['in a file', inFile],
  ['on Redis', () => onRedis(client)],
])('whatever happens around a sensitive question, its answer reaches the handler and nobody else: %s', (_, ground) =>
  playsRandom(ground, 40),
);
