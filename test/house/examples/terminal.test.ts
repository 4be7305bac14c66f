/** The examples that need nothing but a terminal, run as a user runs them with a pipe. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { read } from '../repository.js';
import { runExample } from './running.js';

/** A folder to run in; the refund program keeps its file there. */
function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'askback-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const runRefund = (folder = freshFolder()) => runExample('refund', {}, folder);

test('refund: the first program asks, asks again, pays once and thanks for nothing', async () => {
  const refund = runRefund();
  refund.types('refund please', '?', '12345', 'thank you!');
  refund.ends();
  const { stdout, code } = await refund.finished();
  expect(stdout.replace(/receipt [0-9a-f]{8}\n/, 'receipt …\n').split('\n')).toEqual([
    'What is your order number?',
    "That doesn't look right.",
    'What is your order number?',
    'Refunded: order 12345, receipt …',
    'I can refund an order.',
    '',
  ]);
  expect(code).toBe(0);
  expect(refund.stderr()).toBe('');
});

test('refund: a person who changes their mind is heard', async () => {
  const refund = runRefund();
  refund.types('refund please', 'never mind', '12345');
  refund.ends();
  const { stdout } = await refund.finished();
  expect(stdout).toBe("What is your order number?\nAll right, I'll leave it.\nI can refund an order.\n");
});

test.each(['SIGKILL', 'SIGINT'] as const)(
  'refund: stopped by %s in the middle of the question, it shows it again and takes the answer, once',
  async (signal) => {
    const folder = freshFolder();
    const before = runRefund(folder);
    before.types('refund please');
    await before.shows('What is your order number?\n');
    before.kill(signal);
    expect((await before.finished()).signal).toBe(signal);

    const after = runRefund(folder);
    after.types('12345', '12345');
    after.ends();
    const { stdout } = await after.finished();
    const paid = 'Refunded: order 12345, receipt [0-9a-f]{8}\\nI can refund an order\\.\\n';
    expect(stdout).toMatch(new RegExp(`^What is your order number\\?\\n${paid}$`));
  },
);

const flows = ['refund-flow', 'refund-flow-class'] as const;

test.each(flows)('%s: the line in its header leads through all steps to one payment', async (name) => {
  const lines = new RegExp(`printf '(.*)' \\| npx tsx ${name}.ts`).exec(read(`examples/${name}.ts`))?.[1] ?? '';
  const flow = runExample(name, {}, freshFolder());
  flow.types(...lines.split('\\n').slice(0, -1));
  flow.ends();
  const { stdout, code } = await flow.finished();
  expect(stdout.replace(/receipt [0-9a-f]{8}\n/, 'receipt …\n').split('\n')).toEqual([
    'What is your order number?',
    'Which item?',
    ...['1. Lamp', '2. Chair', 'Reply with a number or a label.'],
    'Refund it?',
    ...['Order: 12345', 'Item: Lamp', 'Amount: 48 EUR'],
    ...['- Yes', '- No', 'Reply with one of these.'],
    'Refunded: 48 EUR for the lamp of order 12345, receipt …',
    '',
  ]);
  expect([code, flow.stderr()]).toEqual([0, '']);
});

test.each(flows)('%s: killed after every question, it goes on at the step it was in', async (name) => {
  const folder = freshFolder();
  const steps = [
    ['refund please', 'What is your order number?\n'],
    ['12345', '2. Chair\n'],
    ['2', '- No\n'],
    ['yes', 'Refunded: 120 EUR for the chair of order 12345, receipt '],
  ] as const;
  for (const [says, shows] of steps) {
    const flow = runExample(name, {}, folder);
    flow.types(says);
    await flow.shows(shows);
    flow.kill('SIGKILL');
    await flow.finished();
  }
  const after = runExample(name, {}, folder);
  after.types('yes');
  after.ends();
  expect((await after.finished()).stdout).toContain('I can refund an order.\n'); // there is nothing left to answer
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
  const asked = await report.shows('Reply with one of these.\n');
  expect(asked).toContain('The weekly report is ready. Publish it?\nWeek: 32\nOrders: 118\n- Yes\n- No\n');
  report.types('yes');
  const { stdout, code } = await report.finished();
  expect(stdout).toMatch(/these\.\nPublished\.\n/);
  expect(code).toBe(0);
});

test('scheduled-report: ends with its input, where a line that came before the question has answered nothing', async () => {
  const report = runExample('scheduled-report');
  report.types('yes');
  report.ends();
  const { stdout, code } = await report.finished();
  expect(stdout).toContain('I only speak about the weekly report.');
  expect(stdout).not.toContain('Published.');
  expect(code).toBe(0);
});

test('scheduled-report: a no is an answer too, and nothing is published', async () => {
  const report = runExample('scheduled-report');
  await report.shows('Publish it?');
  report.types('no');
  const { stdout } = await report.finished();
  expect(stdout).toContain('Kept for later.');
  expect(stdout).not.toContain('Published.');
});
