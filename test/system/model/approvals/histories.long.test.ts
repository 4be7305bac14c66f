/** Many random histories of approvals in memory and in a file: what comes of them is what the reference model says. */
import { expect, test } from 'vitest';
import { seed } from '../../../support/seed.js';
import { inFile, inMemory } from '../grounds.js';
import { factor } from '../playing.js';
import { firstFailure } from './playing.js';

const timeout = 600_000 * factor;

test('any approvals in memory come to what the model says', { timeout }, async () => {
  expect(await firstFailure(inMemory, 120, { seed })).toBeUndefined();
});

test('any approvals in a file come to what the model says', { timeout }, async () => {
  expect(await firstFailure(inFile, 60, { seed })).toBeUndefined();
});
