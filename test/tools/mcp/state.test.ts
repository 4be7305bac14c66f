/** What travels through the client is sealed: changed, borrowed or used twice, it decides nothing. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { AgentRegistry, MemoryStore } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { McpChannel, mcpServer } from '../../../src/tools/mcp/index.js';
import { Phone } from '../kit.js';
import { anna, call, client, legacy, modern, openAsks, type World, world, writes } from './world.js';

const secret = 'a secret that is long enough to be one';
const silent = { person: () => writes('never asked'), autoFulfill: false, era: modern } as const;

interface Round {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: Record<string, { params: { message: string; url?: string } }>;
  readonly isError?: boolean;
  readonly content?: readonly { text: string }[];
}

/** One round of a call, by hand. */
async function round(on: Client, name: string, args: object, more: object = {}): Promise<Round> {
  const params = { name, arguments: args, ...more } as never;
  return (await on.request({ method: 'tools/call', params }, { allowInputRequired: true })) as Round;
}

const size = { prompt: 'Which size?', options: ['small', 'large'] };
const answering = (answer: string, requestState: string | undefined) => ({
  inputResponses: { answer: writes(answer) },
  requestState,
});

test('the client gets the question and a sealed state that names only the ask and the call', async () => {
  const here = world({ secret });
  const { resultType, requestState = '', inputRequests } = await round(await client(here, silent), 'ask_human', size);
  expect(resultType).toBe('input_required');
  expect(inputRequests?.['answer']?.params.message).toBe('Which size?');
  const [ask] = await openAsks(here);
  const sealed = JSON.parse(Buffer.from(requestState.split('.')[1] ?? '', 'base64url').toString()) as { p: object };
  expect(sealed.p).toEqual({ ask: ask?.id, tool: 'ask_human', digest: expect.any(String), way: 'form', round: 1 });
  expect(requestState).not.toContain('mcp:anna');
});

test('a changed state is refused, and the ask waits on', async () => {
  const here = world({ secret });
  const on = await client(here, silent);
  const { requestState = '' } = await round(on, 'ask_human', size);
  const [version, body = '', mac] = requestState.split('.');
  const opened = JSON.parse(Buffer.from(body, 'base64url').toString()) as { p: { ask: string } };
  opened.p.ask = 'another';
  const changed = [version, Buffer.from(JSON.stringify(opened)).toString('base64url'), mac].join('.');
  for (const state of [changed, `${requestState}x`, 'v1.e30.e30', '']) {
    await expect(round(on, 'ask_human', size, answering('large', state))).rejects.toThrow(
      /Invalid or expired requestState/,
    );
  }
  expect(await openAsks(here)).toMatchObject([{ status: 'pending' }]);
  expect((await round(on, 'ask_human', size, answering('large', requestState))).content?.[0]?.text).toBe('large');
});

test('a state of another call, tool, person or server is refused', async () => {
  const here = world({ secret });
  const on = await client(here, silent);
  const { requestState } = await round(on, 'ask_human', size);
  const other = { ...size, prompt: 'Delete everything?' };
  expect(await round(on, 'ask_human', other, answering('large', requestState))).toMatchObject({ isError: true });
  expect(await round(on, 'approve_action', { action: 'x' }, answering('Approve', requestState))).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('another question') }],
  });
  for (const more of [
    { participant: { id: 'mcp:eve' } },
    { participant: { ...anna, tenant: 'T2' } },
    { secret: `${secret}!` },
  ]) {
    const foreign: World = { ...here, options: { ...here.options, ...more } };
    const calling = round(await client(foreign, silent), 'ask_human', size, answering('large', requestState));
    await expect(calling).rejects.toThrow(/Invalid or expired requestState/);
  }
  expect(await openAsks(here)).toMatchObject([{ status: 'pending' }]);
});

test('a state used twice gives the first answer again and decides nothing', async () => {
  const here = world({ secret });
  const on = await client(here, silent);
  const { requestState } = await round(on, 'ask_human', size);
  expect((await round(on, 'ask_human', size, answering('large', requestState))).content?.[0]?.text).toBe('large');
  expect((await round(on, 'ask_human', size, answering('small', requestState))).content?.[0]?.text).toBe('large');
});

test('a client that comes back without an answer is shown the same ask again', async () => {
  const here = world({ secret });
  const on = await client(here, silent);
  const { requestState } = await round(on, 'ask_human', size);
  const again = await round(on, 'ask_human', size, { requestState });
  expect(again.inputRequests?.['answer']?.params.message).toBe('Which size?');
  expect(await openAsks(here)).toHaveLength(1);
});

test('an option that was never offered is refused, whatever the client sends', async () => {
  const on = await client(world({ secret }), silent);
  let { requestState } = await round(on, 'ask_human', size);
  for (const answer of ['huge', '__proto__', '']) {
    const next = await round(on, 'ask_human', size, answering(answer, requestState));
    if (next.isError) return expect(next.content?.[0]?.text).toContain('did not fit');
    expect(next.inputRequests?.['answer']?.params.message).toMatch(/small.*\nWhich size\?/s);
    requestState = next.requestState;
  }
  expect.unreachable('the third wrong answer ends it');
});

test('the answer may come to another process than the one that asked, also one without agents', async () => {
  const store = new MemoryStore();
  const here = world({ secret }, undefined, { store });
  const { requestState } = await round(await client(here, silent), 'ask_human', size);
  const forms = new McpChannel();
  const registry = new AgentRegistry({ channels: [new Phone(), forms], store });
  await here.registry.stop();
  const there: World = { ...here, registry, options: { ...here.options, forms } };
  const { content } = await round(await client(there, silent), 'ask_human', size, answering('large', requestState));
  expect(content?.[0]?.text).toBe('large');
  await registry.stop();
});

test('an answer after the time of the question is told as such', async () => {
  const clock = new FakeClock();
  const here = world({ secret, timeout: 60_000 }, undefined, { clock, store: new MemoryStore({ clock }) });
  const on = await client(here, silent);
  const { requestState } = await round(on, 'ask_human', size);
  await clock.advance(60_001);
  await here.registry.sweep();
  const late = await round(on, 'ask_human', size, answering('large', requestState));
  expect(late).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('expired') }] });
});

test('a client that goes away between the rounds leaves the ask open, and may come back', async () => {
  const here = world({ secret });
  const first = await client(here, silent);
  const { requestState } = await round(first, 'ask_human', size);
  await first.close();
  await here.registry.idle();
  expect(await openAsks(here)).toMatchObject([{ status: 'pending' }]);
  const { content } = await round(await client(here, silent), 'ask_human', size, answering('large', requestState));
  expect(content?.[0]?.text).toBe('large');
});

test('over HTTP every call has its own server, and the seal of the process holds between them', async () => {
  const { registry, options } = world();
  const handler = createMcpHandler(() => mcpServer(registry, options));
  const fetched = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const on = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: modern },
  );
  on.setRequestHandler('elicitation/create', async () => writes('large'));
  await on.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: fetched }));
  expect(await call(on, 'ask_human', size)).toMatchObject({ text: 'large', isError: false });
  await on.close();
  await handler.close();
});

test.each([
  ['2026-07-28', modern],
  ['2025', legacy],
])(
  'over HTTP a client of %s that gives up leaves no ask which takes the next message for its answer',
  async (_, era) => {
    const here = world();
    const handler = createMcpHandler(() => mcpServer(here.registry, here.options));
    const fetched = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
    const on = new Client({ name: 'test', version: '1' }, { versionNegotiation: era });
    await on.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: fetched }));
    const patience = new AbortController();
    const asking = { name: 'ask_human', arguments: { prompt: 'Deploy?' } };
    const gaveUp = expect(on.callTool(asking, { signal: patience.signal })).rejects.toThrow();
    await here.phone.message(1);
    expect(await openAsks(here)).toHaveLength(1);
    patience.abort();
    await gaveUp;
    await vi.waitFor(async () => expect(await openAsks(here)).toEqual([]), { timeout: 10_000 });
    await on.close();
    await handler.close();
  },
);

test('over HTTP, of two clients of one person whose calls have the same id, only the one that gives up is cancelled', async () => {
  const here = world();
  const handler = createMcpHandler(() => mcpServer(here.registry, here.options));
  const fetched = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const connected = async (agent: string) => {
    const on = new Client({ name: agent, version: '1' }, { versionNegotiation: legacy });
    const requestInit = { headers: { 'user-agent': agent } };
    await on.connect(
      new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: fetched, requestInit }),
    );
    return on;
  };
  const [editor, desktop] = [await connected('editor'), await connected('desktop')];
  const patience = new AbortController();
  const asking = (prompt: string) => ({ name: 'ask_human', arguments: { prompt } });
  const gaveUp = expect(editor.callTool(asking('Deploy?'), { signal: patience.signal })).rejects.toThrow();
  await here.phone.message(1);
  const waits = desktop.callTool(asking('Publish?'));
  await vi.waitFor(async () => expect(await openAsks(here)).toHaveLength(2), { timeout: 10_000 });
  patience.abort();
  await gaveUp;
  await vi.waitFor(async () => expect(await openAsks(here)).toHaveLength(1), { timeout: 10_000 });
  await here.phone.message(2);
  await here.phone.types('yes', 'bob');
  expect(await waits).toMatchObject({ content: [{ text: 'yes' }] });
  for (const each of [editor, desktop, handler]) await each.close();
});

test('a client that gives up a call of its own connection cancels nothing of another client', async () => {
  const here = world();
  const [one, other] = [await client(here), await client(here)];
  const waits = call(other, 'ask_human', { prompt: 'Deploy?' });
  await here.phone.message(1);
  const [ask] = await openAsks(here);
  for (let requestId = 0; requestId < 10; requestId += 1)
    await one.notification({ method: 'notifications/cancelled', params: { requestId } });
  await call(one, 'list_asks', {}); // by now they were read
  expect((await openAsks(here)).map(({ id }) => id)).toEqual([ask?.id]);
  await here.phone.types('yes', 'bob');
  expect(await waits).toMatchObject({ text: 'yes' });
});

const page = { url: (id: string) => `https://example.com/asks/${id}` };
const secretQuestion = { prompt: 'Your API key?', sensitive: true };

test.each([
  ['2026-07-28', modern],
  ['2025', legacy],
])(
  'a client of %s: a sensitive question is answered on a page, and the model learns only that it was',
  async (_, era) => {
    const here = world({ secret, ...page });
    const on = await client(here, {
      era,
      shows: { form: {}, url: {} },
      person: async (params) => {
        expect(params).toMatchObject({ mode: 'url', message: 'Your API key?' });
        const id = 'url' in params ? params.url.split('/').at(-1) : '';
        await here.registry.answer(String(id), { text: 'sk-1234' }, { by: { id: 'mcp:anna' } });
        return { action: 'accept' };
      },
    });
    const { text, isError, data } = await call(on, 'ask_human', secretQuestion);
    expect(isError).toBe(false);
    expect(text).toContain('has answered');
    expect(JSON.stringify([text, data])).not.toContain('sk-1234');
    expect(await here.registry.wait(String(data?.['askId']))).toMatchObject({ status: 'answered', value: 'sk-1234' });
    expect(await call(on, 'show_ask', { id: data?.['askId'] })).toMatchObject({ isError: false });
    expect((await call(on, 'show_ask', { id: data?.['askId'] })).text).not.toContain('sk-1234');
  },
);

test.each([
  ['no page is known', {}, { form: {}, url: {} }],
  ['the client opens no pages', page, { form: {} }],
])('a sensitive question never goes through a form: %s, so it goes to the channel', async (_, more, shows) => {
  const here = world({ secret, ...more }, () => 'sk-1234');
  const on = await client(here, { shows, person: () => expect.unreachable('the client was asked') });
  const { text, isError } = await call(on, 'ask_human', secretQuestion);
  expect([isError, text.includes('sk-1234')]).toEqual([false, false]);
  expect(here.phone.sent).toMatchObject([{ text: 'Your API key?', ask: { sensitive: true } }]);
});

test('a page that has no address asks nobody', async () => {
  const here = world({ secret, url: () => 'not an address' });
  const on = await client(here, { shows: { url: {} }, person: () => ({ action: 'accept' }) });
  expect(await call(on, 'ask_human', secretQuestion)).toMatchObject({
    isError: true,
    text: expect.stringContaining('url(askId)'),
  });
  await here.registry.idle();
  expect(await openAsks(here)).toEqual([]);
});
