/** What a turn costs on Redis, counted at the server, and that it costs the same however many asks are held. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Channel, Desk } from '../../../src/index.js';
import { AgentRegistry, agent, text } from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { shortened } from '../../../src/stores/redis/keys.js';
import { askId, turn } from '../../../src/testing/store-contract/kit.js';
import { textStore } from '../../../src/testing/store-contract/texts.js';
import { patience } from '../../support/processes.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { never } from '../../support/replica/world.js';
import { stepsOf } from '../faults/steps.js';

/** An argument as it was before MONITOR made it readable. */
const raw = (text: string): string =>
  text.replace(/\\(x[0-9a-f]{2}|.)/g, (_, code: string) => {
    if (code.length === 3) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' }[code] ?? code;
  });

class Phone implements Channel {
  readonly name = 'phone';
  sent = 0;
  desk: Desk | undefined;
  start(desk: Desk): void {
    this.desk = desk;
  }
  async send(): Promise<void> {
    this.sent += 1;
  }
}

const support = agent('support');
const order = support.question('order', text('What is your order number?', { pattern: /^\d{5,10}$/ }), {
  onAnswer: (number) => `Refunded ${number}.`,
});
support.onMessage(({ message, ask }) => {
  if (message === 'long refund') return ask(order, { context: { note: 'x'.repeat(60_000) } });
  return message === 'refund' ? ask(order) : 'I can refund an order.';
});

let server: RedisServer;
let client: Redis;
let store: RedisStore;
let registry: AgentRegistry;
const phone = new Phone();
beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
  store = new RedisStore({ client, logger: { warn: () => {}, debug: () => {} }, commandTimeout: patience });
  registry = new AgentRegistry({ agents: [support], channels: [phone], store, settings: never });
  await registry.start();
});
afterAll(async () => {
  await registry.stop();
  client.disconnect();
  await server.stop();
});

let messages = 1_000_000; // all ids are of one length, so that sizes can be compared

/** One message, and everything that comes of it. */
async function says(conversationId: string, words: string): Promise<void> {
  const participant = { id: `phone:${conversationId}` };
  await phone.desk?.receive({ id: `m${++messages}`, conversationId, text: words, participant });
}

interface Seen {
  /** Commands from outside, in order: the names of the steps that a call applies where it is ours. */
  readonly calls: readonly string[];
  /** Commands that scripts called, by name. */
  readonly inner: Readonly<Record<string, number>>;
}

/** What only the first change of a minute in a bucket makes. */
const onceAMinute = new Set(['pexpire', 'lrange', 'ltrim', 'incrby']);

/** What the server was told while the work ran and all of it was over. */
async function monitored(work: () => Promise<void>): Promise<Seen> {
  const monitor = await client.monitor();
  const outer: string[] = [];
  const inner: Record<string, number> = {};
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      const command = args[0]?.toLowerCase() ?? '';
      if (source === 'lua' && !onceAMinute.has(command)) inner[command] = (inner[command] ?? 0) + 1;
      else if (source === 'lua') return;
      else if (command === 'echo') resolve();
      else if (command !== 'info') {
        // the monitor's own, when it begins
        const steps = stepsOf(args.map(raw)).map(({ step }) => step);
        outer.push(steps.length > 0 ? steps.join(', ') : command);
      }
    });
  });
  try {
    await work();
    await registry.idle();
    await client.echo('that was all');
    await ended;
  } finally {
    monitor.disconnect();
  }
  return { calls: outer, inner };
}

/** Bytes in and out at the server while the work ran. */
async function weighed(work: () => Promise<void>): Promise<{ in: number; out: number }> {
  const stats = async () => {
    const info = await client.info('stats');
    return ['input', 'output'].map((way) => Number(new RegExp(`total_net_${way}_bytes:(\\d+)`).exec(info)?.[1]));
  };
  await stats();
  const [in0 = 0, out0 = 0] = await stats();
  const [in1 = 0, out1 = 0] = await stats();
  await work();
  await registry.idle();
  const [in2 = 0, out2 = 0] = await stats();
  // less what the looking itself weighs
  return { in: in2 - in1 - (in1 - in0), out: out2 - out1 - (out1 - out0) };
}

async function measured(name: string) {
  const turns = [
    ['asks', 'refund'],
    ['is insufficient', '?'],
    ['answers', '12345'],
    ['is ordinary', 'thank you!'],
  ] as const;
  const costs: Record<string, Seen> = {};
  const bytes: Record<string, { in: number; out: number }> = {};
  for (const [turn, words] of turns) {
    costs[turn] = await monitored(() => says(`${name}-a`, words));
    bytes[turn] = await weighed(() => says(`${name}-b`, words));
  }
  for (const other of ['c', 'd']) await says(`${name}-${other}`, 'refund');
  await registry.idle();
  costs['answers at once'] = await monitored(() => says(`${name}-c`, '12345'));
  bytes['answers at once'] = await weighed(() => says(`${name}-d`, '12345'));
  return { costs, bytes };
}

/** Copies of a conversation with an open ask, written by the store's own steps, until so many are held. */
async function hold(from: number, count: number): Promise<void> {
  await says('held', 'refund');
  await registry.idle();
  const texts = textStore(store);
  const { document } = (await texts.conversation('held')) ?? {};
  const { asks } = await registry.listAsks({ conversationId: 'held' });
  const copy = async (name: string) => {
    const id = askId(name, 'order');
    const opened = [{ id, at: Number(asks[0]?.askedAt) }];
    await turn(texts, name, {
      document: (document ?? '').replaceAll(asks[0]?.id ?? '', id).replaceAll('phone:held', `phone:${name}`),
      open: true,
      asks: { opened, settled: [] },
      people: [`phone:${name}`],
    });
  };
  for (let i = from; i < count; i += 500) {
    const size = Math.min(500, count - i);
    await Promise.all(Array.from({ length: size }, (_, k) => copy(`held-${i + k}`)));
  }
}

/**
 * Commands inside the scripts for each kind of turn, at most. One more needs a reason. An answer makes two that list the settled ask under
 * its conversation, so that erasing finds it when the history that told of it was dropped, and three that list it among all settled
 * asks: the entry, until when the list is kept, and a look at its oldest entries, which may be over. A turn that leaves nothing to do
 * makes three for the end that waits for its outputs, and the mark of the last one seven: that end is read, and set for the record, what the
 * channels call what was sent, the history and the participant. The next message makes five that take it away.
 */
const commands = { asks: 23, 'is insufficient': 20, answers: 39, 'is ordinary': 35, 'answers at once': 38 };
/** Bytes to Redis and back for each kind of turn, at most. */
const bytes = {
  asks: [2_750, 70],
  'is insufficient': [3_100, 70],
  answers: [4_550, 70],
  'is ordinary': [3_770, 780],
  'answers at once': [4_050, 70],
} as const;

/** How many commands scripts called. */
const made = ({ costs }: Awaited<ReturnType<typeof measured>>, turn: string): number =>
  Object.values(costs[turn]?.inner ?? {}).reduce((sum, n) => sum + n, 0);

describe('counted at the server', () => {
  let few: Awaited<ReturnType<typeof measured>>;
  beforeAll(async () => {
    await measured('warm-up'); // every script is known to the server afterwards
    await hold(0, 9);
    few = await measured('few-1');
  });

  test('a turn that asks makes two round trips at most, a reply that its type alone judges as many, and a mark that may wait', () => {
    const { 'is ordinary': ordinary, ...others } = few.costs;
    for (const { calls } of Object.values(others)) expect(calls.length, String(calls)).toBeLessThanOrEqual(3);
    // a record in which nothing is left to do is not kept, and has to be read first
    expect(ordinary?.calls.length, String(ordinary?.calls)).toBeLessThanOrEqual(4);
  });

  test('a reply that comes to a process that did not ask makes one more at most, to read the record', async () => {
    const other = new Phone();
    const theirs = new RedisStore({ client, logger: { warn: () => {}, debug: () => {} }, commandTimeout: patience });
    const elsewhere = new AgentRegistry({ agents: [support], channels: [other], store: theirs, settings: never });
    await elsewhere.start();
    const calls = async (conversationId: string) => {
      await says(conversationId, 'refund');
      await registry.idle();
      const seen = await monitored(async () => {
        const participant = { id: `phone:${conversationId}` };
        await other.desk?.receive({ id: 'reply', conversationId, text: '12345', participant });
        await elsewhere.idle();
      });
      return seen.calls;
    };
    await calls('elsewhere-1'); // the server may not know the script yet
    expect((await calls('elsewhere-2')).length).toBeLessThanOrEqual(4);
    await elsewhere.stop();
  });

  test('inside the scripts a turn makes so many commands, and no more', () => {
    for (const [turn, most] of Object.entries(commands)) expect(made(few, turn), turn).toBeLessThanOrEqual(most);
  });

  test('a turn sends and gets so many bytes, and no more', () => {
    for (const [turn, [most, back]] of Object.entries(bytes)) {
      expect(few.bytes[turn]?.in, `${turn}, to Redis`).toBeLessThan(most);
      expect(few.bytes[turn]?.out, `${turn}, from Redis`).toBeLessThan(back);
    }
  });

  test('a message in a conversation with a document of 60 000 characters neither reads nor writes that', async () => {
    await says('long', 'long refund');
    const ordinary = async () => {
      await registry.handle({
        conversationId: 'long',
        id: `${++messages}`,
        text: 'hello',
        participant: { id: 'web:2' },
      });
    };
    await ordinary(); // the server may not know every script yet
    const { in: sent, out } = await weighed(ordinary);
    expect(sent).toBeLessThan(5_000);
    expect(out).toBeLessThan(1_500);
  });

  test('a held ask has four keys at most, and its state is one short text', async () => {
    const { asks } = await registry.listAsks({ conversationId: 'held' });
    const own = await client.keys('*:c:held');
    const rest = await Promise.all(
      ['*:c:held:*', '*:p:*held', `*:a:${shortened(asks[0]?.id ?? '')}`].map((all) => client.keys(all)),
    );
    for (const keys of [own, ...rest]) expect(keys.length).toBeLessThanOrEqual(1); // record, history, person, pointer
    expect(await client.strlen(own[0] ?? '')).toBeLessThan(470);
  });

  test('seventy conversations that are worked on together share their calls', async () => {
    const names = Array.from({ length: 70 }, (_, i) => `together-${i}`);
    const { calls } = await monitored(async () => {
      await Promise.all(names.map((name) => says(name, 'refund')));
    });
    const steps = calls.flatMap((call) => call.split(', '));
    const count = (step: string) => steps.filter((each) => each === step).length;
    expect([count('take'), count('save next'), count('sent')]).toEqual([70, 70, 70]);
    expect(calls.length).toBeLessThan(30); // all come at once, and do not all end in one moment
  });

  test('with 20 000 asks held, a turn makes no more commands, and no longer ones, than with 10', async () => {
    await hold(9, 20_000);
    const many = await measured('many1');
    const page = await store.list('open', { limit: 30_000 });
    expect(page.items.length).toBeGreaterThan(20_000);
    for (const [turn, { calls }] of Object.entries(few.costs)) {
      expect(many.costs[turn]?.calls.length, turn).toBeLessThanOrEqual(calls.length);
      expect(made(many, turn), turn).toBeLessThanOrEqual(commands[turn as keyof typeof commands]);
    }
    for (const [turn, { in: sent, out }] of Object.entries(few.bytes)) {
      const now = many.bytes[turn] as { in: number; out: number };
      expect(now.in - sent).toBeLessThan(50); // digits of times and counts
      expect(now.out - out).toBeLessThan(50);
    }
  });
});
