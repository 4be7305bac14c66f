/** Conversations, tool results, probes and metrics over HTTP. */
import { expect, test } from 'vitest';
import { AgentError, agent } from '../../../src/index.js';
import {
  conversationPageSchema,
  historySchema,
  outputsSchema,
  parkedPageSchema,
} from '../../../src/server/api/schemas.js';
import { askHuman } from '../../../src/tools/index.js';
import { never, settle } from '../../support/engine.js';
import { apiOf, serving, token } from '../api-kit.js';
import { ada, anna, boss, person, shop } from '../kit.js';

const reader = person('staff:r', ['read', 'conversations']);

test('the conversation around an ask needs a right of its own, and is read in pages', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('sure', 'c1');
  await settle();
  expect(await api(anna, 'GET', `/asks/${id}/history`)).toMatchObject({ status: 404 });
  const { body } = await api(reader, 'GET', `/asks/${id}/history`);
  expect(body).toMatchObject({ conversationId: 'c1', items: [{ text: 'sure' }, { text: expect.any(String) }] });
  expect(historySchema.safeParse(body).error).toBeUndefined();
  const last = await api(reader, 'GET', '/conversations/c1?limit=1');
  expect(last.body.items).toEqual(body.items.slice(-1));
  const before = await api(reader, 'GET', `/conversations/c1?limit=1&cursor=${last.body.cursor}`);
  expect(before.body.items).toEqual(body.items.slice(0, 1));
  expect(await api(reader, 'GET', `/conversations/c2?limit=1&cursor=${last.body.cursor}`)).toMatchObject({
    status: 400,
  });
});

test('the cursor of outputs tells nothing and counts for its person and its conversation only', async () => {
  const { api, asked } = await apiOf();
  await asked('order', 'c1');
  await asked('order', 'c2');
  await settle();
  const get = (path: string, who = reader) => api(who, 'GET', path);
  const { cursor, outputs } = (await get('/conversations/c1/outputs')).body;
  expect([outputs.length, cursor.length > 30]).toEqual([1, true]);
  expect((await get(`/conversations/c1/outputs?after=${cursor}`)).body.outputs).toEqual([]);
  for (const reply of [
    await get(`/conversations/c2/outputs?after=${cursor}`),
    await get(`/conversations/c1/outputs?after=${cursor}`, boss),
    await get('/conversations/c1/outputs?after=1'),
  ])
    expect(reply).toMatchObject({ status: 400, body: { error: { field: 'after' } } });
});

test('a conversation of another tenant is answered like one that does not exist', async () => {
  const { api, asked } = await apiOf();
  await asked('order', 'c1', { ...ada, tenant: 'acme' });
  const foreign = person('staff:x', ['admin'], { tenant: 'other' });
  for (const path of ['', '/outputs', '/cancel', '/tool-results']) {
    const body = path === '/tool-results' ? { tool_call_id: 'x', decision: 'approve' } : {};
    const send = (id: string) =>
      path === '/cancel' || path === '/tool-results'
        ? api(foreign, 'POST', `/conversations/${id}${path}`, body)
        : api(foreign, 'GET', `/conversations/${id}${path}`);
    const forbidden = await send('c1');
    for (const other of ['none', '%ED%A0%80', 'x'.repeat(3_000), '%00'])
      expect(await send(other)).toMatchObject({ status: 404, body: forbidden.body });
  }
  expect((await api(foreign, 'GET', '/conversations?participantId=web:ada')).body).toEqual({ conversations: [] });
  const own = person('staff:y', ['read', 'conversations'], { tenant: 'acme' });
  const { body } = await api(own, 'GET', '/conversations?participantId=web:ada');
  expect(body).toEqual({ conversations: [{ id: 'c1' }] });
  expect(conversationPageSchema.safeParse(body).error).toBeUndefined();
});

test('what was said is fetched from a cursor on, and everything open is cancelled by an operator', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('order', 'c1');
  await settle();
  const { body } = await api(reader, 'GET', '/conversations/c1/outputs');
  expect(body).toMatchObject({ outputs: [{ text: 'Which order?', ask: { id } }] });
  expect(outputsSchema.safeParse(body).error).toBeUndefined();
  expect(await api(reader, 'GET', '/conversations/c1/outputs?after=elsewhere')).toMatchObject({ status: 400 });
  expect(await api(reader, 'POST', '/conversations/c1/cancel', {})).toMatchObject({ status: 404 });
  expect(await api(boss, 'POST', '/conversations/c1/cancel', { reason: 'Closed.' })).toMatchObject({
    body: { cancelled: 1 },
  });
  expect(await api(boss, 'GET', `/asks/${id}`)).toMatchObject({ body: { status: 'cancelled', reason: 'Closed.' } });
});

test('an operator of a tenant cancels no conversation in which an ask is open that they do not operate', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('order', 'c1'); // of no tenant
  await settle();
  const ours = person('staff:o', ['admin', 'conversations'], { tenant: 'acme' });
  expect(await api(ours, 'POST', '/conversations/c1/cancel', {})).toMatchObject({ status: 404 });
  expect(await api(boss, 'GET', `/asks/${id}`)).toMatchObject({ body: { status: 'pending' } });
});

test('a question is shown again for whoever may answer it', async () => {
  const { api, asked, phone } = await apiOf();
  const id = await asked('sure');
  const before = phone.sent.length;
  expect(await api(reader, 'POST', `/asks/${id}/show`)).toMatchObject({ status: 403 });
  expect(await api(anna, 'POST', `/asks/${id}/show`)).toMatchObject({ status: 200, body: { type: 'shown' } });
  await settle();
  expect(phone.sent.length).toBe(before + 1);
  await api(anna, 'POST', `/asks/${id}/answer`, { value: true });
  expect(await api(anna, 'POST', `/asks/${id}/show`)).toMatchObject({
    status: 409,
    body: { error: { code: 'already' } },
  });
});

test('the result of a tool call is taken for its own ask only, with the options that the ask has', async () => {
  const { registry, phone } = await shop();
  const { api } = serving(registry);
  const human = askHuman(registry, { where: { channel: phone.name, to: 'c9' }, answerableBy: ['staff:anna'] });
  await human.open({ prompt: 'Which strategy?', options: ['Blue-Green', 'Canary'] }, { callId: 'call_1' });
  const send = (body: object, who = anna) => api(who, 'POST', '/conversations/c9/tool-results', { ...body });
  const result = { tool_call_id: 'call_1', decision: 'approve', scope: 'once' };
  expect(await send({ ...result, choice: 'Rolling', toolArgs: { options: ['Rolling'] } })).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid-answer' } },
  });
  expect(await send({ ...result, choice: 'Canary', agentId: 'another' })).toMatchObject({ status: 404 });
  expect(await send({ ...result, choice: 'Canary', tool_call_id: 'call_2' })).toMatchObject({ status: 404 });
  expect(await send({ ...result, choice: 'Canary' }, person('staff:eve', ['answer']))).toMatchObject({ status: 404 });
  expect(await send({ ...result, decision: 'maybe' })).toMatchObject({ status: 400 });
  expect(await send({ ...result, choice: 'Canary', toolName: 'client.humanIntervention' })).toMatchObject({
    status: 200,
    body: { type: 'accepted', ask: { answer: 'Canary' } },
  });
  expect(await send({ ...result, choice: 'Blue-Green' })).toMatchObject({
    status: 409,
    body: { error: { ask: { answer: 'Canary' } } },
  });
});

test('an operator of the tenant lists parked work, retries it and closes it with words', async () => {
  const failing = agent('failing').onMessage(() => {
    throw new AgentError('bad-option', 'Broken.'); // a mistake of the author: parked at once
  });
  const { api, says, phone, registry } = await apiOf({ agents: [failing] });
  await says(phone, 'hello', { conversationId: 'c1', participant: { ...ada, tenant: 'acme' } });
  await settle();
  const operator = person('staff:op', ['admin'], { tenant: 'acme' });
  const { body } = await api(operator, 'GET', '/parked');
  expect(body).toMatchObject({ items: [{ conversationId: 'c1', text: 'hello', tenant: 'acme' }] });
  expect(parkedPageSchema.safeParse(body).error).toBeUndefined();
  const [{ id }] = body.items;
  expect((await api({ ...operator, tenant: 'other' }, 'GET', '/parked')).body).toEqual({ items: [] });
  for (const who of [{ ...operator, tenant: 'other' }, reader]) {
    expect(await api(who, 'POST', `/parked/${id}/retry`)).toMatchObject({ status: 404 });
    expect(await api(who, 'POST', `/parked/${id}/close`, { reason: 'x' })).toMatchObject({ status: 404 });
  }
  expect(await api(operator, 'POST', `/parked/${id}/close`, {})).toMatchObject({ status: 400 });
  expect(await api(operator, 'POST', `/parked/${id}/retry`)).toMatchObject({ status: 200, body: { type: 'done' } });
  await settle();
  const [again] = (await registry.parked()).items;
  const closed = await api(operator, 'POST', `/parked/${again?.id}/close`, { reason: 'Done by hand.' });
  expect(closed).toMatchObject({ status: 200, body: { type: 'done' } });
  expect((await registry.parked()).items).toEqual([]);
});

test('the probes say whether the process is up and the store answers, to anybody, and nothing else', async () => {
  const { raw, port, clock } = await apiOf();
  expect(await raw('/healthz')).toMatchObject({ status: 200, body: { status: 'up' } });
  expect(await raw('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
  port.now = () => Promise.reject(new Error('redis://secret-host'));
  expect(await raw('/readyz')).toMatchObject({ status: 503, body: { status: 'not-ready' } });
  port.now = never;
  const waiting = raw('/readyz');
  await settle();
  await clock.advance(2_000);
  expect(await waiting).toMatchObject({ status: 503, body: { status: 'not-ready' } });
});

test('metrics are for operators: what waits in their tenant, and what the process did only for those of every tenant', async () => {
  const { raw, asked } = await apiOf();
  const metrics = (who: typeof boss) => raw('/metrics', { headers: { authorization: token(who) } });
  await asked('order', 'c1', { ...ada, tenant: 'acme' });
  await asked('order', 'c2');
  expect(await raw('/metrics')).toMatchObject({ status: 401 });
  expect(await metrics(reader)).toMatchObject({ status: 404 });
  const all = await metrics({ ...boss, everyTenant: true });
  expect(all.headers.get('content-type')).toContain('version=0.0.4');
  expect(all.body).toContain('askback_open_asks 2\n');
  expect(all.body).toContain('askback_events_total{event="asked"} 2\n');
  const own = await metrics({ ...boss, tenant: 'acme' });
  expect(own.body).toContain('askback_open_asks 1\n');
  expect(own.body).not.toContain('askback_events_total');
  const without = await metrics(boss);
  expect(without.body).toContain('askback_open_asks 1\n');
  expect(without.body).not.toContain('askback_events_total');
});

test('a cursor names nothing that its reader may not see, and is of no use to somebody else', async () => {
  const { api, asked } = await apiOf();
  const acme = person('staff:acme', ['read', 'conversations'], { tenant: 'acme' });
  const other = person('staff:other', ['read', 'conversations'], { tenant: 'acme' });
  for (const id of ['secret-1', 'secret-2', 'secret-3']) await asked('order', id);
  const path = `/conversations?participantId=${ada.id}&limit=1`;
  const first = await api(acme, 'GET', path);
  const { cursor } = first.body;
  expect(first.body.conversations).toEqual([]);
  for (const encoding of ['base64', 'base64url'] as const)
    for (const cut of [0, 1, 2, 3])
      expect(Buffer.from(cursor.slice(cut), encoding).toString('latin1')).not.toContain('secret');
  expect((await api(acme, 'GET', `${path}&cursor=${cursor}`)).status).toBe(200);
  expect((await api(other, 'GET', `${path}&cursor=${cursor}`)).status).toBe(400);
  expect((await api({ ...acme, tenant: 'else' }, 'GET', `${path}&cursor=${cursor}`)).status).toBe(400);
});
