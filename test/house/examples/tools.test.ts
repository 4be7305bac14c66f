/** The examples of tools, run as a user runs them with a pipe. No network: their models are scripts. */
import { expect, test } from 'vitest';
import { runExample } from './running.js';

const question = 'How shall we deploy?\nVersion: 2.0.0\n1. Blue-green\n2. Canary\n3. Not today\n';

test('ai-sdk-with-a-human: the model asks, corrects its arguments, gets the choice and goes on', async () => {
  const run = runExample('ai-sdk-with-a-human');
  expect(await run.shows('Reply with a number or a label.\n')).toContain(question);
  run.types('2');
  const { stdout, code } = await run.finished();
  expect(stdout).toMatch(/The model says: Noted: Canary\n$/);
  expect(run.stderr()).toBe('');
  expect(code).toBe(0);
});

test('ai-sdk-with-a-human: who does not want to answer has not consented to anything', async () => {
  const run = runExample('ai-sdk-with-a-human');
  await run.shows('Reply with a number or a label.\n');
  run.types('never mind');
  const { stdout } = await run.finished();
  expect(stdout).toMatch(/Noted: The person declined to answer\. This is neither an answer nor a consent/);
});

test('approved-refund-tool: allowed once, the large refund is paid once, and asked about again', async () => {
  const run = runExample('approved-refund-tool');
  const asked = await run.shows('Reply with one of these.\n');
  expect(asked).toBe(
    'Paid 20 EUR for order 12345.\nMay I refund 480 EUR?\nTool: refund\norder: 67890\namount: 480\n' +
      '- Deny\n- Once\n- For this session\nReply with one of these.\n',
  );
  run.types('once');
  await run.shows('Paid 480 EUR for order 67890, approved.\nMay I refund 480 EUR?');
  run.types('deny');
  const { stdout, code } = await run.finished();
  expect(stdout.match(/Paid 480/g)).toHaveLength(1);
  expect(stdout).toMatch(/Refunded order 67890\. \| A person denied this\. The action was NOT carried out\./);
  expect(code).toBe(0);
});

test('approved-refund-tool: allowed for the session, the same refund passes without another question', async () => {
  const run = runExample('approved-refund-tool');
  await run.shows('Reply with one of these.\n');
  run.types('for this session');
  const { stdout } = await run.finished();
  expect(stdout.match(/May I refund/g)).toHaveLength(1);
  expect(stdout.match(/Paid 480 EUR for order 67890, approved/g)).toHaveLength(2);
});

test('approved-refund-tool: denied, nothing large is paid', async () => {
  const run = runExample('approved-refund-tool');
  await run.shows('Reply with one of these.\n');
  run.types('deny');
  await run.shows(
    "May I refund 480 EUR?\nTool: refund\norder: 67890\namount: 480\n- Deny\n- Once\n- For this session\nReply with one of these.\nDenied. It won't be done.\nMay I",
  );
  run.types('/cancel');
  const { stdout } = await run.finished();
  expect(stdout).not.toContain('Paid 480');
});

test.each([
  ['ai-sdk-with-a-human', /Noted: Nobody answered in time, or the question was withdrawn\./],
  ['approved-refund-tool', /NOT carried out.* \| It needs a person's approval, and nobody can be asked in this run\./],
])('%s: who closes the input has not consented to anything, and it ends all the same', async (name, says) => {
  const run = runExample(name);
  await run.shows('Reply with ');
  run.ends();
  const { stdout, code } = await run.finished();
  expect(stdout).toMatch(says);
  expect(stdout).not.toContain('Paid 480');
  expect(code).toBe(0);
});
