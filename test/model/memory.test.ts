/** Random histories in memory, in a time that stands still: what comes of them is what the reference model says. */
import { expect, test } from 'vitest';
import { inMemory } from './grounds.js';
import { kept } from './kept.js';
import { everything, firstFailure, missing, played, type Seen } from './playing.js';

test('any history in memory ends as the model says', async () => {
  const seen: Seen = new Map();
  expect(await firstFailure({ ground: inMemory, runs: 120, length: 40, seen, within: 20_000 })).toBeUndefined();
  expect(missing(seen, everything)).toEqual([]);
}, 600_000);

test.each(kept)('kept: $name', async ({ history }) => {
  expect(await played(history, inMemory())).toEqual([]);
});
