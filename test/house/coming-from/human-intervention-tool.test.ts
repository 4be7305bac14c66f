/**
 * The documented example of a generic human-intervention tool: the model calls `human_intervention.request` with a prompt and
 * options, a person picks one, and the model goes on with it. docs/coming-from-toolpack-agents.md lists what had to be changed.
 */
import { describe, expect, test } from 'vitest';
import { agent } from '../../../src/index.js';
import { rehearse, scriptedModel } from '../../../src/testing/index.js';
import { askHuman, askHumanTool, requireApproval } from '../../../src/tools/index.js';

const request = {
  prompt: 'Which way shall I deploy?',
  options: ['Blue-Green', 'Canary', 'Rolling', 'Cancel'],
  context: { currentVersion: 'v1.2.3', targetVersion: 'v2.0.0' },
};
const shown = `Which way shall I deploy?
currentVersion: v1.2.3
targetVersion: v2.0.0
1. Blue-Green
2. Canary
3. Rolling
4. Cancel
Reply with a number or a label.`;
const name = 'human_intervention.request';
const calling = (input: unknown, id = 'call_12345') => ({
  calls: [{ id, name: 'human_intervention_request', input: input as typeof request }],
});

async function assistant(replies: Parameters<typeof scriptedModel>[0]) {
  const model = scriptedModel(replies);
  const assistant = agent('assistant-1', { model, tools: [askHumanTool({ name })] });
  const play = await rehearse({ agents: [assistant] });
  return { ...play, model, user: play.human('user') };
}

describe('the model calls, the person picks, the model goes on', () => {
  test.each([
    ['a button', 'presses'],
    ['the number in a menu', 'says'],
  ] as const)('by %s', async (_, how) => {
    const { user, model, asks, stop } = await assistant([calling(request), 'Then I deploy Blue-Green.']);
    expect(await user.says('deploy v2')).toEqual([shown]);
    expect(await asks()).toHaveLength(1);
    expect(await user[how](how === 'presses' ? 'Blue-Green' : '1')).toEqual(['Then I deploy Blue-Green.']);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      callId: 'call_12345', // the model's own id: it never sees another one
      content: 'Blue-Green',
    });
    await stop();
  });

  test('"Cancel" as one of the options is an answer like the others', async () => {
    const { user, model, stop } = await assistant([calling(request), 'Then I leave it.']);
    await user.says('deploy v2');
    expect(await user.presses('Cancel')).toEqual(['Then I leave it.']);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: 'Cancel' });
    await stop();
  });

  test('several requests in a row; an answer is not kept for the next one', async () => {
    const second = { prompt: 'In which region?', options: ['Europe', 'Asia'] };
    const { user, stop } = await assistant([calling(request), calling(second, 'call_2'), 'Done.']);
    await user.says('deploy v2');
    expect((await user.presses('Canary'))[0]).toContain('In which region?');
    expect(await user.presses('Asia')).toEqual(['Done.']);
    await stop();
  });

  test('the request survives the process, and the model goes on in the next one', async () => {
    const { user, human, restart, stop } = await assistant([calling(request), 'Then I deploy Rolling.']);
    await user.says('deploy v2');
    await restart();
    expect(await human('user').says('rolling')).toEqual(['Then I deploy Rolling.']);
    await stop();
  });
});

describe('what is refused', () => {
  test.each([
    ['no prompt', { options: ['a', 'b'] }],
    ['no options in a list of options', { prompt: 'Which?', options: [] }],
    ['arguments that are none', 'deploy'],
  ])('%s: nobody is asked, and the model is told what to send', async (_, input) => {
    const { registry, asks, stop } = await rehearse({ agents: [] });
    const tool = askHuman(registry, { name, where: { channel: 'rehearsal', to: 'user' } });
    expect(await tool.execute(input, { callId: 'call_1' })).toMatch(/^Nothing was asked\./);
    expect(await asks()).toEqual([]);
    await stop();
  });

  test('a choice that is no option is refused, and the request stays open', async () => {
    const { user, asks, registry, stop } = await assistant([calling(request), 'Fine.']);
    await user.says('deploy v2');
    const [ask] = await asks();
    const by = user.participant;
    expect(await registry.answer(ask?.id ?? '', { value: 'Big bang' }, { by })).toMatchObject({ type: 'invalid' });
    expect(await asks()).toHaveLength(1);
    expect(await registry.answer(ask?.id ?? '', { value: 'Canary' }, { by })).toMatchObject({ type: 'accepted' });
    expect(user.sees()).toEqual(['Fine.']);
    await stop();
  });

  test('an id of another call is not answered by it', async () => {
    const { registry, human, stop } = await rehearse({ agents: [] });
    const tool = askHuman(registry, { name, where: { channel: 'rehearsal', to: 'user' } });
    const [one, other] = [
      await tool.open(request, { callId: 'call_1' }),
      await tool.open({ prompt: 'In which region?' }, { callId: 'call_2' }),
    ];
    await human('user').says('Canary');
    expect(await tool.resume({ ...one, callId: 'call_9' })).not.toBe('Canary');
    expect(await tool.resume(one)).toBe('Canary');
    expect(await tool.resume(other)).not.toBe('Canary');
    await stop();
  });
});

test('in your own loop: the call is put aside, and its result goes back under the id of the call', async () => {
  const { registry, human, stop } = await rehearse({ agents: [] });
  const tool = askHuman(registry, { name, where: { channel: 'rehearsal', to: 'user' } });
  expect(tool.name).toBe('human_intervention_request'); // providers refuse a dot
  const interrupt = await tool.open(request, { callId: 'call_12345' });
  const memory = JSON.stringify(interrupt); // beside the messages; no process waits
  expect(await human('user').says('blue-green')).toEqual([]);
  const stored = JSON.parse(memory) as typeof interrupt;
  expect({ role: 'tool', tool_call_id: stored.callId, content: await tool.resume(stored) }).toEqual({
    role: 'tool',
    tool_call_id: 'call_12345',
    content: 'Blue-Green',
  });
  await stop();
});

test('a request ends by itself: the tool of your own loop takes times, the tool of an agent leaves them to cancel()', async () => {
  expect(() => askHumanTool({ name, timeout: 1_000 } as object)).toThrow(/timeout/);
  const { registry, asks, clock, nextAsk, stop } = await rehearse({ agents: [] });
  const where = { channel: 'rehearsal', to: 'user' };
  const tool = askHuman(registry, { name, where, timeout: 60_000 });
  const result = tool.execute(request, { callId: 'call_1' });
  await nextAsk();
  await clock.advance(60_001);
  expect(await result).not.toContain('Blue-Green');
  await askHuman(registry, { name, where, expiresIn: 60_000 }).open(request, { callId: 'call_2' });
  await clock.advance(60_001);
  expect(await asks()).toEqual([]);
  await stop();
});

test('beside it the approval of a tool: deny, once or for the session, and only then is it carried out', async () => {
  const commands: string[] = [];
  const shell = requireApproval(
    {
      name: 'shell_cmd',
      inputSchema: { type: 'object' },
      execute: ({ command }: { command: string }) => {
        commands.push(command);
        return `ran ${command}`;
      },
    },
    {
      registry: () => play.registry,
      where: { channel: 'rehearsal', to: 'user' },
      answerableBy: ['rehearsal:user'],
    },
  );
  const play = await rehearse({ agents: [] });
  const user = play.human('user');
  const run = async (command: string, answer: 'deny' | 'once') => {
    const result = shell.execute({ command }, { callId: command });
    await play.nextAsk();
    await user.says(answer);
    return result;
  };
  expect(await run('rm -r /', 'deny')).not.toContain('ran');
  expect(await run('ls', 'once')).toBe('ran ls');
  expect(commands).toEqual(['ls']);
  await play.stop();
});
