/** Too much of it: one flooded conversation, and very many asks that end in the same second. */
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { readConversation, readSettled, writeConversation } from '../../../src/core/format/document.js';
import { bucketOf, routedId } from '../../../src/core/ids.js';
import type { Store } from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { turn } from '../../../src/testing/store-contract/kit.js';
import { textStore } from '../../../src/testing/store-contract/texts.js';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica } from '../../support/replica/replica.js';
import { silent } from '../../support/store.js';
import { asks, refund } from './people.js';
import { Run } from './run.js';

const { server, world } = await redisAndWorld();

const stranger = { participant: { id: 'phone:stranger' } };
const user = { participant: { id: 'phone:user' } };

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

test('a conversation flooded with 5 000 messages: its queue is bounded, a decision still fits, and nobody else waits', async () => {
  const settings = { lease: 3_000, renewal: 500, historyLimit: 5_000 }; // every entry is looked for in the history
  const run = await Run.here(world, server.url, { settings });
  const [one, two] = (await run.alive(2)) as [Replica, Replica];
  const others = () => Promise.all([1, 2, 3].map(() => refund(run)));
  await others();
  const calm = await timed(others);

  const { conversationId, askId } = await asks(run, 'odd-flood');
  world.keep('note');
  await run.says(conversationId, 'note', stranger); // a turn that does not come to its end
  await world.next('note', conversationId);
  const flood = (by: string) =>
    Array.from({ length: 2_500 }, (_, i) => ({ id: `${by}-${i}`, conversationId, text: 'hello', ...stranger }));
  const flooded = Promise.all([one.call('flood', flood('one'), 20), two.call('flood', flood('two'), 20)]);
  const during = await timed(others);
  const told = (await flooded) as Record<string, number>[];
  const count = (what: string) => told.reduce((sum, each) => sum + (each[what] ?? 0), 0);
  expect({ recorded: count('recorded'), full: count('queue-full') }).toEqual({ recorded: 499, full: 4_501 });
  expect(during).toBeLessThan(20_000 + 3 * calm); // while two cores do nothing but flood
  expect(await timed(others)).toBeLessThan(5_000 + 5 * calm); // the queue is full, and that alone slows nobody

  const named = Array.from({ length: 30 }, (_, i) => ({ id: `n-${i}`, conversationId, text: '12345', askId, ...user }));
  expect(await one.call('flood', named, 1)).toEqual({ recorded: 25, 'queue-full': 5 }); // half of the reserved places
  const cancelled = two.call('cancel', askId);
  const places = async () =>
    (await run.client().llen(`${run.prefix}:{${bucketOf(conversationId)}}:c:${conversationId}:q`)) + 1;
  await expect.poll(places).toBe(526); // a cancel over the API fits all the same
  expect(await one.call('flood', [{ id: 'n-50', conversationId, text: '1', askId, ...user }], 1)).toEqual({
    'queue-full': 1,
  });

  world.release();
  await world.hears(conversationId, 'Refunded 12345.');
  expect(await cancelled).toMatchObject({ type: 'already', ask: { status: 'answered', answer: '12345' } });
  const { conversations } = await run.check({ accepted: 1 }, [conversationId]);
  const entries = conversations[0]?.items.filter((item) => item.type === 'in' || item.type === 'note') ?? [];
  expect(entries).toHaveLength(527); // 'refund', and all that stood in line
});

// `npm test` takes 10 000; a soak run sets ASKBACK_EXPIRIES=50000
const expiries = Number(process.env['ASKBACK_EXPIRIES'] ?? 10_000);

/** Copies of a conversation with one open ask, all of which end at the same moment. */
async function copies(store: Store, original: string, askId: string, count: number, end: number) {
  const document = readConversation((await store.conversation(original))?.document ?? null, original);
  const made: { name: string; id: string }[] = [];
  const copy = async (name: string) => {
    const id = routedId(name, 'ask');
    made.push({ name, id });
    const asks = document.asks.map((ask) => ({ ...ask, id, timing: { ...ask.timing, expiresAt: end } }));
    const opened = { opened: [{ id, at: end - 60_000 }], settled: [] };
    const { text } = writeConversation({ ...document, asks });
    await turn(textStore(store), name, { document: text, open: true, due: end, asks: opened });
  };
  expect(document.asks).toMatchObject([{ id: askId }]);
  for (let i = 0; i < count; i += 500) {
    const size = Math.min(500, count - i);
    await Promise.all(Array.from({ length: size }, (_, k) => copy(`odd-copy-${i + k}`)));
  }
  return made;
}

test(`${expiries} asks end in the same second: each is settled once, and the process that does it never stands still`, {
  timeout: 120_000 + expiries * 12,
}, async () => {
  const run = await Run.here(world, server.url);
  const asker = await run.replica();
  const { conversationId, askId } = await asks(run, 'odd', 'refund within 600000');
  await asker.end('SIGTERM');
  run.dismiss(asker);
  const client = new Redis(server.url);
  const store = new RedisStore({ client, prefix: run.prefix, logger: silent });
  await store.open();
  onTestFinished(async () => {
    await store.close();
    client.disconnect();
  });
  const { now } = await store.due(1);
  const made = await copies(store, conversationId, askId, expiries, now + 1_000 + expiries / 2);

  const settings = { sweep: 500, lease: 10_000, renewal: 2_000 };
  const replica = await Replica.begin({ world, redis: server.url, prefix: run.prefix, settings });
  onTestFinished(() => void replica.end());
  await replica.call('lateness');
  const expired = async () => (await replica.call<{ expired?: number }>('counts')).expired ?? 0;
  const begun = performance.now();
  await expect.poll(expired, { timeout: 60_000 + expiries * 12, interval: 100 }).toBeGreaterThanOrEqual(expiries);
  await replica.call('idle');
  const { waited, worked } = await replica.call<{ waited: number; worked: number }>('lateness');
  const took = Math.round(performance.now() - begun);
  console.info(
    `${expiries} expiries in ${took} ms; the loop worked ${worked | 0} ms, waited ${waited | 0} ms at worst`,
  );
  expect(await expired()).toBe(expiries);
  expect(worked).toBeLessThan(250); // what it had to wait for the machine is not its fault

  for (let i = 0; i < made.length; i += 1_000) {
    const looks = made.slice(i, i + 1_000).map(async ({ name, id }) => {
      const found = await store.find(id);
      const { items } = await store.history(name, { limit: 10 });
      const record = found !== null && 'record' in found ? readSettled(found.record) : null;
      return { status: record?.ask.status, decisions: items.filter(({ text }) => text.includes('"decision"')).length };
    });
    for (const look of await Promise.all(looks)) expect(look).toEqual({ status: 'expired', decisions: 1 });
  }
  expect((await store.due(10)).conversations).toEqual([]);
});
