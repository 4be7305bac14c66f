/** What models really send: what can be read is asked, what cannot is told, and then nobody was asked. */
import { expect, test } from 'vitest';
import { call, client, openAsks, world, writes } from './world.js';

test.each([
  [{}, /prompt must be/],
  [{ prompt: '' }, /prompt must be/],
  [{ prompt: ' \u200b ' }, /prompt must be/],
  [{ prompt: 7 }, /prompt must be .* got 7/],
  [{ prompt: 'Which?', options: [] }, /at least one/],
  [{ prompt: 'Which?', options: 'small' }, /list of strings/],
  [{ prompt: 'Which?', options: [[['a']]] }, /options\[0\] must be a string/],
  [{ prompt: 'Which?', options: Array.from({ length: 40 }, (_, i) => `o${i}`) }, /at most 4/],
  [{ prompt: 'Which?', many: true }, /many needs options/],
  [{ prompt: 'Which?', many: 'yes' }, /many must be true or false/],
  [{ prompt: 'Which?', sensitive: 'yes' }, /sensitive must be true or false/],
  [{ prompt: 'Which?', details: { a: {} } }, /details: "a" must be a string/],
  [{ prompt: 'Which?', answer: 'mine' }, /must not have answer/],
])('ask_human with %j says what is wrong and asks nobody', async (args, message) => {
  const here = world();
  const on = await client(here, { person: () => writes('never') });
  const { text, isError } = await call(on, 'ask_human', args);
  expect(isError).toBe(true);
  expect(text).toMatch(message);
  expect([await openAsks(here), here.phone.sent]).toEqual([[], []]);
});

test.each([
  [{}, /action.*must be a string/],
  [{ action: ' ' }, /action.*say something/],
  [{ action: 'Deploy', details: 'now' }, /details.*must be an object of strings/],
  [{ action: 'Deploy', approved: true }, /approved/],
])('approve_action with %j says what is wrong and asks nobody', async (args, message) => {
  const here = world();
  const { text, isError } = await call(await client(here, { person: () => writes('Approve') }), 'approve_action', args);
  expect(isError).toBe(true);
  expect(text).toMatch(message);
  expect([await openAsks(here), here.phone.sent]).toEqual([[], []]);
});

test.each([
  ['["yes", "no"]', 'yes'],
  [[{ label: '<b>Bold</b>' }, 'plain'], '<b>Bold</b>'],
  [['a', 'A', '', 'b'], 'b'],
])('options as models send them: %j', async (options, answer) => {
  const on = await client(world(), { person: () => writes(answer) });
  expect(await call(on, 'ask_human', { prompt: 'Which?', options })).toMatchObject({ text: answer, isError: false });
});
