/** Some random histories in a file, in a time that stands still: what comes of them is what the reference model says. */
import { expect, test } from 'vitest';
import { inFile } from './grounds.js';
import { kept } from './kept.js';
import { firstFailure, played } from './playing.js';

test('a history in a file ends as the model says', async () => {
  expect(await firstFailure({ ground: inFile, runs: 5, length: 30, seed: 1 })).toBeUndefined();
});

test.each(kept)('kept: $name', async ({ history }) => {
  expect(await played(history, inFile())).toEqual([]);
});
