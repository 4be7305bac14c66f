/**
 * What `npm start` shows, as a process: the chat asks, the process is killed in the middle, and after a restart the manager's answer in the
 * inbox reaches the chat.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { spawnNode } from '../../support/processes.js';
import { freePort, startRedis } from '../../support/redis-server.js';

const start = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'askback-demo-'));
afterAll(() => rm(folder, { recursive: true }));

interface Item {
  readonly type: string;
  readonly text?: string;
  readonly answer?: string;
  readonly ask?: { readonly id: string; readonly status: string; readonly mine?: true };
}

async function demo(...more: string[]) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const run = async () => {
    const process = spawnNode(start, ['--port', `${port}`, '--folder', folder, ...more]);
    await expect.poll(() => process.output()).toContain('Inbox:');
    const token = /token (\w+)/.exec(process.output())?.[1] ?? '';
    return { process, token };
  };
  const call = async (path: string, token: string | undefined, body?: unknown) => {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, body: (await response.json()) as never };
  };
  const items = async (visitor: string): Promise<readonly Item[]> =>
    (await call('/messages', visitor)).body['items'] as readonly Item[];
  const last = (visitor: string) => async () => (await items(visitor)).at(-1);
  return { url, run, call, items, last };
}

test('a refund survives that the demo is killed at each question, and is approved in the inbox', async () => {
  const { run, call, items, last } = await demo();
  let { process, token } = await run();
  const restart = async () => {
    process.kill('SIGKILL');
    await process.exited;
    ({ process, token } = await run());
  };
  const { visitor } = (await call('/visitors', undefined, {})).body as { visitor: string };
  await call('/messages', visitor, { id: '1', text: 'My lamp is broken' });
  await expect.poll(last(visitor)).toMatchObject({ ask: { status: 'pending', mine: true } });
  const first = token;
  await restart();
  expect(token).toBe(first);

  const form = (await items(visitor)).at(-1)?.ask?.id;
  const value = { name: 'Ada', order: '12345', reason: 'It is broken' };
  expect(await call('/messages', visitor, { id: '2', askId: form, value })).toMatchObject({ status: 202 });
  await expect.poll(last(visitor)).toMatchObject({ text: expect.stringMatching(/^Thank you. Our manager/) });
  await restart();

  const waiting = async () => (await call('/inbox/api/v1/asks', token)).body['asks'] as readonly { id: string }[];
  const details = { To: 'Ada', Order: '12345', Reason: 'It is broken' };
  await expect.poll(waiting, { timeout: 90_000 }).toMatchObject([{ details }]); // what the dead process was about to send goes on after its lease, a minute
  const asks = await waiting();
  const answered = await call(`/inbox/api/v1/asks/${asks[0]?.id}/answer`, token, { value: true });
  expect(answered.status).toBe(200);
  await expect.poll(last(visitor)).toMatchObject({ text: expect.stringMatching(/^Done: 48 EUR for order 12345/) });
  expect(JSON.stringify(await items(visitor))).not.toContain('Do not refund'); // what managers are asked is not for customers
  process.kill('SIGTERM');
  expect(await process.exited).toMatchObject({ code: 0 });
}, 240_000);

test('a port that is taken is told with what to do; --terminal is the refund in the terminal', async () => {
  const { url, run } = await demo();
  const { process } = await run();
  const port = new URL(url).port;
  const second = spawnSync(globalThis.process.execPath, [start, '--port', port, '--folder', folder], {
    encoding: 'utf8',
  });
  expect([second.status, second.stderr]).toMatchObject([
    1,
    expect.stringMatching(/cannot be used .* Name another one/),
  ]);
  process.kill('SIGTERM');
  await process.exited;
  const input = 'refund please\n12345\n';
  const piped = spawnSync(globalThis.process.execPath, [start, '--terminal'], { encoding: 'utf8', input, cwd: folder });
  expect(piped.stdout).toContain('Refunded: order 12345');
});

test('options that mean nothing are told with what to do, and damaged keys are made anew', async () => {
  const { run, call } = await demo();
  const started = (...options: string[]) => {
    const { status, stderr } = spawnSync(globalThis.process.execPath, [start, ...options], { encoding: 'utf8' });
    return [status, stderr.trim()];
  };
  const port = /^--port must be a whole number from 1 to 65535, got "(abc|0)"\. Options: --port 4711/;
  for (const wrong of ['abc', '0']) expect(started('--port', wrong)).toEqual([1, expect.stringMatching(port)]);
  expect(started('--prot', '80')).toEqual([
    1,
    expect.stringMatching(/^Unknown option '--prot'.* Options: --port 4711/s),
  ]);
  for (const damaged of ['', '{"secret":"short","token":7}']) {
    await writeFile(join(folder, 'keys.json'), damaged);
    const { process, token } = await run();
    expect(process.output()).toContain('keys.json is damaged, so new keys are made');
    expect((await call('/inbox/api/v1/asks', token)).status).toBe(200);
    process.kill('SIGTERM');
    await process.exited;
  }
});

test('with --redis it is kept there', async () => {
  const redis = await startRedis();
  const { run, call, last } = await demo('--redis', redis.url);
  const { process } = await run();
  const { visitor } = (await call('/visitors', undefined, {})).body as { visitor: string };
  await call('/messages', visitor, { id: '1', text: 'refund' });
  await expect.poll(last(visitor)).toMatchObject({ ask: { status: 'pending', mine: true } });
  process.kill('SIGTERM');
  expect(await process.exited).toMatchObject({ code: 0 });
  await redis.stop();
});
