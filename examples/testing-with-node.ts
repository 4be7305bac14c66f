/**
 * An agent and its tests for node:test.
 *   npx tsx --test testing-with-node.ts   (from Node 22.18 on: node --test testing-with-node.ts)
 *   npm run build && npm run build:examples && node --test dist-examples/testing-with-node.js   (in a clone)
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agent, confirm } from 'askback';
import { rehearse } from 'askback/testing';

const ops = agent('ops');
const deploy = ops.question('deploy', confirm('Deploy to production?'), {
  answerableBy: ['rehearsal:max'],
  onAnswer: (yes) => (yes ? 'Deployed.' : 'Not deployed.'),
});
ops.onMessage(({ ask }) => ask(deploy));

await test('only Max may allow it', async () => {
  const { human, nextAsk, stop } = await rehearse({ agents: [ops] });
  const anna = human('anna', { conversationId: 'ops' });
  const max = human('max', { conversationId: 'ops' });
  await anna.says('deploy');
  assert.equal((await nextAsk()).question, 'Deploy to production?');
  assert.deepEqual(await anna.presses('Yes'), ["Sorry, you can't answer this one."]);
  assert.equal((await max.presses('Yes')).at(-1), 'Deployed.');
  await stop();
});

await test('the process that asked is killed, and another one gets the answer', async () => {
  const { human, replica, crash, stop } = await rehearse({ agents: [ops] });
  const other = await replica();
  await human('max').says('deploy');
  crash();
  assert.deepEqual(await other.human('max').presses('No'), ['Not deployed.']);
  await stop();
});
