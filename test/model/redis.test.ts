import { expect, test } from 'vitest';
import { redisForFile } from '../support/for-file.js';
import { onRedis } from './grounds.js';
import { kept } from './kept.js';
import { firstFailure, played } from './playing.js';

const { client } = await redisForFile();

test('a history on Redis ends as the model says', async () => {
  // side by side, because most of the time everybody waits for Redis's time to pass
  const lanes = [1, 2, 3].map((seed) => firstFailure({ ground: () => onRedis(client), runs: 3, length: 24, seed }));
  for (const found of await Promise.all(lanes)) expect(found).toBeUndefined();
});

test.concurrent.each(kept)('kept: $name', async ({ history }) => {
  expect(await played(history, onRedis(client))).toEqual([]);
});
