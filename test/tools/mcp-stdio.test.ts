/**
 * The example as a client starts it: a process of its own, over stdin and stdout. `npm test` builds it before.
 * ASKBACK_EXAMPLES names another folder with built examples.
 */
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

/** A person at the example's terminal: what they see, and what they type after it. */
async function sitsDown(transport: Stdio1, seen: string[], typing: (line: string) => string | undefined) {
  const errors = createInterface({ input: transport.stderr as Readable });
  for await (const line of errors) {
    const port = /^Terminal on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    const socket = connect(Number(port), '127.0.0.1');
    closing.push(async () => socket.destroy());
    createInterface({ input: socket }).on('line', (words) => {
      seen.push(words);
      const reply = typing(words);
      if (reply !== undefined) socket.write(`${reply}\n`);
    });
    return;
  }
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
  const seen: string[] = [];
  const sitting = sitsDown(transport, seen, (line) => (line.startsWith('Reply') ? '2' : undefined));
  const client = await older(transport);
  await sitting;
  const size = { prompt: 'Which size?', options: ['small', 'large'], details: { order: '12' } };
  expect(await client.callTool({ name: 'ask_human', arguments: size })).toMatchObject({
    content: [{ text: 'large' }],
    structuredContent: { by: 'terminal:local' },
  });
  expect(seen).toEqual(['Which size?', 'order: 12', '1. small', '2. large', 'Reply with a number or a label.']);
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

test('the process ends when its client has gone', async () => {
  const transport = new Stdio1(command({ PORT: '0' }));
  const client = await older(transport);
  const { pid } = transport;
  const calling = client.callTool({ name: 'ask_human', arguments: { prompt: 'Colour?' } }).catch(() => 'gone');
  await client.close(); // kills it after two seconds if it does not end by itself
  expect(await calling).toBe('gone');
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});
