/** The JSON API over a real HTTP server, on SQLite and on Redis: repeats on two replicas, a store that is down, callers that go away. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { serve } from '@hono/node-server';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, agent, confirm, MemoryStore, type Store } from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { askId, turn } from '../../../src/testing/store-contract/kit.js';
import { textStore } from '../../../src/testing/store-contract/texts.js';
import { redisForFile } from '../../support/for-file.js';
import { startRedis } from '../../support/redis-server.js';
import { freshPath } from '../../support/sqlite-store.js';
import { serving, token } from '../api-kit.js';
import { anna, boss } from '../kit.js';

const { server: redis } = await redisForFile();
const nothing = () => {};
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A replica that serves the API of a store. */
async function replica(store: Store) {
  const refunds = agent('refunds');
  const sure = refunds.question('sure', confirm('Refund 48 EUR?'), {
    answerableBy: { roles: ['manager'] },
    onAnswer: (yes) => (yes ? 'Refunded.' : 'Kept.'),
  });
  refunds.onMessage(({ ask }) => ask(sure));
  const registry = new AgentRegistry({ agents: [refunds], store, logger: silent });
  await registry.start();
  const { inbox } = serving(registry);
  const server = serve({ fetch: inbox.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  onTestFinished(async () => {
    inbox.close();
    server.close();
    await registry.stop();
  });
  const asked = async (conversationId: string) => {
    const participant = { id: 'web:ada' };
    await registry.handle({ id: conversationId, conversationId, text: 'refund', participant });
    return (await registry.listAsks({ conversationId })).asks[0]?.id ?? '';
  };
  const call = async (path: string, body?: object, headers: object = {}, who = anna) => {
    const response = await fetch(`http://localhost:${port}/inbox${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: token(who), 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { registry, port, asked, call };
}

const prefix = () => `api${process.hrtime.bigint()}`;

test.each([
  ['SQLite', () => freshPath(), (place: string) => new SqliteStore({ path: place, logger: silent })],
  ['Redis', prefix, (place: string) => new RedisStore({ url: redis.url, prefix: place, logger: silent })],
])('on %s a change that two replicas are sent is done once, and both tell the same', async (_, place, storeAt) => {
  const at = place();
  const [one, two] = [await replica(storeAt(at)), await replica(storeAt(at))];
  const id = await one.asked('c1');
  const sent = await Promise.all(
    [one, two, one, two].map(({ call }) =>
      call(`/api/v1/asks/${id}/answer`, { value: true }, { 'idempotency-key': 'k' }),
    ),
  );
  expect([...new Set(sent.map(({ status }) => status))].every((status) => status === 200 || status === 409)).toBe(true);
  const first = sent.find(({ status }) => status === 200);
  expect(first).toMatchObject({ body: { type: 'accepted' } });
  const again = await two.call(`/api/v1/asks/${id}/answer`, { value: true }, { 'idempotency-key': 'k' });
  expect(again).toEqual(first);
  expect(await one.call(`/api/v1/log`)).toMatchObject({ body: { asks: [{ id, value: true }] } });
});

test('while the store is down, nothing is accepted and the process is not ready; when it is back, the repeat decides', async () => {
  const own = await startRedis();
  onTestFinished(() => own.stop());
  const { call, asked } = await replica(new RedisStore({ url: own.url, prefix: prefix(), logger: silent }));
  const id = await asked('c1');
  const answer = () => call(`/api/v1/asks/${id}/answer`, { value: true }, { 'idempotency-key': 'k' });
  own.kill('SIGSTOP');
  const [refused, ready] = await Promise.all([answer(), call('/readyz')]);
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'store-unavailable' } } });
  expect(ready).toEqual({ status: 503, body: { status: 'not-ready' } });
  expect(await call('/healthz')).toMatchObject({ status: 200 });
  own.kill('SIGCONT');
  const client = new Redis(own.url);
  await client.ping();
  client.disconnect();
  await expect.poll(async () => (await call('/readyz')).status, { timeout: 20_000 }).toBe(200);
  await expect.poll(async () => (await answer()).status, { timeout: 60_000, interval: 500 }).toBe(200);
  expect(await call(`/api/v1/asks/${id}`)).toMatchObject({ body: { status: 'answered', value: true } });
}, 120_000);

test('callers that go away in the middle of a body, or before the reply, decide nothing twice and stop nobody', async () => {
  const { port, asked, call } = await replica(new MemoryStore());
  const id = await asked('c1');
  const head = (length: number) =>
    `POST /inbox/api/v1/asks/${id}/answer HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: ${token(anna)}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const half = connect(port, '127.0.0.1');
  half.write(`${head(14)}{"value"`);
  await new Promise((resolve) => half.once('ready', resolve));
  half.destroy();
  expect(await call(`/api/v1/asks/${id}`)).toMatchObject({ body: { status: 'pending' } });
  const whole = connect(port, '127.0.0.1');
  whole.end(`${head(14)}{"value":true}`);
  await once(whole, 'finish');
  whole.destroy();
  await expect
    .poll(async () => (await call(`/api/v1/asks/${id}`)).body['status'], { timeout: 10_000 })
    .toBe('answered');
  expect(await call(`/api/v1/asks/${id}/answer`, { value: false })).toMatchObject({ status: 409 });
});

/** What a store was read for: calls by name, and the rows that they gave. */
function counted(store: Store): { readonly store: Store; readonly reads: Map<string, number> } {
  const reads = new Map<string, number>();
  const add = (name: string, count: number) => reads.set(name, (reads.get(name) ?? 0) + count);
  const watched = new Set(['list', 'conversation', 'find', 'settled', 'settledAsks', 'history', 'conversationsOf']);
  const get = (target: Store, name: keyof Store) => {
    const member = target[name];
    if (typeof member !== 'function') return member;
    const method = member.bind(target) as (...given: unknown[]) => unknown;
    if (!watched.has(name)) return method;
    return async (...given: unknown[]) => {
      const found = await method(...given);
      add(name, 1);
      if (name === 'list') add('rows listed', (found as Awaited<ReturnType<Store['list']>>).items.length);
      return found;
    };
  };
  return { store: new Proxy(store, { get: (target, name) => get(target, name as keyof Store) }), reads };
}

const askedIn = 10;

/** Opens so many asks like one that an agent has asked, ten in a conversation. */
async function crowded(store: Store, count: number): Promise<Store> {
  const model = new MemoryStore();
  const { asked } = await replica(model);
  const id = await asked('model');
  const document = JSON.parse((await model.conversation('model'))?.document?.text ?? '') as { asks: object[] };
  const fill = async (first: number) => {
    const name = `c${first}`;
    const ids = Array.from({ length: askedIn }, (_, i) => askId(name, `${first + i}`));
    const asks = ids.map((own) => JSON.parse(JSON.stringify(document.asks[0]).replaceAll(id, own)) as object);
    const opened = ids.map((own, i) => ({ id: own, at: 1_000 + first + i }));
    await turn(textStore(store), name, {
      document: JSON.stringify({ ...document, asks }),
      open: true,
      asks: { opened },
    });
  };
  await store.open();
  const starts = Array.from({ length: count / askedIn }, (_, i) => i * askedIn);
  for (let i = 0; i < starts.length; i += 200) await Promise.all(starts.slice(i, i + 200).map(fill));
  return store;
}

const median = (times: number[]): number => times.sort((one, other) => one - other)[times.length >> 1] ?? 0;

test.each([
  ['memory', () => new MemoryStore()],
  ['SQLite', () => new SqliteStore({ path: freshPath(), logger: silent })],
  ['Redis', () => new RedisStore({ url: redis.url, prefix: prefix(), logger: silent })],
])(
  'on %s a page of 100 000 open asks, as JSON and as HTML, reads and costs no more than one of 100',
  async (name, make) => {
    const sides = await Promise.all(
      [100, 100_000].map(async (count) => {
        const { store, reads } = counted(await crowded(make(), count));
        return { reads, port: (await replica(store)).port, times: { json: [] as number[], html: [] as number[] } };
      }),
    );
    const load = async (port: number, path: string) => {
      const response = await fetch(`http://localhost:${port}/inbox${path}`, {
        headers: { authorization: token(boss) },
      });
      expect(response.status).toBe(200);
      return response.text();
    };
    const kinds = {
      json: { path: '/api/v1/asks?limit=50', rows: 50, one: /"question":/g },
      html: { path: '', rows: 25, one: /<li data-id=/g },
    };
    const readOnce: Record<string, object[]> = { json: [], html: [] };
    for (let round = 0; round < 41; round += 1)
      for (const kind of ['json', 'html'] as const)
        for (const { reads, port, times } of sides) {
          reads.clear();
          const begin = performance.now();
          const text = await load(port, kinds[kind].path);
          times[kind].push(performance.now() - begin);
          expect(text.match(kinds[kind].one)).toHaveLength(kinds[kind].rows);
          if (round === 40) readOnce[kind]?.push(Object.fromEntries(reads));
        }
    for (const kind of ['json', 'html'] as const) {
      const [few, many] = readOnce[kind] ?? [];
      const [one = 0, other = 0] = sides.map(({ times }) => median(times[kind]));
      const told = `${name}, ${kind}: ${one.toFixed(2)} ms of 100, ${other.toFixed(2)} ms of 100 000; ${JSON.stringify(many)}`;
      console.info(told);
      expect(many).toEqual(few);
      expect(many).toMatchObject({ list: 1 });
      expect(other / one < 3 || other - one < 2, told).toBe(true);
    }
  },
  300_000,
);
