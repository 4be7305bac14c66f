/** The examples that need nothing but a terminal, run as a user runs them with a pipe. */
import { expect, test } from 'vitest';
import { runExample } from './running.js';

test('refund: the first program asks, asks again, pays once and thanks for nothing', async () => {
  const refund = runExample('refund');
  refund.types('refund please', '?', '12345', 'thank you!');
  refund.ends();
  expect(await refund.finished()).toEqual({
    code: 0,
    signal: null,
    stdout: [
      'What is your order number?',
      'That does not have the expected form.',
      'What is your order number?',
      'Refunded: order 12345, receipt 1',
      'I can refund an order.',
      '',
    ].join('\n'),
  });
  expect(refund.stderr()).toBe('');
});

test('refund: a person who changes their mind is heard', async () => {
  const refund = runExample('refund');
  refund.types('refund please', 'never mind', '12345');
  refund.ends();
  const { stdout } = await refund.finished();
  expect(stdout).toBe('What is your order number?\nAll right, I will leave it.\nI can refund an order.\n');
});

test('own-answer-type: a rating is drawn as options, and a label becomes a number', async () => {
  const survey = runExample('own-answer-type');
  survey.types('bye', 'six', 'good');
  survey.ends();
  const { stdout, code } = await survey.finished();
  const question = 'How was our service?\n1. poor\n2. fair\n3. good\n4. great\nReply with a number or a label.\n';
  expect(stdout).toBe(`${question}Please pick a number from 1 to 4.\n${question}Thank you for ***\n`);
  expect(code).toBe(0);
});

test('scheduled-report: the job asks in the terminal and ends by itself after the answer', async () => {
  const report = runExample('scheduled-report');
  const asked = await report.shows('Reply with a number or a label.\n');
  expect(asked).toContain('The weekly report is ready. Publish it?\nWeek: 32\nOrders: 118\n1. Yes\n2. No\n');
  report.types('yes');
  const { stdout, code } = await report.finished();
  expect(stdout).toMatch(/label\.\nPublished\.\n/);
  expect(code).toBe(0);
});

test('scheduled-report: a no is an answer too, and nothing is published', async () => {
  const report = runExample('scheduled-report');
  await report.shows('Publish it?');
  report.types('2');
  const { stdout } = await report.finished();
  expect(stdout).toContain('Kept for later.');
  expect(stdout).not.toContain('Published.');
});
