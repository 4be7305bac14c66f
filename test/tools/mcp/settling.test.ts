/** A person answers through their MCP client what others asked: only what is theirs, once, and nothing else is shown. */
import { expect, test, vi } from 'vitest';
import type { Participant } from '../../../src/index.js';
import { AgentError, agent, choice, confirm, text } from '../../../src/index.js';
import type { McpServerOptions } from '../../../src/tools/mcp/index.js';
import { McpChannel, mcpServer } from '../../../src/tools/mcp/index.js';
import { call, client, openAsks, type World, world, writes } from './world.js';

const nobody = 'There is no such question, or it is not for you.';

/** A registry with an agent, and one open ask for these people. */
async function asked(
  answerableBy: unknown,
  more: object = {},
  question: unknown = choice('Which size?', ['small', 'large']),
) {
  const here = world({}, undefined, { agents: [agent('clerk')] });
  const { askId: id } = await here.registry.ask(question as never, {
    channel: 'phone',
    to: 'bob',
    answerableBy: answerableBy as never,
    ...more,
  });
  await here.registry.idle();
  return { here, id };
}

/** A registry in which somebody of this tenant has started an ask for these people. */
async function askedAt(tenant: string, answerableBy: { roles: string[] }) {
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('Deploy?'), { answerableBy, onAnswer: () => 'Thank you.' });
  shop.onMessage(({ ask }) => ask(sure));
  const here = world({}, undefined, { agents: [shop] });
  await here.registry.handle({ id: '1', conversationId: 'c', text: 'go', participant: { id: 'web:asker', tenant } });
  const [{ id } = { id: '' }] = await openAsks(here);
  return { here, id };
}

const as = (here: World, participant: Participant, more: Partial<McpServerOptions> = {}) =>
  client({ ...here, options: { ...here.options, participant, ...more } });

test('what is open for the person is listed, shown and answered', async () => {
  const { here, id } = await asked(['mcp:anna'], { details: { order: '12' }, context: { private: 'p4ss' } });
  const on = await client(here);
  const listed = await call(on, 'list_asks', {});
  expect(listed.data).toMatchObject({
    asks: [{ id, status: 'pending', question: 'Which size?', options: ['small', 'large'], details: { order: '12' } }],
  });
  expect(JSON.parse(listed.text)).toMatchObject({ id });
  expect(await call(on, 'show_ask', { id })).toMatchObject({ isError: false, data: { ask: { id } } });
  expect(await call(on, 'answer_ask', { id, answer: 'large' })).toMatchObject({ isError: false });
  const after = await call(on, 'show_ask', { id });
  expect(after.data).toMatchObject({ ask: { status: 'answered', answer: 'large', by: 'Anna' } });
  expect(JSON.stringify([listed, after])).not.toContain('p4ss');
  expect(await call(on, 'list_asks', {})).toMatchObject({
    text: 'Nothing is open for this person.',
    data: { asks: [] },
  });
});

test('what does not fit is said, and the ask waits on', async () => {
  const { here, id } = await asked(['mcp:anna']);
  const on = await client(here);
  expect(await call(on, 'answer_ask', { id, answer: 'huge' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/still open.*small/),
  });
  expect(await here.registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
});

test('a second answer is told that there is one, and by whom', async () => {
  const { here, id } = await asked(['mcp:anna', 'mcp:carl']);
  await call(await client(here), 'answer_ask', { id, answer: 'large' });
  const carl = await as(here, { id: 'mcp:carl' });
  expect(await call(carl, 'answer_ask', { id, answer: 'small' })).toMatchObject({
    isError: true,
    text: 'It was already answered by Anna.',
  });
  expect(await here.registry.getAsk(id)).toMatchObject({ value: 'large' });
});

test.each([
  ['somebody else', ['mcp:anna'], { id: 'mcp:eve' }],
  ['another role', { roles: ['boss'] }, { id: 'mcp:eve', roles: ['clerk'] }],
  ['whoever is on the phone', 'asker', { id: 'mcp:eve' }],
])('%s gets the same answer as for an ask that does not exist', async (_, answerableBy, eve) => {
  const { here, id } = await asked(answerableBy);
  const on = await as(here, eve);
  const none = '00000000-0000-8000-8000-000000000000';
  for (const unknown of [id, none, 'nonsense', '../..']) {
    expect(await call(on, 'show_ask', { id: unknown })).toEqual({ text: nobody, isError: true, data: undefined });
    const answered = await call(on, 'answer_ask', { id: unknown, answer: 'large' });
    expect(answered).toEqual({ text: nobody, isError: true, data: undefined });
  }
  expect((await call(on, 'list_asks', {})).data).toEqual({ asks: [] });
  expect(await here.registry.getAsk(id)).toMatchObject({ status: 'pending' });
});

test('the registry decides who may answer, whatever a person is shown', async () => {
  const { here, id } = await asked(['mcp:anna']);
  const curious = { ...here, options: { ...here.options, participant: { id: 'mcp:eve' }, sees: () => true } };
  const { here: roles, id: forBoss } = await asked({ roles: ['boss'] });
  const eve = await as(roles, { id: 'mcp:eve' }, { sees: () => true });
  expect(await call(eve, 'show_ask', { id: forBoss })).toMatchObject({ isError: false });
  expect(await call(eve, 'answer_ask', { id: forBoss, answer: 'large' })).toMatchObject({
    isError: true,
    text: nobody,
  });
  // somebody named is shown to nobody else
  expect(await call(await client(curious), 'show_ask', { id })).toMatchObject({ isError: true, text: nobody });
});

test.each([
  ['anyone', 'anyone', { id: 'mcp:dora' }],
  ['a role', { roles: ['boss'] }, { id: 'mcp:dora', roles: ['boss'] }],
])('an ask for %s can be answered by whoever has it', async (_, answerableBy, dora) => {
  const { here, id } = await asked(answerableBy);
  const on = await as(here, dora);
  expect((await call(on, 'list_asks', {})).data).toMatchObject({ asks: [{ id }] });
  expect(await call(on, 'answer_ask', { id, answer: 'small' })).toMatchObject({ isError: false });
});

test.each([
  ['no tenant', {}],
  ['another tenant', { tenant: 'globex' }],
])('a person with the role and %s sees no ask of a tenant, as they may not answer it', async (_, more) => {
  const { here, id } = await askedAt('acme', { roles: ['boss'] });
  const eve = await as(here, { id: 'mcp:eve', roles: ['boss'], ...more });
  expect((await call(eve, 'list_asks', {})).data).toEqual({ asks: [] });
  expect(await call(eve, 'show_ask', { id })).toMatchObject({ text: nobody });
  expect(await call(eve, 'answer_ask', { id, answer: 'yes' })).toMatchObject({ text: nobody });
  expect(await here.registry.getAsk(id)).toMatchObject({ status: 'pending' });
});

test('`sees` shows nobody an ask of another tenant', async () => {
  const { here, id } = await askedAt('acme', { roles: ['boss'] });
  for (const tenant of [undefined, 'globex']) {
    const eve = await as(here, { id: 'mcp:eve', ...(tenant === undefined ? {} : { tenant }) }, { sees: () => true });
    expect((await call(eve, 'list_asks', {})).data).toEqual({ asks: [] });
    expect(await call(eve, 'show_ask', { id })).toMatchObject({ text: nobody });
  }
  const dora = await as(here, { id: 'mcp:dora', tenant: 'acme' }, { sees: ({ tenant }) => tenant === 'acme' });
  expect((await call(dora, 'list_asks', {})).data).toMatchObject({ asks: [{ id }] });
});

test('a person of the tenant with the role sees the ask, and answers it; afterwards they see what became of it', async () => {
  const { here, id } = await askedAt('acme', { roles: ['boss'] });
  const dora = await as(here, { id: 'mcp:dora', roles: ['boss'], tenant: 'acme' });
  expect((await call(dora, 'list_asks', {})).data).toMatchObject({ asks: [{ id }] });
  expect(await call(dora, 'answer_ask', { id, answer: 'yes' })).toMatchObject({ isError: false });
  const carl = await as(here, { id: 'mcp:carl', roles: ['boss'], tenant: 'acme' });
  expect((await call(carl, 'show_ask', { id })).data).toMatchObject({ ask: { status: 'answered' } });
});

test('a policy says who sees an ask as it says who answers it; one that fails shows it to nobody and hides nothing else', async () => {
  const policies = {
    friends: ({ id }: Participant) => id === 'mcp:dora',
    broken: () => {
      throw new Error('the directory is down');
    },
  };
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const here = world({}, undefined, { agents: [agent('clerk')], policies, logger: quiet });
  const there = (policy: string) => ({ channel: 'phone', to: policy, answerableBy: { policy } });
  await here.registry.ask('Broken?', there('broken'));
  const { askId: id } = await here.registry.ask('Friends?', there('friends'));
  await here.registry.idle();
  const dora = await as(here, { id: 'mcp:dora' });
  expect((await call(dora, 'list_asks', {})).data).toMatchObject({ asks: [{ id }] });
  const eve = await as(here, { id: 'mcp:eve' });
  expect((await call(eve, 'list_asks', {})).data).toEqual({ asks: [] });
  expect(await call(eve, 'show_ask', { id })).toMatchObject({ text: nobody });
});

test('who somebody is, the registry says: what is for the person is shown under every id of theirs', async () => {
  const identify = ({ id }: Participant) => ({ id: id === 'mcp:dora' ? 'person:dora' : id });
  const here = world({}, undefined, { agents: [agent('clerk')], identify });
  const { askId: id } = await here.registry.ask('Really?', {
    channel: 'phone',
    to: 'bob',
    answerableBy: ['person:dora'],
  });
  await here.registry.idle();
  const dora = await as(here, { id: 'mcp:dora' });
  expect((await call(dora, 'list_asks', {})).data).toMatchObject({ asks: [{ id }] });
  expect(await call(dora, 'answer_ask', { id, answer: 'Yes, really.' })).toMatchObject({ isError: false });
});

test('an ask of an agent, asked by the person at the client, is theirs', async () => {
  const shop = agent('shop');
  const order = shop.question('order', text('Which order?'), { onAnswer: (number) => `Refunded ${number}.` });
  shop.onMessage(({ ask }) => ask(order));
  const here = world({}, undefined, { agents: [shop] });
  await here.registry.handle({ id: '1', conversationId: 'c', text: 'refund', participant: { id: 'mcp:anna' } });
  const on = await client(here);
  const [ask] = await openAsks(here);
  expect((await call(on, 'list_asks', {})).data).toMatchObject({ asks: [{ id: ask?.id, question: 'Which order?' }] });
  expect(await call(on, 'answer_ask', { id: ask?.id, answer: '12345' })).toMatchObject({ isError: false });
  expect(await call(await as(here, { id: 'mcp:eve' }), 'show_ask', { id: ask?.id })).toMatchObject({ text: nobody });
});

test('an ask that was answered, and whose turn goes on, is listed no more', async () => {
  const shop = agent('shop').onMessage(async ({ askAndWait }) => {
    await askAndWait('First?');
    return (await askAndWait('Second?')).status;
  });
  const here = world({}, undefined, { agents: [shop] });
  await here.registry.handle({ id: '1', conversationId: 'c', text: 'go', participant: { id: 'mcp:anna' } });
  const on = await client(here);
  const [{ id } = { id: '' }] = await openAsks(here);
  await call(on, 'answer_ask', { id, answer: 'one' });
  await expect
    .poll(async () => (await call(on, 'list_asks', {})).data)
    .toMatchObject({ asks: [{ question: 'Second?', status: 'pending' }] });
});

test('a vote counts, and the others are waited for', async () => {
  const { here, id } = await asked(['mcp:anna', 'mcp:carl'], { quorum: 2 }, confirm('Deploy?'));
  expect(await call(await client(here), 'answer_ask', { id, answer: 'yes' })).toMatchObject({
    isError: false,
    text: expect.stringContaining('Others are needed'),
  });
});

test('a model cannot answer for the person what it asked itself', async () => {
  const here = world();
  let own = '';
  const on = await client(here, {
    person: async () => {
      own = (await openAsks(here))[0]?.id ?? '';
      const answered = await call(on, 'answer_ask', { id: own, answer: 'Approve' });
      expect(answered).toMatchObject({ isError: true, text: expect.stringContaining('asked this yourself') });
      expect((await call(on, 'list_asks', {})).data).toEqual({ asks: [] });
      expect((await call(on, 'show_ask', { id: own })).data).toMatchObject({ ask: { status: 'pending' } });
      return writes('Deny');
    },
  });
  expect(await call(on, 'approve_action', { action: 'Deploy' })).toMatchObject({ data: { approved: false } });
  expect(await here.registry.getAsk(own)).toMatchObject({ value: false });
});

test('a sensitive question is not answered through a model', async () => {
  const { here, id } = await asked(['mcp:anna'], { sensitive: true }, text('Your key?'));
  expect(await call(await client(here), 'answer_ask', { id, answer: 'sk-1234' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('sensitive'),
  });
  expect(await here.registry.getAsk(id)).toMatchObject({ status: 'pending' });
});

test('a long list comes page by page, and pages without asks for the person are skipped', async () => {
  const here = world({}, undefined, { agents: [agent('clerk')] });
  for (let i = 0; i < 120; i += 1) {
    const answerableBy = [i < 60 ? 'mcp:eve' : 'mcp:anna'];
    await here.registry.ask(`Question ${i}?`, { channel: 'phone', to: `bob${i}`, answerableBy });
  }
  await here.registry.idle();
  const on = await client(here);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await call(on, 'list_asks', cursor === undefined ? {} : { cursor });
    const page = data as { asks: readonly { question: string }[]; cursor?: string };
    expect(page.asks).not.toEqual([]);
    seen.push(...page.asks.map(({ question }) => question));
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(new Set(seen)).toEqual(new Set(Array.from({ length: 60 }, (_, i) => `Question ${i + 60}?`)));
  expect(seen).toHaveLength(60);
});

test('tools have other names, or are left out', async () => {
  const here = world({ names: { ask_human: 'human_intervention.request', answer_ask: false } });
  const on = await client(here, { person: () => writes('blue') });
  const names = (await on.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(['human_intervention_request', 'approve_action', 'list_asks', 'show_ask']);
  expect(await call(on, 'human_intervention_request', { prompt: 'Colour?' })).toMatchObject({ text: 'blue' });
});

test.each([
  [{ participant: undefined }, /participant\.id must be/],
  [{ channel: undefined, forms: undefined }, /nobody could be asked/],
  [{ forms: {} }, /forms must be a McpChannel/],
  [{ channel: ' ' }, /channel must be/],
  [{ timeout: 0 }, /timeout must be/],
  [{ timeout: Number.POSITIVE_INFINITY }, /timeout must be/],
  [{ secret: 'short' }, /secret must be .* 32 bytes/],
  [{ url: 'https://example.com' }, /url must be a function/],
  [{ names: { ask: 'x' } }, /names\.ask is unknown/],
  [{ names: { ask_human: '...' } }, /names\.ask_human must have/],
  [{ names: { ask_human: 'show_ask' } }, /same name/],
  [{ chanel: 'phone' }, /the option chanel is unknown. Did you mean channel\?/],
])('mcpServer with %j is refused at once', async (wrong, message) => {
  const { registry, options } = world();
  const made = mcpServer(registry, { ...options, ...wrong } as never);
  await expect(made).rejects.toThrow(AgentError);
  await expect(made).rejects.toThrow(message);
});

test('without the package the error says what to install', async () => {
  vi.doMock('@modelcontextprotocol/server', () => {
    throw new Error('Cannot find package');
  });
  const { registry, options } = world();
  await expect(mcpServer(registry, options)).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('npm install @modelcontextprotocol/server'),
  });
  vi.doUnmock('@modelcontextprotocol/server');
});

test('forms that are not in the registry are refused at once', async () => {
  const { registry, options } = world();
  const made = mcpServer(registry, { ...options, forms: new McpChannel() });
  await expect(made).rejects.toThrow(/Make the registry with channels: \[forms\]/);
});

test('what a person asks by MCP is of their tenant: a manager of another one neither sees nor approves it', async () => {
  const annaOf = (tenant: string) => ({ id: 'mcp:anna', tenant });
  const here = world({ approvers: { roles: ['manager'] }, timeout: 60_000 });
  const anna = await as(here, annaOf('T1'));
  const asking = call(anna, 'approve_action', { action: 'Wire 9000 EUR', details: { of: 'T1' } });
  await expect.poll(async () => (await openAsks(here)).length).toBe(1);
  const [{ id } = { id: '' }] = await openAsks(here);
  expect(await here.registry.getAsk(id)).toMatchObject({ asker: { id: 'mcp:anna', tenant: 'T1' } });
  for (const more of [{ tenant: 'T2' }, {}]) {
    const eve = await as(here, { id: 'mcp:eve', roles: ['manager'], ...more });
    expect((await call(eve, 'list_asks', {})).data).toEqual({ asks: [] });
    expect(await call(eve, 'answer_ask', { id, answer: 'once' })).toMatchObject({ text: nobody });
  }
  const namesake = await as(here, { ...annaOf('T2'), roles: ['manager'] });
  expect(await call(namesake, 'show_ask', { id })).toMatchObject({ text: nobody });
  const dora = await as(here, { id: 'mcp:dora', roles: ['manager'], tenant: 'T1' });
  const [{ options = [] } = {}] = ((await call(dora, 'list_asks', {})).data?.['asks'] ?? []) as {
    options?: string[];
  }[];
  expect(await call(dora, 'answer_ask', { id, answer: options[0] ?? '' })).toMatchObject({ isError: false });
  await asking;
  expect(await call(anna, 'show_ask', { id })).toMatchObject({ isError: false });
});

test('a person whom the client asks answers for their tenant', async () => {
  const here = world();
  const participant = { id: 'mcp:anna', tenant: 'T1' };
  const on = await client({ ...here, options: { ...here.options, participant } }, { person: () => writes('large') });
  expect(await call(on, 'ask_human', { prompt: 'Which size?' })).toMatchObject({
    text: expect.stringContaining('large'),
  });
});
