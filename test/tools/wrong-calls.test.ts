/** What the author's own loop gives wrong to a tool is refused by its name. What the model gives wrong is told to the model. */
import { expect, test } from 'vitest';
import { agent } from '../../src/index.js';
import { rehearse } from '../../src/testing/index.js';
import { approve, askHuman, coerceChoices, requireApproval } from '../../src/tools/index.js';
import { agentError, thrownBy } from '../support/agents.js';
import { anna, world } from './kit.js';

// biome-ignore lint/suspicious/noExplicitAny: what no type allows
type Wrong = any;

const bare = () => Object.create(null) as Wrong;
const request = { tool: 'refund', input: {} };

function tools() {
  const { registry } = world();
  const human = askHuman(registry, { where: anna, timeout: 10 });
  const approvals = approve(registry, { where: anna, answerableBy: 'anyone', timeout: 10 });
  const tool = { name: 'refund', inputSchema: {}, execute: () => 'paid' };
  const gated = requireApproval(tool, { registry, where: anna, answerableBy: 'anyone', timeout: 10 });
  return { registry, human, approvals, gated };
}

type Call = (made: ReturnType<typeof tools>, wrong: Wrong) => unknown;
const execute: Call = ({ human }, call) => human.execute({ prompt: 'Which?' }, call);
const open: Call = ({ human }, call) => human.open({ prompt: 'Which?' }, call);

test.each<[string, Call, readonly unknown[], RegExp]>([
  ['execute(input, call)', execute, [null, 5, 'c1'], /^ask_human: the call must be an object such as .*, got /],
  [
    'execute: callId',
    (t, callId) => execute(t, { callId }),
    [null, Symbol('s'), bare(), 5],
    /^ask_human: callId must be a string, got /,
  ],
  [
    'open: callId',
    (t, callId) => open(t, { callId }),
    [null, Symbol('s'), bare()],
    /^ask_human: callId must be a string, got /,
  ],
  [
    'execute: effectKey',
    (t, effectKey) => execute(t, { effectKey }),
    [null, bare()],
    /^ask_human: effectKey must be a string, got /,
  ],
  [
    'execute: signal',
    (t, signal) => execute(t, { signal }),
    [null, {}],
    /^ask_human: signal must be an AbortSignal, got /,
  ],
  [
    'resume(interrupt)',
    ({ human }, wrong) => human.resume(wrong),
    [undefined, null, 5],
    /^ask_human: the interrupt must be an object that open\(\) gave, got /,
  ],
  [
    'run(earlier)',
    ({ human }, wrong) => human.run(wrong),
    [null, 0, 'x', {}],
    /^ask_human: run\(\) must be given a list of interrupts, got /,
  ],
  [
    'run([…])',
    ({ human }, wrong) => human.run([wrong]),
    [null, 0],
    /^ask_human: run\(\)\[0\] must be an object that open\(\) gave, got /,
  ],
  ['gated execute', ({ gated }, call) => gated.execute({}, call), [null, 5], /^refund: the call must be an object/],
  [
    'gated execute: callId',
    ({ gated }, callId) => gated.execute({}, { callId }),
    [null, bare()],
    /^refund: callId must be/,
  ],
  ['gated open: callId', ({ gated }, callId) => gated.open({}, { callId }), [null, bare()], /^refund: callId must be/],
  [
    'gated resume',
    ({ gated }, wrong) => gated.resume(wrong),
    [undefined, null],
    /^refund: the interrupt must be an object/,
  ],
  [
    'request(action)',
    ({ approvals }, wrong) => approvals.request(wrong),
    [undefined, null, 0, 'refund', []],
    /^request\(\): the action must be an object such as .*, got /,
  ],
  [
    'request: tool',
    ({ approvals }, tool) => approvals.request({ tool, input: {} }),
    [undefined, null, '', Symbol('s'), 1n, bare()],
    /^request\(\): tool must be a non-empty string, got /,
  ],
  [
    'request: question',
    ({ approvals }, question) => approvals.request({ ...request, question }),
    [null, 5],
    /^request\(\): question must be a string/,
  ],
  [
    'request: call',
    ({ approvals }, call) => approvals.request(request, call),
    [null],
    /^request\(\): the call must be/,
  ],
  [
    'approvals.open',
    ({ approvals }, wrong) => approvals.open(wrong),
    [undefined, null],
    /^open\(\): the action must be/,
  ],
  [
    'approvals.resume',
    ({ approvals }, wrong) => approvals.resume('refund', wrong),
    [undefined, null],
    /^resume\(\): the interrupt must be/,
  ],
  ['coerceChoices', (_, wrong) => coerceChoices(['a'], wrong), [null, 5], /^coerceChoices\(\): the options must be/],
  [
    'on(event)',
    ({ registry }, event) => registry.on(event, () => {}),
    [bare(), null, 5],
    /^on\(\): the event must be the name of one, such as 'asked', got /,
  ],
])('%s: what is wrong is named', async (_, call, wrong, message) => {
  const made = tools();
  for (const each of wrong) {
    const error = agentError(await thrownBy(async () => call(made, each)));
    expect(error.message).toMatch(message);
    expect(error.code).toBe('bad-option');
  }
});

test('ask() with a via that is no object says what it looks like', async () => {
  const seen: string[] = [];
  const desk = agent('desk').onMessage(async ({ ask }) => {
    for (const via of [null, 5, []] as Wrong[])
      seen.push(agentError(await thrownBy(async () => ask('Which?', { via }))).message);
    return undefined;
  });
  const { human } = await rehearse({ agents: [desk] });
  await human('anna').says('go');
  expect(seen).toEqual(
    ['null', '5', 'an empty list'].map(
      (got) => `ask(): via must be an object such as { channel: 'slack', to: 'C1' }, got ${got}.`,
    ),
  );
});

test('a channel that is not there is told of under the options in which the author named it', async () => {
  const { registry } = world();
  const where = { channel: 'slak', to: 'bob' };
  const tool = { name: 'refund', inputSchema: {}, execute: () => 'paid' };
  const gated = requireApproval(tool, { registry, where, answerableBy: 'anyone' });
  const human = askHuman(registry, { where });
  for (const call of [() => gated.execute({}), () => human.execute({ question: 'Which size?' })])
    expect(agentError(await thrownBy(call)).message).toMatch(
      /^where, or unattended\.queue: channel is "slak", but no channel of that name is registered\. Registered: phone/,
    );
});
