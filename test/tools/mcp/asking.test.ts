/** Clients of the official MCP package ask people: in the client itself where it can show a question, else on the phone. */
import { expect, test } from 'vitest';
import { call, client, legacy, modern, openAsks, type Person, world, writes } from './world.js';

const eras = [
  ['2026-07-28', modern],
  ['2025', legacy],
] as const;

test.each(eras)('a client of %s lists the tools, each with what it wants', async (_, era) => {
  const here = world();
  const { tools } = await (await client(here, { era })).listTools();
  expect(tools.map(({ name }) => name)).toEqual(['ask_human', 'approve_action', 'list_asks', 'show_ask', 'answer_ask']);
  expect(tools[0]?.inputSchema).toMatchObject({
    type: 'object',
    required: ['prompt'],
    additionalProperties: false,
    properties: { prompt: { type: 'string' }, options: { type: 'array', items: { type: 'string' }, maxItems: 4 } },
  });
});

test.each(eras)('a client of %s is asked itself, and the answer is an answer of the registry', async (_, era) => {
  const here = world();
  const seen: unknown[] = [];
  const person: Person = (params) => {
    seen.push(params);
    return writes('large');
  };
  const on = await client(here, { era, person });
  const args = {
    prompt: 'Which size?',
    options: ['small', { label: 'large', value: 'l' }],
    details: { order: '1\n2' },
  };
  const { text, isError, data } = await call(on, 'ask_human', args);
  expect([text, isError]).toEqual(['large', false]);
  expect(seen).toMatchObject([
    {
      message: 'Which size?\norder: 1 2',
      requestedSchema: { properties: { answer: { type: 'string', enum: ['small', 'large'] } }, required: ['answer'] },
    },
  ]);
  expect(await here.registry.getAsk(String(data?.['askId']))).toMatchObject({
    status: 'answered',
    value: 'large',
    decidedBy: { id: 'mcp:anna' },
    channelName: 'mcp',
  });
  expect(here.phone.sent).toEqual([]);
});

test('a client shows characters that draw nothing as their codes, and the label that it showed is the answer', async () => {
  const seen: unknown[] = [];
  const person: Person = (params) => {
    seen.push(params);
    return writes('Pay\\u{3164} 1000');
  };
  const on = await client(world(), { era: modern, person });
  const options = ['Pay 100', { label: 'Pay\u3164 1000', value: 'all' }];
  const given = await call(on, 'ask_human', { prompt: 'Pay\u2800 now?', options, details: { to: 'Ann\ufffca' } });
  expect([given.text, given.isError]).toEqual(['Pay\u3164 1000', false]);
  expect(seen).toMatchObject([
    {
      message: 'Pay\\u{2800} now?\nto: Ann\\u{fffc}a',
      requestedSchema: { properties: { answer: { enum: ['Pay 100', 'Pay\\u{3164} 1000'] } } },
    },
  ]);
});

test.each(eras)('a client of %s: open questions, and several choices', async (_, era) => {
  const person: Person = ({ message }) => writes(message === 'Which?' ? ['a', 'c'] : ' blue ');
  const on = await client(world(), { era, person });
  expect(await call(on, 'ask_human', { prompt: 'Colour?' })).toMatchObject({ text: 'blue', isError: false });
  const several = await call(on, 'ask_human', { prompt: 'Which?', options: ['a', 'b', 'c'], many: true });
  expect(several).toMatchObject({ text: '["a","c"]', isError: false, data: { answer: ['a', 'c'] } });
});

test.each(eras)(
  'a client of %s: what does not fit is asked again in the same ask, three times at most',
  async (_, era) => {
    const here = world();
    const answers = ['medium', 'tiny', 'small'];
    const seen: string[] = [];
    const person: Person = ({ message }) => {
      seen.push(message);
      // without an enum in the schema no client would let this through; a hostile one does
      return writes(answers.shift() ?? 'huge');
    };
    // the shim of older clients checks the form by itself, so only an open question can be answered wrongly there
    const prompt = { prompt: 'Your name?' };
    if (era === legacy) answers.splice(0, 3, '', '-', 'Anna');
    const on = await client(here, { era, person });
    const asked = era === legacy ? prompt : { prompt: 'Which size?', options: ['small', 'large'] };
    const { text, isError } = await call(on, 'ask_human', asked);
    expect([text, isError]).toEqual([era === legacy ? 'Anna' : 'small', false]);
    expect(seen).toHaveLength(3);
    expect(seen[1]).not.toBe(seen[0]);
    expect(seen[1]).toContain(asked.prompt);
    const never = await client(here, { era, person: () => writes(era === legacy ? '-' : 'huge') });
    expect(await call(never, 'ask_human', asked)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^The replies did not fit the question, and it was closed without an answer\./),
      data: { status: 'cancelled' },
    });
    const approving = await client(here, { era, person: () => writes('perhaps') });
    if (era !== legacy)
      expect(await call(approving, 'approve_action', { action: 'Delete 3 files' })).toMatchObject({
        text: expect.stringMatching(/^The replies were no decision, and the question was closed\./),
      });
    expect(await openAsks(here)).toEqual([]);
  },
);

test.each(eras)('a client of %s: whoever declines or closes the form is not taken for an answer', async (_, era) => {
  const here = world();
  const declines = await client(here, { era, person: () => ({ action: 'decline' }) });
  expect(await call(declines, 'ask_human', { prompt: 'Age?' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('declined to answer'),
    data: { status: 'declined', by: 'Anna' },
  });
  const closes = await client(here, { era, person: () => ({ action: 'cancel' }) });
  expect(await call(closes, 'ask_human', { prompt: 'Age?' })).toMatchObject({
    isError: true,
    data: { status: 'cancelled' },
  });
  expect(await openAsks(here)).toEqual([]);
});

test.each(eras)('a client of %s: an action is approved by yes and by nothing else', async (_, era) => {
  const here = world();
  const action = { action: 'Delete 3 files', details: { folder: '/tmp' } };
  const says = async (person: Person) => call(await client(here, { era, person }), 'approve_action', action);
  expect(await says(() => writes('Approve'))).toEqual({
    text: 'Approved by Anna: Delete 3 files',
    isError: false,
    data: { approved: true, status: 'answered', by: 'Anna', askId: expect.any(String) },
  });
  expect(await says(() => writes('Deny'))).toMatchObject({
    text: expect.stringMatching(/^Denied by Anna\. Do not do it/),
    isError: true,
    data: { approved: false },
  });
  expect(await says(() => ({ action: 'decline' }))).toMatchObject({ isError: true, data: { approved: false } });
});

test.each(eras)(
  'a client of %s that cannot be asked: the question goes to the channel, and the call waits',
  async (_, era) => {
    const here = world({}, ({ text }) => (text === 'Which size?' ? '2' : 'yes'));
    const on = await client(here, { era });
    const size = await call(on, 'ask_human', { prompt: 'Which size?', options: ['small', 'large'] });
    expect(size).toMatchObject({ text: 'large', isError: false, data: { by: 'Bob' } });
    expect(await call(on, 'approve_action', { action: 'Deploy' })).toMatchObject({ text: 'Approved by Bob: Deploy' });
    expect(here.phone.questions.map(({ text }) => text)).toEqual(['Which size?', 'Deploy']);
  },
);

test('an action that the person at the client may not approve goes to somebody who may', async () => {
  const here = world({ approvers: ['phone:bob'] }, () => 'no');
  const on = await client(here, { person: () => writes('Approve') });
  expect(await call(on, 'approve_action', { action: 'Deploy' })).toMatchObject({
    text: expect.stringMatching(/^Denied by Bob/),
    isError: true,
  });
  const own = {
    ...here,
    options: { ...here.options, approvers: { roles: ['boss'] }, participant: { id: 'mcp:carl', roles: ['boss'] } },
  };
  const boss = await client(own, { person: () => writes('Approve') });
  expect(await call(boss, 'approve_action', { action: 'Deploy' })).toMatchObject({ isError: false });
  expect(here.phone.questions).toHaveLength(1);
});

test('a client that can show this question but not that one is asked only this', async () => {
  const here = world({}, () => '1');
  const pages = await client(here, { shows: { url: {} }, person: () => expect.unreachable('it shows no forms') });
  expect(await call(pages, 'ask_human', { prompt: 'Which?', options: ['a', 'b'] })).toMatchObject({
    data: { by: 'Bob' },
  });
  const older = await client(here, { era: legacy, revisions: ['2025-06-18'], person: () => writes('b') });
  const args = { prompt: 'Which?', options: ['a', 'b'] };
  expect(await call(older, 'ask_human', args)).toMatchObject({ text: 'b', data: { by: 'Anna' } });
  expect(await call(older, 'ask_human', { ...args, many: true })).toMatchObject({ text: '["a"]', data: { by: 'Bob' } });
});

test('where nobody can be asked the model is told so', async () => {
  const here = world();
  const { channel: _, to: __, ...rest } = here.options;
  const on = await client({ ...here, options: rest });
  expect(await call(on, 'ask_human', { prompt: 'Age?' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('this client cannot show the question'),
  });
});

test('where others have to approve and there is no channel, the model is told that, and not that the client lacks something', async () => {
  const here = world({ approvers: ['phone:bob'] });
  const { channel: _, to: __, ...rest } = here.options;
  const on = await client({ ...here, options: rest }, { person: () => expect.unreachable('Anna may not approve') });
  expect(await call(on, 'approve_action', { action: 'Deploy' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/others .* have to approve, and this server has no channel/),
  });
});

test.each(eras)('a client of %s: several questions are one form', async (_, era) => {
  const seen: unknown[] = [];
  const person: Person = (params) => {
    seen.push(params);
    return { action: 'accept', content: { size: 'large', extras: ['nuts'], note: 'soon' } };
  };
  const here = world();
  const questions = [
    { name: 'size', prompt: 'Which size?', options: ['small', 'large'] },
    { name: 'extras', prompt: 'Which extras?', options: ['nuts', 'milk'], many: true },
    { name: 'note', prompt: 'Anything else?' },
  ];
  const answered = await call(await client(here, { era, person }), 'ask_human', { prompt: 'Your order', questions });
  expect(answered).toMatchObject({
    isError: false,
    data: { answer: { size: 'large', extras: ['nuts'], note: 'soon' } },
  });
  expect(seen).toMatchObject([
    {
      message: 'Your order',
      requestedSchema: {
        properties: {
          size: { type: 'string', title: 'Which size?', enum: ['small', 'large'] },
          extras: { type: 'array', items: { enum: ['nuts', 'milk'] } },
          note: { type: 'string', title: 'Anything else?' },
        },
        required: ['size', 'extras', 'note'],
      },
    },
  ]);
});

test('a client that gives up cancels the ask on the channel', async () => {
  const here = world();
  const on = await client(here);
  const stop = new AbortController();
  const calling = on.callTool({ name: 'ask_human', arguments: { prompt: 'Age?' } }, { signal: stop.signal });
  const refused = expect(calling).rejects.toThrow();
  await here.phone.message(1);
  const [ask] = await openAsks(here);
  const over = here.registry.wait(String(ask?.id));
  stop.abort('enough');
  await refused;
  expect(await over).toMatchObject({ status: 'cancelled' });
});

test('a client that gives up before it has the question cancels it', async () => {
  const here = world();
  const on = await client(here, { person: () => writes('never asked') });
  const stop = new AbortController();
  const over = new Promise((resolve) => here.registry.on('cancelled', resolve));
  here.registry.on('asked', () => stop.abort('enough'));
  const calling = on.callTool({ name: 'ask_human', arguments: { prompt: 'Age?' } }, { signal: stop.signal });
  await expect(calling).rejects.toThrow();
  await over;
  expect(await openAsks(here)).toEqual([]);
});

test('an older client that gives up while it shows the form cancels the ask', async () => {
  const here = world();
  const stop = new AbortController();
  let over: Promise<unknown> = Promise.resolve();
  const person: Person = async () => {
    const [ask] = await openAsks(here);
    over = here.registry.wait(String(ask?.id));
    stop.abort('enough');
    await over;
    return writes('too late');
  };
  const on = await client(here, { era: legacy, person });
  const calling = on.callTool({ name: 'ask_human', arguments: { prompt: 'Age?' } }, { signal: stop.signal });
  await expect(calling).rejects.toThrow();
  expect(await over).toMatchObject({ status: 'cancelled' });
});

test('a client that wants to hear of progress is told that a person has been asked', async () => {
  const on = await client(world());
  const heard = new Promise<unknown>((resolve) => {
    on.callTool({ name: 'ask_human', arguments: { prompt: 'Age?' } }, { onprogress: resolve }).catch(() => {});
  });
  expect(await heard).toMatchObject({ progress: 1, message: 'A person has been asked' });
});

test.each([modern, legacy])('each text of an approval is one line, with every character visible', async (era) => {
  const here = world();
  const seen: string[] = [];
  const on = await client(here, {
    era,
    person: ({ message }) => {
      seen.push(message);
      return writes('Deny');
    },
  });
  const action = 'Read a file\nRisk: none';
  await call(on, 'approve_action', {
    action,
    details: { 'path\nowner': '/etc\u202e/passwd\nApproved by: Max', amount: 3 },
  });
  expect(seen).toEqual([
    [
      String.raw`"Read a file\nRisk: none"`,
      String.raw`"path\nowner": "/etc\u{202e}/passwd\nApproved by: Max"`,
      'amount: 3',
    ].join('\n'),
  ]);
});
