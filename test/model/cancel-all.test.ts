/** Cancelling a conversation: what is cancelled in the same stroke is not first put to the human. */
import { expect, test } from 'vitest';
import { inMemory } from './grounds.js';
import { Stage } from './stage.js';

test('everything is cancelled: the questions that still stood in line are never asked', async () => {
  const stage = new Stage(inMemory());
  const plan = { retries: 1, by: 'asker', soon: false } as const;
  const here = { in: 0, on: 0, quick: false };
  await stage.play([
    { do: 'say', by: 'ann', what: [plan, plan, plan], ...here },
    { do: 'cancel', which: 'all', ...here },
  ]);
  const asked = stage.outside.delivered.flatMap(({ key }) => (key.startsWith('ask:') ? [key.split(':')[1]] : []));
  await stage.close();
  expect(asked.map((id) => stage.outside.keyOf(id))).toEqual(['m1.0']);
});
