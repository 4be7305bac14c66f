/** The model can fail: for every store and every author that is wrong in one way it finds a history that shows it. */
import { describe, expect, test } from 'vitest';
import { broken, brokenAuthors } from './broken.js';
import { inMemory } from './grounds.js';
import { firstFailure } from './playing.js';
import type { Breakage } from './stage.js';

const isFoundOut = async (made: () => Breakage): Promise<void> => {
  const found = await firstFailure({ ground: inMemory, runs: 800, length: 40, seed: 1, broken: made, asFound: true });
  expect(found ?? 'nothing').toContain('What was wrong:');
};

const timeout = 600_000; // some take hundreds of histories

describe.each(broken)('a store that $name', ({ made }) => {
  test('is found out', { timeout }, () => isFoundOut(made));
});

describe.each(brokenAuthors)('an author who $name', ({ made }) => {
  test('is found out', { timeout }, () => isFoundOut(made));
});
