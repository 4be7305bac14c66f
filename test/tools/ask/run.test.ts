import { expect, test } from 'vitest';
import type { Model } from '../../../src/index.js';
import { agent, choice } from '../../../src/index.js';
import { rehearse, scriptedModel } from '../../../src/testing/index.js';
import { askHumanTool } from '../../../src/tools/index.js';

type Said = Awaited<ReturnType<Model>>;
const calls = (...list: { id: string; name?: string; input: unknown }[]): Said => ({
  calls: list.map(({ id, name = 'ask_human', input }) => ({ id, name, input: input as never })),
});
const size = { prompt: 'Which size?', options: ['small', 'large'] };

const toolResults = (request: Parameters<Model>[0] | undefined): readonly string[] =>
  (request?.messages ?? []).flatMap((each) => (each.role === 'tool' ? [each.content] : []));

async function running(said: readonly (Said | Error | ((request: Parameters<Model>[0]) => Said))[], more: object = {}) {
  const done: [unknown, string][] = [];
  const model = scriptedModel(said);
  const order = {
    name: 'order',
    inputSchema: {},
    execute: async (input: unknown, { effectKey }: { effectKey: string }) => {
      done.push([input, effectKey]);
      return { ok: true };
    },
  };
  const broken = {
    name: 'broken',
    inputSchema: {},
    execute: () => {
      throw new Error('out of stock');
    },
  };
  const shop = agent('shop', { model, tools: [askHumanTool({ limit: 2 }), order, broken], ...more });
  const play = await rehearse({ agents: [shop] });
  return { ...play, anna: play.human('anna'), model, done };
}

test('a call asks the person, the turn ends, and the run goes on under the call id with the answer', async () => {
  const { anna, model, done, asks } = await running([
    calls({ id: 'c1', input: size }),
    calls({ id: 'c2', name: 'order', input: { size: 'large' } }),
    'Ordered a large one.',
  ]);
  expect(await anna.says('a hat please')).toEqual(['Which size?\n1. small\n2. large\nReply with a number or a label.']);
  expect(model.requests).toHaveLength(1);
  expect(await asks()).toMatchObject([{ agentName: 'shop', status: 'pending' }]);
  expect(await anna.says('the second one')).toEqual(['Ordered a large one.']);
  expect(done).toEqual([[{ size: 'large' }, expect.stringMatching(/:c2$/)]]);
  expect(model.requests[1]?.messages.slice(-2)).toEqual([
    { role: 'assistant', content: '', calls: [{ id: 'c1', name: 'ask_human', input: size }] },
    { role: 'tool', callId: 'c1', name: 'ask_human', content: 'large' },
  ]);
});

test('a model that makes a call again, also with the same id and arguments, has made another call with another key', async () => {
  const call = { id: 'c1', name: 'order', input: { size: 'large' } };
  const { anna, done } = await running([calls(call), calls(call), 'Ordered twice.']);
  await anna.says('a hat please');
  expect(done).toHaveLength(2);
  expect(new Set(done.map(([, effectKey]) => effectKey)).size).toBe(2);
});

test('a tool that spoils its input changes nothing of the run that a person keeps waiting', async () => {
  let times = 0;
  const spoiling = {
    name: 'spoil',
    inputSchema: {},
    execute: (input: Record<string, unknown>) => {
      times += 1;
      Object.assign(input, { size: 1n, itself: input });
      return 'done';
    },
  };
  const { anna, model } = await running(
    [
      calls({ id: 'a', name: 'spoil', input: { size: 'large' } }, { id: 'b', input: { prompt: 'Which colour?' } }),
      'Fine.',
    ],
    { tools: [askHumanTool(), spoiling] },
  );
  expect(await anna.says('go')).toEqual(['Which colour?']);
  expect(await anna.says('red')).toEqual(['Fine.']);
  expect(times).toBe(1);
  const sent = model.requests[1]?.messages.find(({ role }) => role === 'assistant');
  expect(sent).toMatchObject({ calls: [{ id: 'a', input: { size: 'large' } }, { id: 'b' }] });
});

test('several calls at once: each has exactly one result before the model is asked again', async () => {
  const { anna, model } = await running([
    calls(
      { id: 'a', name: 'order', input: 1 },
      { id: 'b', input: size },
      { id: 'c', name: 'nothing', input: {} },
      { id: 'd', input: { prompt: 'Which colour?' } },
      { id: 'e', name: 'broken', input: {} },
    ),
    'Fine.',
  ]);
  expect((await anna.says('go'))[0]).toContain('Which size?');
  expect(await anna.says('small')).toEqual(['Which colour?']);
  expect(await anna.says('red')).toEqual(['Fine.']);
  expect(model.requests).toHaveLength(2);
  const results = model.requests[1]?.messages.filter(({ role }) => role === 'tool');
  expect(results).toEqual([
    { role: 'tool', callId: 'a', name: 'order', content: '{"ok":true}' },
    { role: 'tool', callId: 'b', name: 'ask_human', content: 'small' },
    expect.objectContaining({ callId: 'c', content: expect.stringContaining('There is no tool "nothing"') }),
    { role: 'tool', callId: 'd', name: 'ask_human', content: 'red' },
    expect.objectContaining({ callId: 'e', content: 'The tool broken failed: out of stock' }),
  ]);
});

test.each([
  ['nothing at all', {}],
  ['a blank prompt', { prompt: '  ' }],
  ['40 options', { prompt: 'Which?', options: Array.from({ length: 40 }, (_, i) => `o${i}`) }],
  ['an unknown field', { prompt: 'Which?', color: 'red' }],
])('a model that sends %s is told what to correct, and nobody is asked', async (_, input) => {
  const { anna, model, asks } = await running([calls({ id: 'c1', input }), 'Sorry.']);
  expect(await anna.says('go')).toEqual(['Sorry.']);
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    callId: 'c1',
    content: expect.stringMatching(/^Nothing was asked/),
  });
  expect(await asks()).toEqual([]);
});

test('the same question is not asked twice in a run, and the limit holds', async () => {
  const { anna, model } = await running([
    calls({ id: 'a', input: { prompt: 'One?' } }),
    calls({ id: 'b', input: { prompt: 'One?' } }),
    calls({ id: 'c', input: { prompt: 'Two?' } }),
    calls({ id: 'd', input: { prompt: 'Three?' } }),
    'Enough.',
  ]);
  expect(await anna.says('go')).toEqual(['One?']);
  expect(await anna.says('1')).toEqual(['Two?']);
  expect(await anna.says('2')).toEqual(['Enough.']);
  expect(toolResults(model.requests[4])).toEqual([
    '1',
    'You asked this before in this run, so it was not asked again. The result was: 1',
    '2',
    expect.stringContaining('limit of 2 questions'),
  ]);
});

test('a repeat is told the result of the first call, also beside it under the same id, after a restart, and of no answer', async () => {
  const again = 'You asked this before in this run, so it was not asked again. The result was: ';
  const { anna, human, restart, model } = await running([
    calls({ id: 'a', name: 'order', input: 1 }, { id: 'b', input: size }, { id: 'b', input: size }),
    calls({ id: 'b', input: { prompt: 'Which colour?' } }),
    calls({ id: 'c', input: { prompt: 'Which colour?' } }, { id: 'd', input: size }),
    'Enough.',
  ]);
  await anna.says('go');
  await restart();
  expect(await human('anna').says('large')).toEqual(['Which colour?']);
  expect(await human('anna').says('/cancel')).toContain('Enough.');
  const declined = expect.stringMatching(/^The person declined/);
  expect(toolResults(model.requests[1]).slice(1)).toEqual(['large', `${again}large`]);
  expect(toolResults(model.requests[3]).slice(3)).toEqual([
    declined,
    expect.stringMatching(`^${again}The person declined`),
    `${again}large`,
  ]);
});

test.each([
  ['/cancel', /declined to answer.*neither an answer nor a consent/],
  ['dunno', /did not fit.*neither an answer nor a consent/],
])('%j goes to the model as no answer, and the run goes on', async (words, told) => {
  const { anna, model } = await running([calls({ id: 'c1', input: size }), 'Then not.']);
  await anna.says('go');
  for (let i = 0; i < 2 && words === 'dunno'; i += 1) await anna.says(words);
  expect(await anna.says(words)).toContain('Then not.');
  expect(model.requests[1]?.messages.at(-1)?.content).toMatch(told);
});

test('killed at any moment, the run goes on in the next process, and nothing is ordered twice under another key', async () => {
  for (const point of ['take', 'decision', 'effect', 'save', 'sent'] as const) {
    const said = (request: Parameters<Model>[0]): Said => {
      const results = request.messages.filter(({ role }) => role === 'tool').length;
      if (results === 0) return calls({ id: 'c1', input: size });
      return results === 1 ? calls({ id: 'c2', name: 'order', input: 'large' }) : 'Ordered.';
    };
    const { anna, done, crash, restart, clock } = await running(Array.from({ length: 20 }, () => said));
    await anna.says('a hat');
    crash(point);
    await anna.says('large');
    await restart();
    await clock.advance(60_000);
    expect(new Set(done.map((each) => JSON.stringify(each))).size).toBe(1);
  }
});

test('an ordinary message in between is a run of its own, and the open question stays', async () => {
  const { anna, human, asks } = await running([calls({ id: 'c1', input: size }), 'Hello Bob.', 'Large it is.']);
  await anna.says('a hat');
  expect(await human('bob', { conversationId: 'anna' }).says('hi all')).toContain('Hello Bob.');
  expect(await asks()).toHaveLength(1);
  expect(await anna.says('large')).toContain('Large it is.');
});

test('what the loop keeps is never shown: not to a channel, not in the view of the ask', async () => {
  const { anna, registry, asks } = await running([calls({ id: 'c1', input: size }), 'ok']);
  await anna.says('my secret plan');
  const [{ id } = { id: '' }] = await asks();
  expect(JSON.stringify(await registry.getAsk(id))).not.toContain('secret plan');
});

test('two runs in one turn are two: neither gets what the other said or did', async () => {
  const model = scriptedModel(['One.', 'Two.']);
  const twice = agent('twice', { model, tools: [askHumanTool()] });
  twice.onMessage(async ({ run }) => `${(await run('a')).output} ${(await run('b')).output}`);
  const { human } = await rehearse({ agents: [twice] });
  expect(await human('anna').says('go')).toEqual(['One. Two.']);
});

test('a model that never ends is stopped', async () => {
  const { anna, registry } = await running(
    Array.from({ length: 30 }, (_, i) => calls({ id: `c${i}`, name: 'order', input: i })),
  );
  await expect(anna.says('go')).rejects.toMatchObject({ code: 'too-many-steps' });
  expect((await registry.parked()).items).toHaveLength(1);
});

test.each([
  [{ tools: 'order' }, /tools must be a list/],
  [{ tools: [{ name: 'x' }] }, /tools\[0\] must be a tool with a name, an inputSchema and execute\(\), got an object/],
  [{ tools: [askHumanTool(), askHumanTool()] }, /two tools are named "ask_human"/],
])('an agent with %j is refused', (options, message) => {
  expect(() => agent('shop', options as object)).toThrow(message);
});

test('a result too long to be kept is cut and marked, and its tool has run once', async () => {
  const pages = { name: 'pages', inputSchema: {}, execute: () => '"€'.repeat(60_000) };
  const { anna, model } = await running([calls({ id: 'p', name: 'pages', input: {} }), 'Read.'], { tools: [pages] });
  expect(await anna.says('go')).toEqual(['Read.']);
  const { content = '' } = model.requests[1]?.messages.at(-1) ?? {};
  expect(content).toMatch(/^"€"€.*… \(cut: the result has 120000 characters, more than can be kept\)$/);
  expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThanOrEqual(65_536);
  expect(content.length).toBeGreaterThan(20_000);
});

test('a run too long to be kept while a person thinks asks nobody, and the model is told so', async () => {
  const pages = { name: 'pages', inputSchema: {}, execute: () => 'x'.repeat(60_000) };
  const fetched = ['1', '2', '3', '4', '5'].map((id) => ({ id, name: 'pages', input: {} }));
  const { anna, model, asks } = await running([calls(...fetched), calls({ id: 'a', input: size }), 'Sorry.'], {
    tools: [pages, askHumanTool()],
  });
  expect(await anna.says('go')).toEqual(['Sorry.']);
  expect(model.requests[2]?.messages.at(-1)).toMatchObject({
    callId: 'a',
    content: expect.stringMatching(/^Nothing was asked: this run is too long/),
  });
  expect(await asks()).toEqual([]);
});

test('a model that gives two calls one id has both carried out, each under its own key', async () => {
  const twice = calls({ id: 'c', name: 'order', input: 'small' }, { id: 'c', name: 'order', input: 'large' });
  const { anna, done } = await running([twice, 'Ordered both.']);
  expect(await anna.says('go')).toEqual(['Ordered both.']);
  expect(done.map(([input]) => input)).toEqual(['small', 'large']);
  expect(new Set(done.map(([, key]) => key)).size).toBe(2);
});

test.each([
  ['cancelled by a program', /withdrawn.*neither an answer nor a consent/],
  ['expired by an operator', /expired.*neither an answer nor a consent/],
])('an ask that is %s goes to the model as no answer, and the run goes on', async (how, told) => {
  const { anna, model, registry, asks, clock } = await running([calls({ id: 'c1', input: size }), 'Then not.']);
  await anna.says('go');
  const [{ id } = { id: '' }] = await asks();
  await clock.advance(60_000);
  if (how.startsWith('cancelled')) await registry.cancel(id);
  else await registry.recoverPending(1_000);
  await registry.idle();
  expect(anna.sees()).toContain('Then not.');
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ callId: 'c1', content: expect.stringMatching(told) });
});

test('a call that its adapter could not read, or that does not fit its schema, is told to the model and never executed', async () => {
  const paid: unknown[] = [];
  const refund = {
    name: 'refund',
    inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
    execute: (input: unknown) => {
      paid.push(input);
      return 'Paid.';
    },
  };
  const unread = { id: 'a', name: 'refund', input: { amount: 1 }, problem: 'The arguments are no JSON.' };
  const unreadQuestion = { id: 'b', name: 'ask_human', input: size, problem: 'The arguments are no JSON.' };
  const { anna, model } = await running(
    [
      { calls: [unread, unreadQuestion] },
      calls({ id: 'c', name: 'refund', input: { amount: '480' } }, { id: 'd', name: 'refund', input: {} }),
      calls({ id: 'e', name: 'refund', input: { amount: 480 } }),
      'Refunded.',
    ],
    { tools: [askHumanTool(), refund] },
  );
  expect(await anna.says('go')).toEqual(['Refunded.']);
  expect(paid).toEqual([{ amount: 480 }]);
  const results = model.requests.at(-1)?.messages.flatMap((each) => (each.role === 'tool' ? [each.content] : []));
  const unexecuted = expect.stringMatching(/^The call was NOT executed\. The arguments.*Correct the call/);
  expect(results).toEqual([unexecuted, unexecuted, unexecuted, unexecuted, 'Paid.']);
});

test('what a model says beside its calls is shown to the person, once, also in a run that goes on', async () => {
  const { anna, restart } = await running([
    { text: 'Let me check the sizes.', ...(calls({ id: 'c1', input: size }) as object) },
    { text: 'I am ordering it.', ...(calls({ id: 'c2', name: 'order', input: { size: 'large' } }) as object) },
    'Ordered a large one.',
  ]);
  expect(await anna.says('a hat please')).toEqual([
    'Let me check the sizes.',
    'Which size?\n1. small\n2. large\nReply with a number or a label.',
  ]);
  await restart();
  expect(await anna.says('large')).toEqual(['I am ordering it.', 'Ordered a large one.']);
});

test('in later runs the model sees each question with its options, and the choice by its label', async () => {
  const model = scriptedModel(['Noted.', 'Noted.']);
  const shop = agent('shop', { model });
  const where = shop.question(
    'where',
    choice('Where to?', [
      { id: 'eu', label: 'Europe' },
      { id: 'us', label: 'America' },
    ]),
    {
      onAnswer: () => 'Thank you.',
    },
  );
  shop.onMessage(({ message, ask, run }) => (message === 'ask' ? ask(where) : run(message)));
  const play = await rehearse({ agents: [shop] });
  const anna = play.human('anna');
  await anna.says('ask');
  await anna.presses('America');
  await anna.says('what did I choose?');
  expect(model.requests.at(-1)?.messages.slice(0, 4)).toEqual([
    { role: 'user', content: 'ask' },
    { role: 'assistant', content: 'Where to?\nOptions: Europe, America' },
    { role: 'user', content: 'America' },
    { role: 'assistant', content: 'Thank you.' },
  ]);
});
