/** Cancelling a conversation: what is cancelled in the same stroke is not first put to the human. */
import { expect, test } from 'vitest';
import { inMemory } from './grounds.js';
import { plain } from './kept.js';
import { Stage } from './stage.js';

test('everything is cancelled: the questions that still stood in line are never asked', async () => {
  const stage = new Stage(inMemory());
  const here = { in: 0, on: 0, quick: false };
  await stage.play([
    { do: 'say', by: 'ann', what: [plain, plain, plain], ...here },
    { do: 'cancel', which: 'all', ...here },
  ]);
  const asked = stage.outside.delivered.flatMap(({ key }) => (key.startsWith('ask:') ? [key.split(':')[1]] : []));
  await stage.close();
  expect(asked.map((id) => stage.outside.keyOf(id))).toEqual(['m1.0']);
});
