/** The same as one-decision.test.ts with many more rounds. */
import { expect, test } from 'vitest';
import { playOnMemory } from './one-decision-story.js';

test('on memory, 3 000 rounds: one decision each, by order of arrival, and it never changes', async () => {
  const seen = await playOnMemory(3_000);
  for (const status of ['answered', 'cancelled', 'expired']) expect(seen.get(status)).toBeGreaterThan(100);
});
