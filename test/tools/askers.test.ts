/** For whom a tool asks outside of turns: `asker` bounds who may answer, and which grants count. */
import { expect, onTestFinished, test } from 'vitest';
import type { Participant } from '../../src/index.js';
import { agent } from '../../src/index.js';
import { humanTool } from '../../src/tools/ai/index.js';
import type { ApprovalOptions } from '../../src/tools/index.js';
import { approve, askHuman, requireApproval } from '../../src/tools/index.js';
import { world } from './kit.js';

const ann: Participant = { id: 'web:ann', tenant: 'north', roles: ['manager'] };
const bob: Participant = { id: 'web:bob', tenant: 'north', roles: ['manager'] };
const eve: Participant = { id: 'web:eve', tenant: 'south', roles: ['manager'] };
const board = { channel: 'phone', to: 'board' } as const;
const rules = { where: board, answerableBy: { roles: ['manager'] }, excludeAsker: true } as const;
const action = { tool: 'refund', input: { order: '12345' } };

function office() {
  const here = world();
  const answers = async (value: unknown, ...by: readonly Participant[]) => {
    await expect.poll(here.open).toHaveLength(1);
    const [{ id } = { id: '' }] = await here.open();
    const types: string[] = [];
    for (const who of by) types.push((await here.registry.answer(id, { value: value as string }, { by: who })).type);
    return types;
  };
  return { ...here, answers };
}

test('requireApproval(): the asker may not approve, and only participants of their tenant may', async () => {
  const { registry, answers } = office();
  const tool = { name: 'wire', inputSchema: { type: 'object' }, execute: () => 'Wired.' };
  const result = requireApproval(tool, { ...rules, registry, asker: ann }).execute({ amount: 9000 });
  expect(await answers('once', ann, eve, bob)).toEqual(['refused', 'refused', 'accepted']);
  expect(await result).toBe('Wired.');
});

test('asker may be a function of the call, for a tool that serves every request', async () => {
  const { registry, answers, open } = office();
  const calls: unknown[] = [];
  const asker: ApprovalOptions['asker'] = (call) => {
    calls.push(call);
    return ann;
  };
  const approval = approve(registry, { ...rules, asker }).request(action, { callId: 'call_1' });
  await expect.poll(open).toMatchObject([{ asker: { id: 'web:ann', tenant: 'north' } }]);
  expect(await answers('once', ann, bob)).toEqual(['refused', 'accepted']);
  expect(await approval).toMatchObject({ approved: true });
  expect(calls).toEqual([{ callId: 'call_1', input: action.input }]);
});

test('askHuman() and humanTool() ask for their asker', async () => {
  const { registry, answers } = office();
  const options = { where: board, answerableBy: 'anyone', excludeAsker: true, asker: ann } as const;
  const human = askHuman(registry, options);
  const ai = await humanTool(registry, { ...options, interrupt: true });
  const said = human.execute({ question: 'Which size?' });
  expect(await answers('large', ann, eve, bob)).toEqual(['refused', 'refused', 'accepted']);
  expect(await said).toBe('large');
  const input = { question: 'Which colour?' };
  const content = [{ type: 'tool-call' as const, toolCallId: 'c1', toolName: 'ask_human', input }];
  await ai.open([{ role: 'assistant', content }]);
  expect(await answers('red', ann, eve, bob)).toEqual(['refused', 'refused', 'accepted']);
});

test.each([
  ['approve()', (registry: never) => approve(registry, rules).request(action)],
  ['open()', (registry: never) => approve(registry, rules).open(action)],
  ['askHuman()', (registry: never) => askHuman(registry, { ...rules }).execute({ question: 'Why?' })],
])('%s with excludeAsker refuses to ask outside of a turn where no asker is given', async (_, asks) => {
  const { registry, open } = office();
  await expect(asks(registry as never)).rejects.toMatchObject({ code: 'bad-option' });
  expect(await open()).toEqual([]);
});

test('outside of turns a session grant counts for the same asker and tenant only', async () => {
  const { registry, answers } = office();
  const asks = (asker?: Participant) =>
    approve(registry, { ...rules, excludeAsker: false, ...(asker === undefined ? {} : { asker }) }).request(action);
  const first = asks(ann);
  expect(await answers('session', bob)).toEqual(['accepted']);
  expect(await first).toMatchObject({ approved: true });
  expect(await asks(ann)).toMatchObject({ approved: true });
  for (const other of [bob, { ...ann, tenant: 'south' }, { id: ann.id }, undefined]) {
    const asked = asks(other);
    expect(await answers('deny', { ...bob, ...(other?.tenant === undefined ? {} : { tenant: other.tenant }) })).toEqual(
      ['accepted'],
    );
    expect(await asked).toMatchObject({ approved: false });
  }
});

test('with excludeAsker an asker does not go on by a grant of their own', async () => {
  const { registry, answers } = office();
  const asks = (asker: Participant, excludeAsker: boolean) =>
    approve(registry, { ...rules, excludeAsker, asker }).request(action);
  const first = asks(ann, false);
  expect(await answers('session', ann)).toEqual(['accepted']);
  expect(await first).toMatchObject({ approved: true });
  const second = asks(ann, true);
  expect(await answers('deny', bob)).toEqual(['accepted']);
  expect(await second).toMatchObject({ approved: false });
});

test('the same call of two askers is two approvals, and neither resumes the other', async () => {
  const { registry, open } = office();
  const opens = (asker: Participant) => approve(registry, { ...rules, asker }).open(action, { callId: 'call_1' });
  const [one, again, other] = [await opens(ann), await opens(ann), await opens(bob)];
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
  expect((await open()).map(({ asker }) => asker?.id)).toEqual(['web:ann', 'web:bob']);
  const human = (asker: Participant) =>
    askHuman(registry, { where: board, asker }).open({ question: 'Which size?' }, { callId: 'call_2' });
  const asked = [await human(ann), await human(ann), await human(bob)].map((each) => 'id' in each && each.id);
  expect(new Set(asked).size).toBe(2);
});

test('in a turn it is asked for whom the turn acts for, whatever asker says', async () => {
  const shop = agent('shop').onMessage(async () => {
    await approve(here.registry, { ...rules, asker: bob }).open(action, { callId: 'c' });
  });
  const here = world(undefined, { agents: [shop] });
  onTestFinished(() => here.registry.stop());
  await here.registry.handle({ id: '1', conversationId: 'c', text: 'refund it', participant: ann });
  await expect.poll(here.open).toMatchObject([{ asker: { id: 'web:ann' } }]);
});

test.each([['web:ann'], [{ name: 'Ann' }], [null]])('an asker that is no participant is refused: %j', (asker) => {
  const { registry } = office();
  expect(() => askHuman(registry, { where: board, asker: asker as never })).toThrow(/asker/);
});
