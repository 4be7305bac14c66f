/**
 * Steps that were computed from what a process knew: whatever changed meanwhile is noticed, nothing is written by a step that
 * was missed, and steps of one conversation keep their order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bucketOf } from '../../../src/core/ids.js';
import { systemClock } from '../../../src/machine/clock.js';
import { Keys } from '../../../src/stores/redis/keys.js';
import {
  claim,
  entry,
  finishing,
  hold,
  long,
  out,
  read,
  record,
  type SaveChanges,
  saved,
  saving,
  taking,
  timeless,
} from '../../../src/testing/store-contract/kit.js';
import { type Claim, type Save, type Store, type Taken, textStore } from '../../../src/testing/store-contract/texts.js';
import { redisForFile } from '../../support/for-file.js';
import { asked, checkKeys, opened, storeOn } from '../../support/redis-store.js';

const { client } = await redisForFile();

/** A second process: another store at the same place. */
async function another(prefix: string): Promise<Store> {
  const store = textStore(storeOn(client, { prefix }));
  await store.open();
  onTestFinished(() => store.close());
  return store;
}

/** How many calls of scripts the server got. */
async function calls(): Promise<number> {
  const stats = await client.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

async function callsOf(work: () => Promise<unknown>): Promise<number> {
  const before = await calls();
  await work();
  return (await calls()) - before;
}

/** The store knows the time of the server from now on, and of no conversation. */
const hear = (store: Store) => store.take(taking('nobody', { lease: 0 }));

/** What a reply makes of the document of `asked`. */
const predecide = (document: string) => (document === 'asked' ? { document: 'answered', changed: [] } : undefined);

const reply = (store: Store, conversationId: string): Promise<Claim> =>
  claim(store, conversationId, { entry: entry('reply'), predecide });

const over = (ask: string): SaveChanges => ({
  ...{ document: 'over', open: false, withdraw: ['q'], history: ['decision', 'in'] },
  asks: { opened: [], settled: [{ id: ask, record: '{"answer":1}', at: 1 }] },
});

/** All that a place holds. */
async function everything(prefix: string) {
  const keys = (await client.keys(`${prefix}:{*`)).sort();
  return Promise.all(keys.map(async (key) => [key, await client.dumpBuffer(key)]));
}

test('a process that asks and gets the reply makes one call a step', async () => {
  const { store, prefix } = await opened(client);
  await hear(store);
  const { ask } = await asked(store, 'warm-up');
  expect(ask).not.toBe('');
  expect(
    await callsOf(async () => {
      await asked(store, 'c');
    }),
  ).toBe(2);
  const { ask: second } = await asked(store, 'd');
  const made = await callsOf(async () => {
    const by = await claim(store, 'd', { entry: entry('reply'), predecide });
    await saved(store, finishing('d', by, over(second)));
  });
  expect(made).toBeLessThanOrEqual(2);
  await checkKeys(client, prefix);
});

test('an output that was sent before its question was answered leaves nothing to withdraw', async () => {
  const { store, prefix } = await opened(client);
  const { ask } = await asked(store, 'c');
  await store.sent([{ conversationId: 'c', key: 'q', channel: 'web' }]);
  await saved(store, finishing('c', await reply(store, 'c'), over(ask)));
  expect(await store.unsent({ channels: ['web'], limit: 10, sendLease: 0 })).toEqual([]);
  await checkKeys(client, prefix);
});

describe('order', () => {
  /** Puts a call under way, so that what follows in this tick shares the next one. */
  const busy = (store: Store): Promise<Taken> => store.take(taking('busy', { entry: entry('e') }));

  test.each(['unknown', 'known'])(
    'messages of one tick are recorded in their order, in an %s conversation',
    async (what) => {
      const { store, prefix } = await opened(client);
      await hear(store);
      const names = Array.from({ length: 60 }, (_, i) => `m${i}`);
      if (what === 'known') await claim(store, 'c', { entry: entry('first') });
      const first = busy(store);
      const taken = names.map((name) => store.take(taking('c', { lease: 0, entry: entry(name) })));
      expect((await Promise.all([first, ...taken])).every((each) => each.entry === 'recorded')).toBe(true);
      const { queue } = await read(store, 'c');
      expect(queue.map(({ id }) => id)).toEqual(what === 'known' ? ['first', ...names] : names);
      await checkKeys(client, prefix);
    },
  );

  test('a step that has to be tried again holds back those behind it, one that is refused does not', async () => {
    const { store, prefix } = await opened(client);
    const by = await claim(store, 'c', { entry: entry('first') });
    await record(store, 'c', 'known');
    await record(await another(prefix), 'c', 'theirs');
    const again = store.take(taking('c', { lease: 0, entry: entry('theirs') })); // it is not known here: missed
    const refused = store.save(finishing('c', { ...by, token: 'nobody' }));
    const later = store.take(taking('c', { lease: 0, entry: entry('later') }));
    const last = store.save(finishing('c', by, { document: 'd' }));
    expect((await again).entry).toBe('repeat');
    expect(await refused).toEqual({ type: 'refused' });
    expect((await later).entry).toBe('recorded');
    expect(await last).toMatchObject({ type: 'saved', next: { entry: { id: 'known' } } });
    const { queue } = await read(store, 'c');
    expect(queue.map(({ id }) => id)).toEqual(['known', 'theirs', 'later']);
    await checkKeys(client, prefix);
  });

  test('a save and a message behind it: the message finds what was saved, also where the save is missed first', async () => {
    const { store, prefix } = await opened(client);
    const by = await claim(store, 'c', { entry: entry('first') });
    await (await another(prefix)).renew([{ conversationId: 'c', token: by.token }], long); // the save will be missed
    const save = store.save(finishing('c', by, { document: 'saved' }));
    const take = store.take(taking('c', { entry: entry('second') }));
    expect((await save).type).toBe('saved');
    expect((await take).claim).toMatchObject({ document: 'saved', entry: { id: 'second' } });
  });

  test('a queue that is full makes no storm: every message is told so, in a few calls', async () => {
    const { store } = await opened(client);
    await claim(store, 'c', { entry: entry('first') });
    for (const id of ['a', 'b']) await store.take(taking('c', { lease: 0, entry: entry(id, { room: 3 }) }));
    const told: string[] = [];
    const made = await callsOf(async () => {
      const first = busy(store);
      const takes = Array.from({ length: 40 }, (_, i) =>
        store.take(taking('c', { lease: 0, entry: entry(`x${i}`, { room: 3 }) })),
      );
      for (const { entry: as } of await Promise.all(takes)) told.push(as ?? '');
      await first;
    });
    expect(new Set(told)).toEqual(new Set(['full']));
    expect(made).toBeLessThanOrEqual(6);
  });
});

describe('what changed meanwhile is noticed', () => {
  test('an entry that another process queued is what comes next', async () => {
    const { store, prefix } = await opened(client);
    const by = await claim(store, 'c', { entry: entry('first') });
    await record(await another(prefix), 'c', 'second');
    const { next } = await saved(store, finishing('c', by, { document: 'd' }));
    expect(next?.entry?.id).toBe('second');
    await checkKeys(client, prefix);
  });

  test('a lease that another process took over cannot be saved', async () => {
    const { store, prefix } = await opened(client);
    const by = await claim(store, 'c', { entry: entry('first'), lease: 40 });
    await sleep(60);
    const theirs = await claim(await another(prefix), 'c');
    expect(await store.save(finishing('c', by, { document: 'mine', outputs: [out('q')] }))).toEqual({
      type: 'refused',
    });
    expect((await read(store, 'c')).document).toBeNull();
    const second = await another(prefix);
    expect((await second.save(finishing('c', theirs, { document: 'theirs' }))).type).toBe('saved');
    await checkKeys(client, prefix);
  });

  test('a lease that was renewed, and an effect that was remembered elsewhere', async () => {
    const { store, prefix } = await opened(client);
    const other = await another(prefix);
    const by = await claim(store, 'c', { entry: entry('first') });
    await other.renew([{ conversationId: 'c', token: by.token }], long);
    await saved(store, finishing('c', by, { document: 'd' }));
    const again = await claim(store, 'c', { entry: entry('second') });
    await other.remember({ conversationId: 'c', turn: again.turn, key: 'paid', value: 'yes' });
    await saved(store, finishing('c', again, { document: 'e' }));
    expect(await client.keys(`${prefix}:*:m:*`)).toEqual([]);
    await checkKeys(client, prefix);
  });

  test('a reply that another process recorded is a repeat', async () => {
    const { store, prefix } = await opened(client);
    await asked(store, 'c');
    await record(await another(prefix), 'c', 'reply');
    const taken = await store.take(taking('c', { lease: 0, entry: entry('reply'), predecide }));
    expect(taken.entry).toBe('repeat');
    const again = await store.take(taking('c', { entry: entry('reply'), predecide }));
    expect([again.entry, again.claim?.document]).toEqual(['repeat', 'asked']);
  });

  test('another turn between the question and its reply: nothing that was predecided happens', async () => {
    const { store, prefix } = await opened(client);
    await asked(store, 'c');
    const other = await another(prefix);
    const by = await claim(other, 'c', { entry: entry('between') });
    await saved(other, finishing('c', by, { document: 'changed' }));
    const mine = await claim(store, 'c', { entry: entry('reply'), predecide });
    expect([mine.document, mine.revision]).toEqual(['changed', 2]);
    await checkKeys(client, prefix);
  });

  test('the id under which another process sent the question stays known', async () => {
    const { store, prefix } = await opened(client);
    const { ask } = await asked(store, 'c');
    const sentAs = { name: 'q', id: 'ts1' };
    await (await another(prefix)).sent([{ conversationId: 'c', key: 'q', channel: 'web', sentAs }]);
    const by = await reply(store, 'c');
    expect(by.document).toBe('answered');
    await saved(store, finishing('c', by, over(ask)));
    expect(await store.sentAs('c', 'q')).toBe('ts1');
    expect(await client.pttl((await client.keys(`${prefix}:*:c:c:s`))[0] as string)).toBeGreaterThan(0);
    await checkKeys(client, prefix);
  });

  test('an erased conversation stays erased', async () => {
    const { store, prefix } = await opened(client);
    const { ask } = await asked(store, 'c');
    const { incarnation } = await read(store, 'c');
    const asks = [{ id: ask, tombstone: 'gone' }];
    const other = await another(prefix);
    const erased = { conversationId: 'c', incarnation, revision: 1, retention: long };
    expect(await other.erase({ ...erased, asks, parked: [] })).toBe(true);
    const mine = await claim(store, 'c', { entry: entry('reply'), predecide });
    expect([mine.document, mine.incarnation === incarnation]).toEqual([null, false]);
    await checkKeys(client, prefix);
  });

  test('a write that Redis lost is not taken for another of the same revision', async () => {
    const { store, prefix } = await opened(client);
    const key = new Keys(prefix).conversation('c');
    const { by } = await asked(store, 'c');
    const before = (await client.getBuffer(key)) as Buffer;
    const mine = await claim(store, 'c', { entry: entry('lost') });
    await saved(store, saving('c', mine, { document: 'lost' }, hold)); // this process knows revision 2
    await client.set(key, before); // a fail-over lost the last writes
    const other = await another(prefix);
    const theirs = await claim(other, 'c', { entry: entry('kept') });
    await saved(other, saving('c', theirs, { document: 'kept' }, hold)); // revision 2 as well
    expect(theirs.revision).toBe(mine.revision);
    expect(by.incarnation).toBe(theirs.incarnation);
    const late = await store.save(saving('c', { ...mine, revision: 2 }, { document: 'mixed' }));
    expect(late).toEqual({ type: 'refused' });
    expect((await store.take(taking('c', { entry: entry('next') }))).claim).toBeUndefined();
    expect((await read(store, 'c')).document).toBe('kept');
  });

  test('a server that was restored to an earlier state is worked with as it is', async () => {
    const { store, prefix } = await opened(client);
    const key = new Keys(prefix).conversation('c');
    await asked(store, 'c');
    const dump = await client.dumpBuffer(key);
    const by = await claim(store, 'c', { entry: entry('reply') });
    await saved(store, finishing('c', by, { document: 'lost', open: true }));
    await client.restore(key, 0, dump, 'REPLACE');
    const again = await claim(store, 'c', { entry: entry('reply') });
    expect([again.document, again.revision]).toEqual(['asked', 1]);
    await saved(store, finishing('c', again, { document: 'kept', open: true }));
    await checkKeys(client, prefix);
  });
});

/** A conversation `c` whose next save is missed, and that save. */
const misses: Readonly<Record<string, (store: Store, prefix: string) => Promise<Save>>> = {
  'the record is another': async (store, prefix) => {
    const by = await claim(store, 'c', { entry: entry('first') });
    await record(await another(prefix), 'c', 'second');
    return finishing('c', by, { document: 'd', people: ['p'], outputs: [out('q')], history: ['h'] });
  },
};

test.each(Object.entries(misses))('nothing is written by a step that is missed: %s', async (_why, tell) => {
  const { store, prefix } = await opened(client);
  const call = await tell(store, prefix);
  const before = await everything(prefix);
  const { connection } = (store as unknown as { connections: { commands: { connection: Redis } } }).connections
    .commands;
  const evalsha = connection.evalsha.bind(connection) as (...args: unknown[]) => Promise<unknown>;
  let made = 0;
  vi.spyOn(connection, 'evalsha').mockImplementation(((...args: unknown[]) =>
    ++made === 1 ? evalsha(...args) : Promise.reject(new Error('left out'))) as never);
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(store.save(call)).rejects.toThrow('left out');
  expect(await everything(prefix)).toEqual(before);
});

test('a key that holds something else fails the step alone, and when it is gone the step is done whole, once', async () => {
  const { store, prefix } = await opened(client);
  const key = new Keys(prefix).conversation('c');
  const by = await claim(store, 'c', { entry: entry('first') });
  await record(store, 'c', 'second');
  await client.set(`${key}:h`, 'not ours');
  const call = finishing('c', by, { document: 'd', history: ['h'], outputs: [out('k')] });
  await expect(store.save(call)).rejects.toMatchObject({ code: 'bad-record' });
  const state = await read(store, 'c');
  expect([state.revision, state.queue.length]).toEqual([0, 2]);
  await client.del(`${key}:h`);
  expect((await saved(store, call)).next?.entry?.id).toBe('second');
  expect((await store.history('c', { limit: 9 })).items).toEqual(['h']);
  await checkKeys(client, prefix);
});

test('a conversation whose place in due cannot be written is not begun', async () => {
  const { store, prefix } = await opened(client);
  await hear(store);
  const root = `${prefix}:{${bucketOf('c')}}:`;
  await client.set(`${root}due`, 'no list at all');
  await expect(store.take(taking('c', { entry: entry('first') }))).rejects.toThrow('WRONGTYPE');
  expect(await client.exists(`${root}c:c`)).toBe(0);
});

test('a conversation that was begun by a call whose answer was lost is the same for whoever repeats it', async () => {
  const { store, prefix } = await opened(client);
  await hear(store);
  const first = taking('c', { entry: entry('first') });
  const { claim: mine } = await store.take(first);
  const again = await another(prefix);
  await hear(again);
  const repeated = await again.take(first);
  expect(repeated).toMatchObject({ entry: 'recorded', claim: { token: first.token, turn: first.turn } });
  expect(repeated.claim?.incarnation).toBe(mine?.incarnation);
  await saved(store, finishing('c', mine as Claim, { document: 'd' }));
  await checkKeys(client, prefix);
});

test('where conversations are not new, fewer and fewer are taken for new, and as many as ever once one was', async () => {
  const { store, prefix } = await opened(client);
  const other = await another(prefix);
  const old = Array.from({ length: 8 }, (_, i) => `old-${i}`);
  for (const name of old) await record(other, name, 'earlier');
  await hear(store);
  const made: number[] = [];
  const isNew = Array.from({ length: 8 }, (_, i) => `new-${i}`);
  for (const name of [...old, ...isNew]) made.push(await callsOf(() => claim(store, name, { entry: entry('first') })));
  // an old one takes two calls, guessed or read; a new one takes one where it is guessed
  for (const [i, calls] of made.entries()) expect(calls).toBeLessThanOrEqual(i < 10 ? 2 : 1);
});

test('many processes at one conversation: every step is done in the end, each once', async () => {
  const { store, prefix } = await opened(client);
  const stores = [store, ...(await Promise.all([1, 2, 3, 4].map(() => another(prefix))))];
  const by = await claim(store, 'c', { entry: entry('first') });
  const works = stores.map(async (each, i) => {
    for (let k = 0; k < 15; k += 1) {
      const [renewed] = await each.renew([{ conversationId: 'c', token: by.token }], long);
      expect(renewed?.held).toBe(true);
      const as = (await each.take(taking('c', { lease: 0, entry: entry(`${i}-${k}`) }))).entry;
      expect(as).toBe('recorded');
    }
  });
  await Promise.all(works);
  expect((await read(store, 'c')).queue).toHaveLength(76);
  await checkKeys(client, prefix);
});

test('a step that others are always faster than is given up, as "not now", with nothing done', async () => {
  const { store, prefix } = await opened(client, { commandTimeout: 1_000 }); // it is tried for twice that
  const by = await claim(store, 'c', { entry: entry('first') });
  const other = await another(prefix);
  const { connection } = (store as unknown as { connections: { commands: { connection: Redis } } }).connections
    .commands;
  const evalsha = connection.evalsha.bind(connection) as (...args: unknown[]) => Promise<unknown>;
  vi.spyOn(connection, 'evalsha').mockImplementation((async (...args: unknown[]) => {
    await other.renew([{ conversationId: 'c', token: by.token }], long);
    return evalsha(...args);
  }) as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const save = store.save(finishing('c', by, { document: 'd' }));
  await expect(save).rejects.toMatchObject({ code: 'store-unavailable', message: expect.stringContaining('"c"') });
  expect((await read(other, 'c')).revision).toBe(0);
});

test.each([
  ['token of many languages', { token: 'Größe 你好 🙂' }, {}],
  ['token of thousands of characters', { token: 'x'.repeat(5_000) }, {}],
  ['call of many languages', {}, { call: 'Größe 你好 🙂' }],
])('a %s is known when it is repeated', async (_what, taker, saver) => {
  const { store, prefix } = await opened(client);
  const first = taking('c', { entry: entry('first'), ...taker });
  const { claim: by } = await store.take(first);
  const call = finishing('c', by as Claim, { document: 'd', ...saver });
  const result = timeless(await saved(store, call));
  expect(timeless(await saved(store, call))).toEqual(result);
  expect(await store.take(first)).toMatchObject({ entry: 'recorded', outcome: 'outcome of first' });
  await checkKeys(client, prefix);
});

test('somebody who takes part in another conversation is found in both', async () => {
  const { store, prefix } = await opened(client);
  const near = Array.from({ length: 1_000 }, (_, i) => `c${i}`).find((id) => bucketOf(id) === bucketOf('c')) as string;
  await asked(store, 'c');
  await asked(store, near);
  expect([...(await store.conversationsOf('p'))].sort()).toEqual(['c', near].sort());
  await checkKeys(client, prefix);
});

test.each([
  ['seconds ahead', (since: number) => since + 5_000],
  ['more than a second behind, as after a standstill', (since: number) => since],
])('a process whose estimate of the time is %s tries again with the time of the server', async (_way, estimate) => {
  const { store } = await opened(client);
  const by = await claim(store, 'c', { entry: entry('first') });
  const since = systemClock.elapsed();
  vi.spyOn(systemClock, 'elapsed').mockImplementation(() => estimate(since));
  onTestFinished(() => void vi.restoreAllMocks());
  await sleep(1_050); // by the clock of Redis, which nobody can set
  const { now } = await saved(store, finishing('c', by, { document: 'd' }));
  const [seconds, micros] = await client.time();
  expect(Math.abs(Number(seconds) * 1_000 + Number(micros) / 1_000 - now)).toBeLessThan(1_000);
});

test('a reply that comes when its question is nearly over is judged by the time of the server', async () => {
  const { store } = await opened(client);
  const by = await claim(store, 'c', { entry: entry('first') });
  await saved(store, finishing('c', by, { document: 'asked', open: true, due: by.now + 400 }));
  const since = systemClock.elapsed();
  vi.spyOn(systemClock, 'elapsed').mockImplementation(() => since); // the estimate stands still
  onTestFinished(() => void vi.restoreAllMocks());
  await sleep(500);
  expect((await claim(store, 'c', { entry: entry('reply'), predecide })).document).toBe('asked');
});
