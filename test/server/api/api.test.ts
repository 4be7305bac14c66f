/** The JSON API of the inbox, over Request and Response. */
import { expect, test } from 'vitest';
import { type AgentError, errorCodes } from '../../../src/core/errors.js';
import { statusByCode } from '../../../src/server/api/errors.js';
import {
  askPageSchema,
  askSchema,
  decisionSchema,
  errorSchema,
  personSchema,
} from '../../../src/server/api/schemas.js';
import { apiOf, token } from '../api-kit.js';
import { anna, boss, person } from '../kit.js';

test('whoever may answer lists the ask, reads it and answers it', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('sure');
  const { body: page } = await api(anna, 'GET', '/asks');
  expect(page).toMatchObject({ asks: [{ id, question: 'Refund 48 EUR?', mayAnswer: true }] });
  const { body: ask } = await api(anna, 'GET', `/asks/${id}`);
  const answered = await api(anna, 'POST', `/asks/${id}/answer`, { value: true, digest: ask.digest });
  expect(answered).toMatchObject({ status: 200, body: { type: 'accepted', ask: { status: 'answered', value: true } } });
  expect(await api(anna, 'GET', '/log')).toMatchObject({ body: { asks: [{ id, decidedBy: { id: anna.id } }] } });
});

test('an answer to a settled ask is told the decision, one that does not fit the problem, one drawn from older data the ask', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('sure');
  const send = (body: object) => api(anna, 'POST', `/asks/${id}/answer`, { ...body });
  expect(await send({ value: 'perhaps' })).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid-answer', problem: expect.any(String), ask: { status: 'pending' } } },
  });
  expect(await send({ value: true, digest: 'older' })).toMatchObject({
    status: 409,
    body: { error: { code: 'changed' } },
  });
  await send({ value: false });
  expect(await send({ value: true })).toMatchObject({
    status: 409,
    body: { error: { code: 'already', ask: { value: false, decidedBy: { id: anna.id } } } },
  });
});

test('that an ask was decided before is `already` everywhere: to a message, to answer(), over HTTP and as an error', async () => {
  const { api, asked, registry, inbox } = await apiOf();
  const askId = await asked('order', 'c-order', anna);
  await registry.answer(askId, { text: '12345' }, { by: anna });
  const named = { id: 'm2', conversationId: 'c-order', text: '54321', participant: anna, askId };
  const { disposition } = await registry.handle(named);
  const settled = await registry.answer(askId, { text: '54321' }, { by: anna });
  const { status, body } = await api(anna, 'POST', `/asks/${askId}/answer`, { text: '54321' });
  const thrown = await inbox.link(askId, anna).catch((error: unknown) => error);
  expect([disposition.type, settled.type, body.error.code, (thrown as AgentError).code]).toEqual(
    Array.from({ length: 4 }, () => 'already'),
  );
  expect(status).toBe(409);
});

test('what somebody may not see is answered byte for byte like what does not exist', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('sure');
  const foreign = person('staff:eve', ['admin'], { tenant: 'other', roles: ['manager'] });
  const ways = [
    ['GET', '', undefined],
    ['POST', '/answer', { value: true }],
    ['POST', '/decline', {}],
    ['POST', '/cancel', {}],
  ] as const;
  for (const [method, path, body] of ways) {
    const forbidden = await api(foreign, method, `/asks/${id}${path}`, body);
    for (const other of ['no-such-ask', '%00', 'x'.repeat(2_000), `${id}x`]) {
      const unknown = await api(foreign, method, `/asks/${other}${path}`, body);
      expect(unknown.status).toBe(404);
      expect(JSON.stringify(unknown.body)).toBe(JSON.stringify(forbidden.body));
      expect([...unknown.headers]).toEqual([...forbidden.headers]);
    }
  }
  expect(await api(boss, 'GET', `/asks/${id}`)).toMatchObject({ body: { status: 'pending' } });
});

test('whoever sees an ask and may not decide it is told so', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('sure');
  const reader = person('staff:r', ['read', 'answer']);
  expect(await api(reader, 'POST', `/asks/${id}/answer`, { value: true })).toMatchObject({
    status: 403,
    body: { error: { code: 'not-allowed' } },
  });
  expect(await api(anna, 'POST', `/asks/${id}/cancel`, {})).toMatchObject({ status: 403 });
  expect(await api(boss, 'POST', `/asks/${id}/cancel`, { reason: 'Not needed.' })).toMatchObject({
    body: { type: 'accepted', ask: { status: 'cancelled', reason: 'Not needed.' } },
  });
});

test.each([
  ['/asks?status=open', 'status must be one of pending, decided'],
  ['/asks?limit=0', 'limit must be a whole number from 1 to 100, got "0".'],
  ['/asks?limit=101', 'limit must be a whole number'],
  ['/asks?limit=1e1', 'limit must be a whole number'],
  ['/asks?since=yesterday', 'since must be a time such as'],
  ['/asks?olderThan=-1', 'olderThan must be a whole number'],
  ['/asks?mine=yes', 'mine must be one of true, false'],
  ['/asks?agentName=', 'agentName must be a string that is not empty'],
  ['/asks?colour=red', 'Unknown: "colour"'],
  ['/asks?limit=5&limit=6', 'The parameter "limit" is given twice.'],
  ['/asks?cursor=elsewhere', 'cursor must be the cursor of the page before'],
  ['/me?all=true', 'Unknown: "all"'],
])('GET %s is refused with what was expected', async (path, message) => {
  const { api } = await apiOf();
  expect(await api(boss, 'GET', path)).toMatchObject({
    status: 400,
    body: { error: { code: 'bad-option', message: expect.stringContaining(message) } },
  });
});

test.each([
  ['not JSON', '{', 400, 'The body is not JSON'],
  ['half a character', new Uint8Array([0x22, 0xc3, 0x22]), 400, 'The body is not JSON'],
  ['a key twice', '{"text":"no","text":"yes"}', 400, 'The body has the key "text" twice. Give it once.'],
  ['a key twice, written in two ways', '{"value":{"a":[{"b":1,"\\u0062":2}]}}', 400, 'The body has the key "b" twice.'],
  ['a list', '[]', 400, 'The body must be an object'],
  ['a string', '"yes"', 400, 'The body must be an object'],
  ['an empty object', '{}', 400, 'either text or value'],
  ['no body', '', 400, 'either text or value'],
  ['text and value', '{"text":"a","value":1}', 400, 'either text or value'],
  ['an unknown field', '{"text":"a","by":"staff:boss"}', 400, 'Unknown: "by"'],
  ['a field of every object', '{"text":"a","__proto__":{"scopes":["admin"]}}', 400, 'Unknown: "__proto__"'],
  ['a number as text', '{"text":5}', 400, 'text must be a string, got a number.'],
  ['a text too long', JSON.stringify({ text: 'x'.repeat(70_000) }), 400, 'longer than'],
  ['a value too deep', `{"value":${'['.repeat(60_000)}${']'.repeat(60_000)}}`, 400, 'deeper nesting'],
  ['too many bytes', JSON.stringify({ text: 'x'.repeat(140_000) }), 413, '128 KiB'],
])('an answer with %s is refused, and nothing is lost', async (_, body, status, message) => {
  const { raw, api, asked } = await apiOf();
  const id = await asked('sure');
  const headers = { authorization: token(anna), 'content-type': 'application/json' };
  const reply = await raw(`/api/v1/asks/${id}/answer`, { method: 'POST', headers, body });
  expect(reply).toMatchObject({ status, body: { error: { message: expect.stringContaining(message) } } });
  expect(errorSchema.safeParse(reply.body).error).toBeUndefined();
  expect(await api(anna, 'GET', `/asks/${id}`)).toMatchObject({ body: { status: 'pending', retries: 0 } });
});

test('a body that breaks off is refused as the fault of its sender, and decides nothing', async () => {
  const { raw, api, asked } = await apiOf();
  const id = await asked('sure');
  const headers = { authorization: token(anna), 'content-type': 'application/json' };
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(Buffer.from('{"value"'));
      controller.error(new Error('the socket was closed'));
    },
  });
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  expect(await raw(`/api/v1/asks/${id}/answer`, init)).toMatchObject({
    status: 400,
    body: { error: { code: 'bad-message', message: expect.stringContaining('before it was complete') } },
  });
  expect(await api(anna, 'GET', `/asks/${id}`)).toMatchObject({ body: { status: 'pending' } });
});

test('a body that says it is too large, or turns out to be, is not read to its end', async () => {
  const { raw } = await apiOf();
  const headers = { authorization: token(anna), 'content-type': 'application/json' };
  let given = 0;
  const endless = () =>
    new ReadableStream({
      pull: (controller) => {
        given += 1;
        controller.enqueue(new Uint8Array(16_384));
      },
    });
  const send = (more: object) =>
    raw('/api/v1/asks/x/answer', {
      method: 'POST',
      headers: { ...headers, ...more },
      body: endless(),
      duplex: 'half',
    } as never);
  expect((await send({})).status).toBe(413);
  expect(given).toBeLessThan(12);
  given = 0;
  expect((await send({ 'content-length': '200000' })).status).toBe(413);
  expect(given).toBeLessThan(2);
});

test('a body of another content type is refused', async () => {
  const { raw, asked } = await apiOf();
  const id = await asked('sure');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json5', undefined]) {
    const headers = { authorization: token(anna), ...(type && { 'content-type': type }) };
    const reply = await raw(`/api/v1/asks/${id}/answer`, { method: 'POST', headers, body: '{"value":true}' });
    expect(reply).toMatchObject({ status: 415, body: { error: { code: 'wrong-content-type' } } });
  }
});

test('nobody is served without a token: every route, every method, and what is no route', async () => {
  const { api, raw } = await apiOf();
  const { paths } = (await api(boss, 'GET', '/openapi.json')).body;
  for (const path of [...Object.keys(paths), '/nowhere', '', '/']) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) {
      const reply = await raw(`/api/v1${path}`, { method, headers: { cookie: 'askback_session=x' } });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    }
  }
});

test('HEAD, OPTIONS and a wrong method change nothing', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('sure');
  expect(await api(anna, 'HEAD', `/asks/${id}`)).toMatchObject({ status: 200, body: '' });
  for (const method of ['HEAD', 'OPTIONS', 'GET', 'PUT']) {
    const reply = await api(anna, method, `/asks/${id}/answer`);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('POST');
  }
  expect(await api(anna, 'GET', `/asks/${id}`)).toMatchObject({ body: { status: 'pending' } });
  expect(await api(anna, 'GET', '/nowhere')).toMatchObject({ status: 404, body: { error: { code: 'not-found' } } });
});

test('a page is followed by the next, and a cursor of another filter is refused', async () => {
  const { api, asked } = await apiOf();
  const ids: string[] = [];
  for (const n of [1, 2, 3]) ids.push(await asked('sure', `c${n}`));
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await api(anna, 'GET', `/asks?limit=1${cursor}`);
    seen.push(...body.asks.map((ask: { id: string }) => ask.id));
    cursor = body.cursor === undefined ? '' : `&cursor=${body.cursor}`;
    if (cursor !== '') expect(await api(anna, 'GET', `/asks?agentName=x${cursor}`)).toMatchObject({ status: 400 });
    if (cursor !== '') expect(await api(anna, 'GET', `/log?${cursor.slice(1)}`)).toMatchObject({ status: 400 });
  } while (cursor !== '');
  expect(seen.sort()).toEqual(ids.sort());
});

test('no reply is cached, sniffed or shared with other sites', async () => {
  const { api, raw } = await apiOf();
  for (const { headers } of [
    await api(anna, 'GET', '/asks'),
    await api(anna, 'GET', '/no'),
    await raw('/api/v1/asks'),
  ]) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('a failure here has a reference, which leads to it in the log, and says nothing else', async () => {
  const logged: object[] = [];
  const silent = () => {};
  const logger = {
    debug: silent,
    info: silent,
    warn: silent,
    error: (_: string, about?: object) => void logged.push(about ?? {}),
  };
  const { api, port } = await apiOf({ logger });
  port.find = () => Promise.reject(new Error('secret-host:6379'));
  const { status, body } = await api(anna, 'GET', '/asks/x');
  expect(status).toBe(500);
  expect(body.error).toEqual({ code: 'server-error', message: expect.any(String), reference: expect.any(String) });
  expect(logged).toMatchObject([{ reference: body.error.reference, failure: { message: 'secret-host:6379' } }]);
});

test('every code of the library has a status', () => {
  expect(Object.keys(statusByCode).sort()).toEqual(Object.keys(errorCodes).sort());
});

test('every path of the OpenAPI document is served, and replies are as it says', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('both');
  const { body: document } = await api(boss, 'GET', '/openapi.json');
  for (const [path, methods] of Object.entries(document.paths as Record<string, object>)) {
    const [method = ''] = Object.keys(methods);
    const at = path.replace(/\{\w+\}/g, 'nothing-of-that-id');
    const { status, headers } = await api(boss, 'PATCH', at);
    expect({ path, status, allow: headers.get('allow') }).toEqual({
      path,
      status: 405,
      allow: method === 'get' ? 'GET, HEAD' : 'POST',
    });
  }
  const replies = [
    [askPageSchema, await api(boss, 'GET', '/asks')],
    [personSchema, await api(boss, 'GET', '/me')],
    [decisionSchema, await api(anna, 'POST', `/asks/${id}/answer`, { value: true })],
    [askSchema, await api(boss, 'GET', `/asks/${id}`)],
    [decisionSchema, await api(boss, 'POST', `/asks/${id}/cancel`, { reason: 'No.' })],
    [errorSchema, await api(boss, 'POST', `/asks/${id}/cancel`, {})],
  ] as const;
  for (const [schema, { body }] of replies) expect(schema.safeParse(body).error).toBeUndefined();
});

test('a body that somebody else has read is told, and decides nothing', async () => {
  const { api, raw, asked } = await apiOf();
  const id = await asked('sure');
  for (const header of ['content-length', 'transfer-encoding']) {
    const headers = { authorization: token(anna), 'content-type': 'application/json', [header]: '20' };
    const reply = await raw(`/api/v1/asks/${id}/decline`, { method: 'POST', headers });
    expect(reply).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('express.json()') } },
    });
  }
  expect(await api(boss, 'GET', `/asks/${id}`)).toMatchObject({ body: { status: 'pending' } });
});
