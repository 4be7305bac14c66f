/** A question that reaches nobody: every tool tells the model that, and not that nobody answered in time. */
import { expect, test } from 'vitest';
import { AgentError, agent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { approve, askHuman, askHumanTool } from '../../src/tools/index.js';
import { anna, idle, settle, world } from './kit.js';
import { call, client, world as mcpWorld } from './mcp/world.js';

const unreachable = (): never => {
  throw new AgentError('undeliverable', 'No such number.');
};
const unasked = /^The question could not be delivered, so it has no answer\. This is neither an answer nor a consent/;
const undecided = /^The question could not be delivered, so there is no decision\. The action was NOT carried out\./;

test('a question that could not be delivered is told so by execute, by resume and in the run of an agent', async () => {
  const model = scriptedModel([
    { calls: [{ id: 'c1', name: 'ask_human', input: { prompt: 'Which size?' } }] },
    ({ messages }) => `Told: ${messages.at(-1)?.content}`,
  ]);
  const shop = agent('shop', { model, tools: [askHumanTool()] });
  const { registry, phone } = world(unreachable, { agents: [shop, idle()] });
  const human = askHuman(registry, { where: anna });
  expect(await human.execute({ prompt: 'Deploy?' })).toMatch(unasked);
  const interrupt = await human.open({ prompt: 'Delete?' }, { callId: 'a' });
  await settle();
  expect(await human.resume(interrupt)).toMatch(unasked);
  await phone.types('a hat please');
  await settle();
  expect(phone.texts.at(-1)?.replace('Told: ', '')).toMatch(unasked);
});

test('an approval that could not be asked for is told so, at once and when it is resumed', async () => {
  const { registry } = world(unreachable);
  const approvals = approve(registry, { where: anna, answerableBy: 'anyone' });
  expect(await approvals.request({ tool: 'refund', input: {} })).toMatchObject({
    approved: false,
    text: expect.stringMatching(undecided),
  });
  const opened = await approvals.open({ tool: 'refund', input: {} }, { callId: 'a' });
  await settle();
  expect(opened && (await approvals.resume('refund', opened))).toMatchObject({
    text: expect.stringMatching(undecided),
  });
});

test('a client of MCP is told the same of a question and of an approval', async () => {
  const here = mcpWorld({}, unreachable);
  const on = await client(here);
  expect(await call(on, 'ask_human', { prompt: 'Deploy?' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(unasked),
  });
  expect(await call(on, 'approve_action', { action: 'Deploy' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(undecided),
    data: { approved: false },
  });
});

test('a question that a person declined with the word "undeliverable" was delivered', async () => {
  const { registry, open } = world();
  const declined = askHuman(registry, { where: anna, answerableBy: 'anyone' }).execute({ prompt: 'Deploy?' });
  await settle();
  const [ask] = await open();
  await registry.decline(ask?.id ?? '', { reason: 'undeliverable' });
  expect(await declined).toMatch(/^The person declined to answer/);
});
