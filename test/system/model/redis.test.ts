/**
 * The kept histories on Redis, where time really passes. Random ones are not played here but in histories.long.test.ts: what comes of
 * them depends on how fast the machine is.
 */
import { expect, test } from 'vitest';
import { redisForFile } from '../../support/for-file.js';
import { onRedis } from './grounds.js';
import { kept } from './kept.js';
import { played } from './playing.js';

const { client } = await redisForFile();

test.concurrent.each(kept)('kept: $name', async ({ history }) => {
  expect(await played(history, onRedis(client))).toEqual([]);
});
