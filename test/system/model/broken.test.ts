/** The model can fail: for a store that is wrong it finds a history that shows it, and makes it short. All of them: broken.long.test.ts. */
import { expect, test } from 'vitest';
import { broken } from './broken.js';
import type { History } from './commands.js';
import { inMemory } from './grounds.js';
import { firstFailure } from './playing.js';

test('what is found is shrunk to the few commands that matter, and told in words and as data', async () => {
  const forgetful = broken[0]?.made;
  if (forgetful === undefined) throw new Error('There is no broken store.');
  const found = (await firstFailure({ ground: inMemory, runs: 600, length: 40, seed: 1, broken: forgetful })) ?? '';
  const history = JSON.parse(/history: (\[.*\]) }$/m.exec(found)?.[1] ?? '[]') as History;
  expect(history.map((each) => each.do)).toEqual(['say', 'repeat']);
  expect(found).toMatch(/1\. \w+ says .*\n {2}2\. the last message comes again/);
  expect(found).toContain('seed 1');
  expect(found).toContain('m1 was recorded twice');
});
