/** Many random histories of approvals in memory and in a file: what comes of them is what the reference model says. */
import { expect, test } from 'vitest';
import { inFile, inMemory } from '../grounds.js';
import { factor, firstSeed } from '../playing.js';
import { firstFailure } from './playing.js';

const timeout = 600_000 * factor;

test('any approvals in memory come to what the model says', { timeout }, async () => {
  expect(await firstFailure(inMemory, 120, { seed: firstSeed })).toBeUndefined();
});

test('any approvals in a file come to what the model says', { timeout }, async () => {
  expect(await firstFailure(inFile, 60, { seed: firstSeed })).toBeUndefined();
});
