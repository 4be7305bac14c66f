/**
 * The answer to a sensitive question reaches its handler and nobody else: random histories where time passes when it is told to, and the
 * kept ones on every store. Random ones on the other stores are in secrets.long.test.ts.
 */
import { afterAll, expect, test } from 'vitest';
import { redisForFile } from '../../support/for-file.js';
import { inFile, inMemory, onRedis, playsKept, playsRandom, times } from './secrets.js';

const { client } = await redisForFile();

/** The handlers did get answers, a tool ran after one, and a model saw what was said. */
afterAll(() => expect(Object.values(times)).not.toContain(0));

test('whatever happens around a sensitive question, its answer reaches the handler and nobody else', async () => {
  await playsKept(inMemory);
  await playsRandom(inMemory, 40);
});

test.each([
  ['in a file', inFile],
  ['on Redis', () => onRedis(client)],
])('the same in the kept histories, %s', (_, ground) => playsKept(ground));
