/** What the inbox refuses before anything else is looked at, and the token that opens it on the machine itself. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createInbox } from '../../src/server/index.js';
import { shop } from './kit.js';

test('a request under another host is refused, whatever its path, except for the probes', async () => {
  const { registry } = await shop();
  const inbox = createInbox(registry);
  const asked = async (host: string, path: string) =>
    (await inbox.fetch(new Request(`http://localhost/inbox${path}`, { headers: { host } }))).status;
  for (const path of ['', '/', '/asks/1', '/api/v1/asks', '/live', '/metrics', '/api/v1/healthz', '/nothing']) {
    expect(await asked('rebound.example', path), path).toBe(403);
    expect(await asked('localhost:3000', path), path).not.toBe(403);
  }
  for (const path of ['/healthz', '/readyz']) expect(await asked('10.1.2.3:8080', path), path).not.toBe(403);
  const response = await inbox.fetch(new Request('http://rebound.example/inbox'));
  expect(await response.json()).toMatchObject({ error: { code: 'wrong-host' } });
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('a browser under another host, or under a path that is not the inbox, gets a page that says what was expected', async () => {
  const { registry } = await shop();
  const inbox = createInbox(registry, { basePath: '/staff/inbox' });
  const asked = async (address: string, accept: string) => {
    const response = await inbox.fetch(new Request(address, { headers: { accept } }));
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
      response,
    };
  };
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const host = await asked('http://rebound.example/staff/inbox', browser);
  expect([host.status, host.type]).toEqual([403, 'text/html; charset=utf-8']);
  expect(host.text).toContain('This is not the address of the inbox');
  expect(host.text, 'nothing else can be loaded there').not.toMatch(/<link rel="stylesheet"|<script/);
  const style = /<style>(.*?)<\/style>/s.exec(host.text)?.[1] ?? '';
  const sha = hash('sha256', style, 'base64');
  expect(host.response.headers.get('content-security-policy')).toContain(`style-src 'sha256-${sha}'`);
  const path = await asked('http://localhost/inbox/log', browser);
  expect([path.status, path.type]).toEqual([404, 'text/html; charset=utf-8']);
  expect(path.text).toContain('It is mounted under /staff/inbox, and was asked for /inbox/log.');
  const program = await asked('http://localhost/inbox/api/v1/asks', 'application/json');
  expect(program.status).toBe(404);
  expect(JSON.parse(program.text)).toMatchObject({
    error: { code: 'not-found', message: expect.stringContaining('It is mounted under /staff/inbox') },
  });
  const channel = await asked('http://localhost/staff/inbox/channels/none/x', '*/*');
  expect(JSON.parse(channel.text)).toMatchObject({ error: { code: 'not-found' } });
});

test('without authenticate the inbox has a token, says it once, and makes another one in each process', async () => {
  const said: string[] = [];
  const silent = () => {};
  const logger = { debug: silent, info: silent, error: silent, warn: (text: string) => void said.push(text) };
  const { registry } = await shop({ logger });
  const [first, second] = [createInbox(registry), createInbox(registry)];
  expect(first.token).toMatch(/^[\w-]{32}$/);
  expect(second.token).not.toBe(first.token);
  expect(said.filter((text) => text.includes(first.token ?? '?'))).toHaveLength(1);
  expect(createInbox(registry, { authenticate: () => null })).not.toHaveProperty('token');
});

test('an inbox for other machines needs somebody who says who is calling, a secret, and https', async () => {
  const { registry } = await shop();
  const origin = 'https://inbox.example';
  const secret = 'a secret of at least 32 characters';
  const authenticate = () => null;
  expect(() => createInbox(registry, { origin, secret })).toThrow(/authenticate is needed/);
  expect(() => createInbox(registry, { origin, authenticate })).toThrow(/secret is needed/);
  expect(() => createInbox(registry, { origin: 'http://inbox.example', secret, authenticate })).toThrow(
    /origin must be/,
  );
  expect(() => createInbox(registry, { origin, secret: 'short', authenticate })).toThrow(
    /at least 32 characters .* got one of 5 characters/,
  );
  expect(createInbox(registry, { origin, secret, authenticate })).toHaveProperty('fetch');
});
