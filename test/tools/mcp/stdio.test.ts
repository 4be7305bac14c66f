/**
 * The example as a client starts it: a process of its own, over stdin and stdout. `npm test` builds it before.
 * ASKBACK_EXAMPLES names another folder with built examples.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, test } from 'vitest';

const file = resolve(process.env['ASKBACK_EXAMPLES'] ?? 'dist-examples', 'mcp-server.js');
if (!existsSync(file)) throw new Error(`${file} is not built. Run: npm run build && npm run build:examples`);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const command = (env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [file],
  env,
  stderr: 'pipe' as const,
});

const me = { name: 'test', version: '1' };
const accepts = (answer: string | string[]) => ({ action: 'accept' as const, content: { answer } });

/** A client of the first generation, made with its own package. */
async function older(transport: Stdio1, answer?: () => ReturnType<typeof accepts> | { action: 'decline' }) {
  const client = new Client1(me, { capabilities: answer === undefined ? {} : { elicitation: {} } });
  if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, async () => answer());
  closing.push(() => client.close());
  await client.connect(transport);
  return client;
}

async function newer(transport: Stdio2, person: (message: string) => ReturnType<typeof accepts>) {
  const client = new Client2(me, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  client.setRequestHandler('elicitation/create', async ({ params }) => person(params.message));
  closing.push(() => client.close());
  await client.connect(transport);
  return client;
}

/** The example's terminal port, the token that it prints, and everything that it has written to stderr. */
async function terminalOf(transport: Stdio1) {
  const printed: string[] = [];
  const errors = createInterface({ input: transport.stderr as Readable }).on('line', (line) => printed.push(line));
  for (;;) {
    const [line] = (await once(errors, 'line')) as [string];
    const [, port, token = ''] = /^Terminal on 127\.0\.0\.1:(\d+)(?:, token (\S+))?$/.exec(line) ?? [];
    if (port !== undefined) return { port: Number(port), token, printed };
  }
}

/** A person at the terminal: the first line they send, what they see, and what they type after it. */
function sitsDown(port: number, first: string, typing: (line: string) => string | undefined = () => undefined) {
  const seen: string[] = [];
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  closing.push(async () => socket.destroy());
  socket.write(`${first}\n`);
  const reader = createInterface({ input: socket }).on('error', () => {}); // it repeats the errors of its input
  reader.on('line', (words) => {
    seen.push(words);
    const reply = typing(words);
    if (reply !== undefined) socket.write(`${reply}\n`);
  });
  return { seen, socket, isClosed: () => closed };
}

test('a client of the first generation is asked itself, answers, declines', async () => {
  const answers = [accepts('large'), accepts(['a', 'b']), accepts('Approve'), { action: 'decline' as const }];
  const client = await older(new Stdio1(command()), () => answers.shift() ?? { action: 'decline' });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask_human');
  const size = { prompt: 'Which size?', options: ['small', 'large'] };
  expect(await client.callTool({ name: 'ask_human', arguments: size })).toMatchObject({
    content: [{ type: 'text', text: 'large' }],
    structuredContent: { status: 'answered', by: 'Me' },
  });
  const several = { prompt: 'Which?', options: ['a', 'b', 'c'], many: true };
  expect(await client.callTool({ name: 'ask_human', arguments: several })).toMatchObject({
    structuredContent: { answer: ['a', 'b'] },
  });
  const action = { name: 'approve_action', arguments: { action: 'Deploy' } };
  expect(await client.callTool(action)).toMatchObject({ structuredContent: { approved: true } });
  expect(await client.callTool(action)).toMatchObject({ isError: true, structuredContent: { approved: false } });
  expect(await client.callTool({ name: 'ask_human', arguments: { prompt: '' } })).toMatchObject({ isError: true });
});

test('a client of the first generation that shows no questions: somebody answers in the terminal', async () => {
  const transport = new Stdio1(command({ PORT: '0' }));
  const terminal = terminalOf(transport);
  const client = await older(transport);
  const { port, token } = await terminal;
  const { seen } = sitsDown(port, token, (line) => (line.startsWith('Reply') ? '2' : undefined));
  const size = { prompt: 'Which size?', options: ['small', 'large'], details: { order: '12' } };
  expect(await client.callTool({ name: 'ask_human', arguments: size })).toMatchObject({
    content: [{ text: 'large' }],
    structuredContent: { by: 'terminal:local' },
  });
  const question = ['Which size?', 'order: 12', '1. small', '2. large', 'Reply with a number or a label.'];
  expect(seen).toEqual(['Connected.', ...question]);
});

test("a browser's HTTP request to the terminal port answers nothing, nor does anybody without the token", async () => {
  const transport = new Stdio1(command({ PORT: '0' }));
  const terminal = terminalOf(transport);
  const client = await older(transport);
  const { port, token } = await terminal;
  const { seen } = sitsDown(port, token);
  const asked = client.callTool({ name: 'ask_human', arguments: { prompt: 'Colour?' } });
  await expect.poll(() => seen).toContain('Colour?');

  const page = { method: 'POST', mode: 'no-cors', body: `\n${token}\nred\n` } as const;
  await expect(fetch(`http://127.0.0.1:${port}/the-person-says:-x`, page)).rejects.toThrow();
  for (const first of ['', 'red', `${token}x`, token.slice(1), 'x'.repeat(100_000)]) {
    const stranger = sitsDown(port, `${first}\nred`);
    await stranger.isClosed();
    expect(stranger.seen).toEqual([]);
  }

  sitsDown(port, token).socket.write('blue\n');
  expect(await asked).toMatchObject({ content: [{ text: 'blue' }] });
});

test('a token of your own is not printed; a blank one is replaced by a random one', async () => {
  const given = new Stdio1(command({ PORT: '0', TOKEN: 'chosen-by-the-person' }));
  const terminal = terminalOf(given);
  const client = await older(given);
  const { port, printed } = await terminal;
  sitsDown(port, 'chosen-by-the-person', (line) => (line === 'Colour?' ? 'blue' : undefined));
  expect(await client.callTool({ name: 'ask_human', arguments: { prompt: 'Colour?' } })).toMatchObject({
    content: [{ text: 'blue' }],
  });
  expect(printed.join()).not.toContain('chosen');

  const blank = new Stdio1(command({ PORT: '0', TOKEN: '' }));
  const other = terminalOf(blank);
  await older(blank);
  expect((await other).token.length).toBeGreaterThanOrEqual(32);
});

test('many people at the terminal, some of whom reset: all see a question, also one asked before they came', async () => {
  const transport = new Stdio1(command({ PORT: '0' }));
  const terminal = terminalOf(transport);
  const client = await older(transport);
  const { port, token, printed } = await terminal;
  const people = Array.from({ length: 15 }, () => sitsDown(port, token));
  for (const { seen } of people) await expect.poll(() => seen).toContain('Connected.');
  const first = client.callTool({ name: 'ask_human', arguments: { prompt: 'Colour?' } });
  for (const { seen } of people) await expect.poll(() => seen).toContain('Colour?');
  for (const { socket } of people) socket.resetAndDestroy();
  const last = sitsDown(port, token);
  last.socket.end('blue\n');
  expect(await first).toMatchObject({ content: [{ text: 'blue' }] });
  await last.isClosed(); // else the next question is still written to this connection

  const second = client.callTool({ name: 'ask_human', arguments: { prompt: 'Size?' } });
  await new Promise((resolve) => setTimeout(resolve, 200)); // the question is printed while nobody is there
  sitsDown(port, token, (line) => (line === 'Size?' ? 'large' : undefined));
  expect(await second).toMatchObject({ content: [{ text: 'large' }] });
  expect(printed.join('\n')).not.toContain('MaxListeners');
});

test('a client of the second generation is asked itself', async () => {
  const client = await newer(new Stdio2(command()), (message) => accepts(message === 'Colour?' ? 'blue' : 'Deny'));
  expect(await client.callTool({ name: 'ask_human', arguments: { prompt: 'Colour?' } })).toMatchObject({
    content: [{ text: 'blue' }],
  });
  expect(await client.callTool({ name: 'approve_action', arguments: { action: 'Deploy' } })).toMatchObject({
    isError: true,
  });
});

test('with a database and a secret a client comes back after a restart and answers the same question', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'askback-mcp-'));
  closing.push(() => rm(folder, { recursive: true }));
  const env = { DATABASE: join(folder, 'asks.db'), SECRET: 'a secret that is long enough to be one' };
  const params = { name: 'ask_human', arguments: { prompt: 'Colour?' } };
  const first = await newer(new Stdio2(command(env)), () => expect.unreachable('it gave up'));
  const asked = await first.request({ method: 'tools/call', params }, { allowInputRequired: true });
  const { requestState } = asked as { requestState?: string };
  await first.close();
  const second = await newer(new Stdio2(command(env)), () => expect.unreachable('it has the answer'));
  const answer = { ...params, requestState, inputResponses: { answer: accepts('blue') } } as never;
  const { content, structuredContent } = await second.request({ method: 'tools/call', params: answer });
  expect([content, structuredContent]).toMatchObject([[{ text: 'blue' }], { status: 'answered', by: 'Me' }]);
});

test('a wrong option is reported to whoever started it: the client hears of an internal error only', async () => {
  const transport = new Stdio1(command({ SECRET: 'short' }));
  const errors: string[] = [];
  createInterface({ input: transport.stderr as Readable }).on('line', (line) => errors.push(line));
  await expect(older(transport)).rejects.toThrow();
  await expect.poll(() => errors.join()).toContain('secret must be a string or bytes, 32 bytes or longer');
});

test('the process ends when its client has gone, whoever is connected to the terminal', async () => {
  const transport = new Stdio1(command({ PORT: '0' }));
  const terminal = terminalOf(transport);
  const client = await older(transport);
  const { port, token } = await terminal;
  sitsDown(port, token);
  const silent = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  await once(silent, 'connect');
  const { pid } = transport;
  const calling = client.callTool({ name: 'ask_human', arguments: { prompt: 'Colour?' } }).catch(() => 'gone');
  await client.close(); // kills it after two seconds if it does not end by itself
  expect(await calling).toBe('gone');
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  silent.destroy();
});
