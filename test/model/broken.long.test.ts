/** The model can fail: for every store that is wrong in one way it finds a history that shows it. */
import { describe, expect, test } from 'vitest';
import { broken } from './broken.js';
import { inMemory } from './grounds.js';
import { firstFailure } from './playing.js';

describe.each(broken)('a store that $name', ({ made }) => {
  test('is found out', async () => {
    const found = await firstFailure({ ground: inMemory, runs: 800, length: 40, seed: 1, broken: made, asFound: true });
    expect(found ?? 'nothing').toContain('What was wrong:');
  });
});
