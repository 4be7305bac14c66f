/** The inbox in Express, mounted by the two lines of docs/http-api.md: before body parsers, and where it does not belong, after them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from './live-kit.js';
import { formOf, pageShop } from './page-kit.js';

type Handler = (req: IncomingMessage & { path: string; body?: unknown }, res: ServerResponse, next: () => void) => void;
/** What this file needs of Express, which comes without types. */
type Express = (() => RequestListener & { use(handler: Handler): void }) & { json(): Handler; urlencoded(): Handler };
const express = createRequire(import.meta.url)('express') as Express;

/** An application with the inbox, body parsers and a route of its own that repeats what it is sent. */
async function application(order: 'before' | 'after') {
  const { inbox, asked, registry, advance } = await pageShop();
  const listener = getRequestListener(inbox.fetch);
  const app = express();
  const mount = () => app.use((req, res, next) => (req.path.startsWith('/inbox') ? void listener(req, res) : next()));
  if (order === 'before') mount();
  app.use(express.json());
  app.use(express.urlencoded());
  if (order === 'after') mount();
  app.use((req, res) => res.end(JSON.stringify(req.body)));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const user = { 'x-user': 'staff:anna', authorization: 'Bearer anna' }; // the API looks at nobody without a bearer
  const get = (path: string) => fetch(url + path, { headers: user });
  const post = (path: string, type: string, body: string) => {
    const headers = { ...user, 'content-type': type, 'sec-fetch-site': 'same-origin' };
    return fetch(url + path, { method: 'POST', headers, body, redirect: 'manual' });
  };
  return { asked, registry, advance, get, post };
}

const json = 'application/json';
const urlencoded = 'application/x-www-form-urlencoded';

test('before body parsers the page, its forms, the API and live events work, and other routes have their bodies', async () => {
  const { asked, registry, advance, get, post } = await application('before');
  const [byForm, byApi] = [await asked('sure', 'c1'), await asked('sure', 'c2')];
  const live = new Client(await get('/inbox/api/v1/events'));

  const { action, fields } = formOf(await (await get(`/inbox/asks/${byForm}`)).text(), '/answer');
  fields.set('answer', 'yes');
  expect((await post(action, urlencoded, `${fields}`)).status).toBe(303);
  expect((await post(`/inbox/api/v1/asks/${byApi}/answer`, json, '{"value":true}')).status).toBe(200);
  const heard = async () => {
    await advance(1_000);
    return live.asks;
  };
  await expect.poll(heard).toEqual(expect.arrayContaining([`${byForm} answered`, `${byApi} answered`]));
  expect((await registry.listAsks()).asks).toEqual([]);

  expect(await (await post('/own', json, '{"a":1}')).json()).toEqual({ a: 1 });
  await live.leave();
});

test('after a body parser every change is refused with what to do, nothing is decided, and reading goes on', async () => {
  const { asked, registry, get, post } = await application('after');
  const id = await asked('sure');
  const { action, fields } = formOf(await (await get(`/inbox/asks/${id}`)).text(), '/answer');
  fields.set('answer', 'yes');
  for (const sent of [
    await post(action, urlencoded, `${fields}`),
    await post(`/inbox/api/v1/asks/${id}/answer`, json, '{"value":true}'),
  ]) {
    expect(sent.status).toBe(400);
    expect(await sent.text()).toContain('Mount askback before body parsers');
  }
  expect((await registry.listAsks()).asks).toMatchObject([{ id, status: 'pending' }]);
});
