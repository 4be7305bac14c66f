/**
 * Many streams of the web chat in one process: each gets what is its own, those who read nothing are let go, and all come again at once.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAdaptorServer } from '@hono/node-server';
import { expect, test } from 'vitest';
import { signVisitor, WebChannel } from '../../../src/channels/web/index.js';
import { AgentRegistry, agent, MemoryStore } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { settle } from '../../support/engine.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const secret = 'a secret of at least 32 characters';
const many = 500;

async function replicas(maxStreams = many) {
  const clock = new FakeClock();
  const memory = new MemoryStore({ clock });
  const reads = { count: 0 };
  const counted = new Set(['historyFrom', 'conversation', 'find', 'outcome', 'changes']);
  const store = new Proxy(memory, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (counted.has(String(name))) reads.count += 1;
      return value.bind(target);
    },
  });
  const open = async () => {
    const web = new WebChannel({ origins: ['https://shop.example'], secret, clock, maxStreams });
    const echo = agent('echo').onMessage(({ message }) => `You said ${message}`);
    const registry = new AgentRegistry({ agents: [echo], channels: [web], store, clock });
    await registry.start();
    const call = (token: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      return web.fetch(new Request(`https://chat.example/${path}`, init));
    };
    return { registry, call, fetch: web.fetch };
  };
  const advance = (ms: number) => clock.advance(ms, () => settle(3));
  return { one: await open(), two: await open(), clock, advance, reads };
}

/** Reads a stream to its end, and says what its batches held. */
async function allOf(response: Response): Promise<{ texts: string[]; cursor: string }> {
  let read = '';
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()))
    read += chunk;
  const batches = [...read.matchAll(/^data: (\{"items".*)$/gm)].map((found) => JSON.parse(found[1] as string));
  const texts = batches.flatMap((batch: { items: { type: string; text: string }[] }) =>
    batch.items.filter(({ type }) => type === 'out').map(({ text }) => text),
  );
  return { texts, cursor: batches.at(-1)?.cursor ?? '' };
}

test('500 streams: each gets its own words, whichever process said them, and goes on elsewhere from its cursor', async () => {
  const { one, two, clock, advance } = await replicas();
  const tokens = Array.from({ length: many }, (_, i) =>
    signVisitor(secret, { id: `${i}` }, { clock, expiresIn: 60 * 60_000 }),
  );
  const [reading, idle] = [tokens.slice(0, 450), tokens.slice(450)];
  const streams = await Promise.all(reading.map((token) => one.call(token, 'stream')));
  const read = streams.map(allOf);
  const unread = await Promise.all(idle.map((token) => one.call(token, 'stream')));
  expect((await one.call(tokens[0] as string, 'stream')).status).toBe(503);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;

  const say = (at: typeof one, id: string) =>
    Promise.all(tokens.map((token, i) => at.call(token, 'messages', { id, text: `${id} of ${i}` })));
  for (const id of ['a', 'b', 'c']) {
    await say(two, id);
    await advance(1_000);
  }
  await advance(30_000);
  expect(await one.call(idle[0] as string, 'stream')).toMatchObject({ status: 200 }); // who reads nothing was let go
  for (const { body } of unread) await body?.cancel();
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);

  await one.registry.stop();
  const seen = await Promise.all(read);
  const said = (i: number, ...ids: string[]) => ids.map((id) => `You said ${id} of ${i}`);
  for (const [i, { texts }] of seen.entries()) expect(texts).toEqual(said(i, 'a', 'b', 'c'));

  const again = await Promise.all(reading.map((token, i) => two.call(token, `stream?after=${seen[i]?.cursor}`)));
  const rest = again.map(allOf);
  await say(two, 'd');
  await advance(1_000);
  await two.registry.stop();
  for (const [i, it] of rest.entries()) expect((await it).texts).toEqual(said(i, 'd'));
});

/** A stream over a Unix socket, as it was read so far. */
class SocketStream {
  cursor = '';
  readonly texts: string[] = [];
  #rest = '';
  #response: IncomingMessage | undefined;

  async open(socketPath: string, token: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}`, host: 'chat.example' };
    const path = `/stream${this.cursor === '' ? '' : `?after=${this.cursor}`}`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ socketPath, path, headers, agent: false }, resolve).on('error', reject).end();
    });
    this.#response = response;
    this.#rest = '';
    response.on('error', () => {}); // it is cut off on purpose
    response.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
    return response.statusCode ?? 0;
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  cut(): void {
    this.#response?.destroy();
  }

  #read(chunk: string): void {
    const events = (this.#rest + chunk).split('\n\n');
    this.#rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (\{"items".*)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      const batch = JSON.parse(data) as { items: { type: string; text: string }[]; cursor: string };
      this.cursor = batch.cursor;
      for (const { type, text } of batch.items) if (type === 'out') this.texts.push(text);
    }
  }
}

test('2 000 connections, half of them slow, and all cut off at once: nothing is missed, idle ones cost no reads', async () => {
  const total = 2_000;
  const { one, two, clock, advance, reads } = await replicas(total);
  const folder = await mkdtemp(join(tmpdir(), 'askback-load-'));
  const socketPath = join(folder, 'chat');
  const server = createAdaptorServer({ fetch: one.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve) => {
    server.listen({ path: socketPath, backlog: total }, resolve);
  });
  const tokens = Array.from({ length: total }, (_, i) => signVisitor(secret, { id: `${i}` }, { clock }));
  const streams = tokens.map(() => new SocketStream());
  const slow = streams.slice(total / 2);
  const openAll = async (): Promise<void> => {
    const opened = await Promise.all(streams.map((stream, i) => stream.open(socketPath, tokens[i] as string)));
    expect(opened.filter((status) => status !== 200)).toEqual([]);
    for (const stream of slow) stream.pause();
  };
  const say = (id: string) =>
    Promise.all(tokens.map((token, i) => two.call(token, 'messages', { id, text: `${id} of ${i}` })));
  const expectAll = async (some: readonly SocketStream[], ...ids: string[]): Promise<void> => {
    await expect.poll(() => some.filter(({ texts }) => texts.length < ids.length).length, { timeout: 60_000 }).toBe(0);
    for (const stream of some) {
      const i = streams.indexOf(stream);
      expect(stream.texts).toEqual(ids.map((id) => `You said ${id} of ${i}`));
    }
  };

  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  await openAll();
  await say('a');
  await two.registry.idle();
  await expectAll(streams.slice(0, total / 2), 'a'); // no time has passed: the other process has told this one

  const readsBefore = reads.count;
  await advance(60_000);
  expect(reads.count - readsBefore).toBeLessThan(60 * 80); // the same for 200 streams, and for 20 000
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(120_000_000);

  for (const stream of streams) stream.cut();
  await say('b');
  await two.registry.idle();
  await expect.poll(openAll, { timeout: 60_000, interval: 200 }).toBeUndefined(); // room is there when the server has seen all of them leave
  await say('c');
  await two.registry.idle();
  for (const stream of slow) stream.resume();
  await expectAll(streams, 'a', 'b', 'c');
  for (const stream of streams) stream.cut();
  await Promise.all([one.registry.stop(), two.registry.stop()]);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  await rm(folder, { recursive: true });
});
