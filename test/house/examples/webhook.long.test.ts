/** The example of webhooks: both sides of it, over real requests. */
import { expect, test } from 'vitest';
import { runExample } from './running.js';

test('a backend gets what was said in the response, is called back with a question, and the program ends by itself', async () => {
  const program = runExample('webhook');
  const { stdout, code } = await program.finished();
  expect([code, program.stderr()]).toEqual([0, '']);
  expect(stdout.split('\n').sort()).toEqual([
    '',
    '200 accepted: ',
    '200 accepted: Refunded: order 12345.',
    '200 ordinary: Which order?',
    'till: question.asked (pending): Refund it?',
    'till: question.settled (answered): Refund it?',
  ]);
});
