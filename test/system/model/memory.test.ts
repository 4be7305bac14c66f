/** Some random histories in memory, in a time that stands still: what comes of them is what the reference model says. */
import { expect, test } from 'vitest';
import { inMemory } from './grounds.js';
import { kept } from './kept.js';
import { firstFailure, played } from './playing.js';

test('a history in memory ends as the model says', async () => {
  expect(await firstFailure({ ground: inMemory, runs: 11, length: 40, seed: 1 })).toBeUndefined();
});

test.each(kept)('kept: $name', async ({ history }) => {
  expect(await played(history, inMemory())).toEqual([]);
});
