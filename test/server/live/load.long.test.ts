/**
 * Live events under load: 2 000 connections over a real server, half of them readers that take nothing, and a storm of clients that come
 * back. The server listens on a Unix socket: its buffers in the kernel are small, so that a slow reader is felt at once.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getRequestListener } from '@hono/node-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AgentRegistry, agent, MemoryStore, text } from '../../../src/index.js';
import { systemClock } from '../../../src/machine/clock.js';
import { createInbox } from '../../../src/server/index.js';
import { TestChannel } from '../../support/engine.js';

const perPerson = 10;
const wanted = 2_000;

/** Each connection has two ends in this process. */
function affordable(): number {
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString());
  const most = Number.isNaN(limit) ? wanted : Math.floor((limit - 500) / 2);
  if (most < wanted) console.warn(`ulimit -n is ${limit}: ${most} connections instead of ${wanted}`);
  return Math.min(wanted, most);
}

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

function heapInUse(): number {
  for (let i = 0; i < 3; i += 1) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The system's clock, which a test can set forward. */
class MovedClock {
  moved = 0;
  now = () => systemClock.now() + this.moved;
  elapsed = () => systemClock.elapsed() + this.moved;
  after = systemClock.after;
}

const [unknown, open, settled] = [0, 1, 2];

/** A client that keeps what it was told last of each ask. A frame is one chunk of the response, so it is found as it stands. */
class LoadClient {
  readonly states: Uint8Array;
  readonly #path: string;
  readonly #person: string;
  #socket: Socket | undefined;
  #text = '';
  lastId = '';
  resets = 0;
  wrong = 0;
  isConnected = false;

  constructor(path: string, person: string, asks: number) {
    [this.#path, this.#person, this.states] = [path, person, new Uint8Array(asks)];
  }

  /** A slow one takes the headers, and then nothing. */
  connect(slow = false): void {
    const socket = connect(this.#path);
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', (chunk: string) => {
      this.isConnected = true;
      if (slow) socket.pause();
      else this.#take(chunk);
    });
    const id = this.lastId === '' ? '' : `last-event-id: ${this.lastId}\r\n`;
    socket.write(
      `GET /inbox/api/v1/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${this.#person}\r\n${id}\r\n`,
    );
  }

  cut(): void {
    this.#socket?.destroy();
    [this.#text, this.isConnected] = ['', false];
  }

  #take(chunk: string): void {
    this.#text += chunk;
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      const frame = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const ask = frame.includes('event: ask\n') ? /"conversationId":"c(\d+)"/.exec(frame) : null;
      if (ask !== null) this.#heard(Number(ask[1]), frame.includes('"status":"pending"') ? open : settled);
      if (frame.includes('event: reset')) this.resets += 1;
      this.lastId = /(?:^|\n)id: (.+)/.exec(frame)?.[1] ?? this.lastId;
    }
  }

  #heard(ask: number, state: number): void {
    if (this.states[ask] === settled && state === open) this.wrong += 1;
    this.states[ask] = state;
  }
}

test('2 000 connections, half of them slow, and a storm of returning clients: bounded memory, nothing missed', async () => {
  const connections = affordable();
  const half = Math.floor(connections / 2);
  const [first, asks] = [40, 50];
  const clock = new MovedClock();
  const phone = new TestChannel();
  const desk = agent('desk');
  const details = { Reason: 'long '.repeat(800) };
  const order = desk.question('order', text('Which order?'), { details, onAnswer: () => 'Thanks.' });
  desk.onMessage(({ ask }) => ask(order));
  const registry = new AgentRegistry({ agents: [desk], channels: [phone], store: new MemoryStore({ clock }), clock });
  await registry.start();
  const inbox = createInbox(registry, {
    authenticate: ({ headers }) => ({ id: `staff:${headers.get('authorization')}`, scopes: ['read'] }),
  });
  const path = join(tmpdir(), `askback-live-${process.pid}.sock`);
  rmSync(path, { force: true });
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {}); // the server's, for each reader that it drops
  const listener = getRequestListener(inbox.fetch, { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  await new Promise<void>((resolve) => {
    server.listen({ path, backlog: 4_096 }, resolve);
  });
  onTestFinished(async () => {
    inbox.close();
    server.close();
    server.closeAllConnections();
    errors.mockRestore();
    await registry.stop();
  });
  const ask = (n: number) =>
    phone.receive({ id: `m${n}`, conversationId: `c${n}`, text: 'hello', participant: { id: 'web:ada' } });
  const answer = (n: number) =>
    phone.receive({ id: `a${n}`, conversationId: `c${n}`, text: '12345', participant: { id: 'web:ada' } });
  const client = (_: unknown, i: number) => new LoadClient(path, `p${Math.floor(i / perPerson)}`, asks);
  const [fast, slow] = [
    Array.from({ length: half }, client),
    Array.from({ length: half }, (_, i) => client(_, half + i)),
  ];
  const within = { timeout: 50_000, interval: 50 };
  const until = (expected: readonly number[]) =>
    vi.waitFor(() => {
      const late = fast.find(({ states }) => states.some((state, i) => state !== (expected[i] ?? unknown)));
      if (late !== undefined) expect([...late.states]).toEqual(expected);
    }, within);

  for (const each of fast) each.connect();
  for (const each of slow) each.connect(true);
  await vi.waitFor(() => expect([...fast, ...slow].filter((each) => !each.isConnected).length).toBe(0), within);
  const before = heapInUse();

  for (let n = 0; n < first; n += 1) await ask(n);
  await until(Array.from({ length: asks }, (_, i) => (i < first ? open : unknown)));
  for (let n = 0; n < first; n += 2) await answer(n);
  const midway = Array.from({ length: asks }, (_, i) => (i >= first ? unknown : i % 2 === 0 ? settled : open));
  await until(midway);
  const withSlowReaders = heapInUse();

  for (const each of fast) each.cut();
  for (let n = first; n < asks; n += 1) await ask(n);
  for (let n = 1; n < first; n += 2) await answer(n);
  for (const each of fast) each.connect();
  await until(Array.from({ length: asks }, (_, i) => (i < first ? settled : open)));
  expect(fast.reduce((sum, each) => sum + each.wrong + each.resets, 0)).toBe(0);
  const after = heapInUse();

  // the slow ones are stalled by now, and are dropped when they take nothing for a minute
  clock.moved = 61_000;
  await vi.waitFor(() => expect(errors.mock.calls.length).toBe(half), within);
  // both ends are in this process: a slow reader costs its buffers, which are full by then, and what follows adds nothing
  expect((withSlowReaders - before) / half).toBeLessThan(250_000);
  expect(after / withSlowReaders).toBeLessThan(1.3);
}, 110_000);
