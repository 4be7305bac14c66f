/** The steps of the Redis store as Redis sees them: how many commands, what a full memory does, and fair shares. */
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoredRecord } from '../../../src/core/format/stored.js';
import { routedId } from '../../../src/core/ids.js';
import { AgentRegistry, agent } from '../../../src/index.js';
import type { Save } from '../../../src/stores/port.js';
import { Keys } from '../../../src/stores/redis/keys.js';
import { longestInside } from '../../../src/stores/rules/record.js';
import {
  begin,
  entry,
  finishing,
  hold,
  long,
  out,
  record,
  saved,
  saving,
  taking,
} from '../../../src/testing/store-contract/kit.js';
import { type Claim, type Taken, textStore } from '../../../src/testing/store-contract/texts.js';
import { TestChannel } from '../../support/engine.js';
import { redisForFile } from '../../support/for-file.js';
import { patience } from '../../support/processes.js';
import { startRedis } from '../../support/redis-server.js';
import { asked, checkKeys, opened, storeOn } from '../../support/redis-store.js';
import { silent } from '../../support/store.js';

const { client } = await redisForFile();

describe('scripts', () => {
  test('a server that forgot the scripts between two steps is told them again', async () => {
    const { store, prefix } = await opened(client);
    for (let i = 0; i < 3; i++) {
      await client.script('FLUSH');
      const by = await begin(store, 'c');
      await client.script('FLUSH');
      expect((await store.save(finishing('c', by, { outputs: [out(`k${i}`)] }))).type).toBe('saved');
      await client.script('FLUSH');
      await store.sent([{ conversationId: 'c', key: `k${i}`, channel: 'web' }]);
    }
    await client.script('FLUSH');
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => store.take(taking(`many${i}`, { entry: entry('e') }))),
    );
    expect(all.filter(({ claim }) => claim)).toHaveLength(50);
    expect((await store.conversation('c'))?.revision).toBe(3);
    await checkKeys(client, prefix);
  });

  test('take is one command for the client at most, save is one, and reading is one', async () => {
    const { store } = await opened(client);
    await asked(store, 'warm'); // the scripts are known from here on
    const evals = async () => {
      const stats = await client.info('commandstats');
      const calls = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      return calls('evalsha') + calls('eval');
    };
    const before = await evals();
    const by = await begin(store, 'c');
    expect((await evals()) - before).toBeLessThanOrEqual(1);
    await store.save(finishing('c', by, { document: 'd', history: ['h'], outputs: [out('k')], people: ['p'] }));
    expect((await evals()) - before).toBeLessThanOrEqual(2);
    await store.conversation('c');
    expect((await evals()) - before).toBeLessThanOrEqual(3);
  });

  test('a document of any length is what is read, and has a key of its own only if it is long', async () => {
    const { store, prefix, keys } = await opened(client);
    const documents = [
      'd',
      'ä'.repeat(512),
      'ä'.repeat(longestInside),
      `${'ä'.repeat(longestInside)}!`,
      'x'.repeat(5_000),
      '\0'.repeat(5_001),
      '{}',
      '{',
      '',
    ];
    for (const first of documents) {
      for (const second of documents) {
        const by = await begin(store, 'c');
        const kept = await saved(store, saving('c', by, { document: first }, hold)); // within, where it may be
        expect((await store.conversation('c'))?.document).toBe(first);
        const after = await saved(store, saving('c', { ...by, revision: kept.revision }, { document: second }, hold));
        expect((await store.conversation('c'))?.document).toBe(second);
        const own = (await keys()).some((key) => key.endsWith(':d'));
        expect(own).toBe(second.length > longestInside);
        const last = { ...by, revision: after.revision };
        await saved(store, finishing('c', last, { document: first, open: second.length > 1 }));
        const again = await begin(store, 'c');
        expect(again.document).toBe(first);
        await saved(store, finishing('c', again));
        await checkKeys(client, prefix);
      }
    }
  });

  test.each([0, 1, 88, 89, 90, 1_200])('a save with %d of everything is done whole', async (count) => {
    const { store, prefix } = await opened(client);
    const many = <T>(made: (i: number) => T) => Array.from({ length: count }, (_, i) => made(i));
    const id = (name: string) => routedId('c', name);
    const first = await begin(store, 'c');
    const before = { added: many((i) => ({ id: id(`old${i}`), at: i })), removed: [] };
    const asks = { opened: many((i) => ({ id: id(`a${i}`), at: i })), settled: [] };
    await saved(store, finishing('c', first, { parked: before, asks, outputs: many((i) => out(`w${i}`)) }));
    const by = await begin(store, 'c');
    const changes = {
      outputs: many((i) => out(`k${i}`)),
      withdraw: many((i) => `w${i}`),
      history: many((i) => `h${i}`),
      asks: { opened: [], settled: many((i) => ({ id: id(`a${i}`), record: `r${i}`, at: i })) },
      parked: { added: many((i) => ({ id: id(`new${i}`), at: i })), removed: many((i) => id(`old${i}`)) },
      people: many((i) => `p${i}`),
    };
    await saved(store, finishing('c', by, changes));
    const lent = await store.unsent({ channels: ['web'], limit: 5_000, sendLease: 0, conversationId: 'c' });
    await checkKeys(client, prefix);
    expect((await store.history('c', { limit: 5_000 })).items).toEqual(changes.history);
    expect((await store.list('open', { limit: 5_000 })).items).toEqual([]);
    const parked = (await store.list('parked', { limit: 5_000 })).items.map((item) => item.id);
    expect(parked.sort()).toEqual(changes.parked.added.map((each) => each.id).sort());
    if (count === 0) return;
    expect(await store.find(id(`a${count - 1}`))).toEqual({ record: `r${count - 1}` });
    expect(await store.conversationsOf(`p${count - 1}`)).toEqual(['c']);
    expect(lent).toEqual([]); // lent to the saver
    await store.sent(changes.outputs.map(({ key, channel }) => ({ conversationId: 'c', key, channel })));
    await checkKeys(client, prefix);
  });

  test.each([0, 1, 42, 63, 64, 127, 128, 500])(
    'texts of %d more signs are taken apart where they end',
    async (more) => {
      const { store, prefix } = await opened(client);
      const named = (name: string) => `${name}${'ä'.repeat(more % 2)}${'x'.repeat(more)}`;
      const ask = { id: named('ask'), at: 7 };
      const by = await begin(store, 'c', named('e'));
      expect(by.entry?.id).toBe(named('e'));
      const kept = await saved(store, saving('c', by, { document: 'd' }, hold));
      const closes = { entryId: named('e'), outcome: named('outcome'), keepMemo: false };
      const outputs = ['k', 'w'].map((key) => out(named(key), { channel: named('web'), to: 'anyone' }));
      const changes = { closes, outputs, history: ['h'], people: [named('p')], asks: { opened: [ask], settled: [] } };
      const after = await saved(store, saving('c', { ...by, revision: kept.revision }, changes, hold));
      await saved(store, saving('c', { ...by, revision: after.revision }, { withdraw: [named('w')] }, hold));
      expect(await store.outcome('c', named('e'))).toBe(named('outcome'));
      expect((await store.history('c', { limit: 9 })).items).toEqual(['h']);
      expect((await store.list('open', { limit: 9 })).items).toEqual([{ ...ask, conversationId: 'c' }]);
      expect(await store.conversationsOf(named('p'))).toEqual(['c']);
      const lent = await store.unsent({ channels: [named('web')], limit: 9, sendLease: long });
      expect(lent.map(({ key, channel }) => [key, channel])).toEqual([[named('k'), named('web')]]);
      await checkKeys(client, prefix);
    },
  );

  test('while a call is under way, steps of one tick are one command', async () => {
    const { store } = await opened(client);
    const by = await begin(store, 'held');
    await asked(store, 'warm');
    const { connection } = (store as unknown as { connections: { commands: { connection: Redis } } }).connections
      .commands;
    const sendCommand = vi.spyOn(connection, 'sendCommand');
    const takes = Array.from({ length: 16 }, (_, i) => store.take(taking(`tick${i}`, { entry: entry('e') })));
    expect(sendCommand).toHaveBeenCalledTimes(1); // nothing was under way, so the first has left at once
    const [saved, ...claims] = await Promise.all([store.save(finishing('held', by)), ...takes]);
    expect(saved.type).toBe('saved');
    expect(claims.filter(({ claim }) => claim?.entry?.id === 'e')).toHaveLength(16);
    expect(sendCommand).toHaveBeenCalledTimes(2);
  });

  test('the more is under way, the more steps wait for each other, and never for the rest of a long tick', async () => {
    const { store } = await opened(client);
    await asked(store, 'warm');
    const { connection } = (store as unknown as { connections: { commands: { connection: Redis } } }).connections
      .commands;
    const sendCommand = vi.spyOn(connection, 'sendCommand');
    const takes: Promise<Taken>[] = [];
    const sentAt: number[] = [];
    for (let i = 1; i <= 200; i += 1) {
      takes.push(store.take(taking(`early${i}`, { entry: entry('e') })));
      if (sendCommand.mock.calls.length > sentAt.length) sentAt.push(i);
    }
    expect(sentAt).toEqual([1, 17, 33, 55, 92, 140, 188]); // after 1, 16, 16, 22, 37, 48 and 48
    const all = await Promise.all(takes);
    expect(sendCommand).toHaveBeenCalledTimes(8);
    expect(all.filter(({ claim }) => claim?.entry?.id === 'e')).toHaveLength(200);
  });

  test('what goes wrong for one conversation is told to its caller alone', async () => {
    const { store, prefix } = await opened(client);
    const held = await begin(store, 'fine');
    const key = new Keys(prefix).conversation('broken');
    await client.lpush(key, 'not ours');
    const takes = ['before', 'broken', 'after'].map((id) => store.take(taking(id, { entry: entry('e') })));
    const save = store.save(finishing('fine', held));
    const wrong = store.save(finishing('broken', held));
    const told = await Promise.allSettled([...takes, save, wrong]);
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected']);
    for (const at of [1, 4]) {
      const { reason } = told[at] as PromiseRejectedResult;
      expect(reason).toMatchObject({ code: 'bad-record', message: expect.stringContaining('WRONGTYPE') });
    }
    expect((await store.conversation('after'))?.held).toBe(true);
    await client.del(key);
  });

  test('a thousand asks held make no step do more', async () => {
    const { store } = await opened(client);
    const inside = async () => {
      const stats = await client.info('commandstats');
      return [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)]
        .filter(([, name]) => name !== 'info')
        .reduce((sum, [, , calls]) => sum + Number(calls), 0);
    };
    const cost = async (id: string) => {
      const before = await inside();
      const { ask } = await asked(store, id);
      const by = await begin(store, id);
      const asks = { opened: [], settled: [{ id: ask, record: 'answered', at: 1 }] };
      await store.save(finishing(id, by, { document: 'x', open: false, asks, withdraw: ['q'] }));
      return (await inside()) - before;
    };
    const held = (name: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => asked(store, `${name}${i}`)));
    await held('few', 500); // so that the person in all of them has several in each bucket
    await cost('warm');
    const first = await cost('first');
    await held('many', 1000);
    expect(await cost('last')).toBeLessThanOrEqual(first);
  });
});

describe('out of memory', () => {
  test('take says "not now"; the running turn saves, outputs are marked, effects remembered, erase works', async () => {
    const small = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
    onTestFinished(() => small.stop());
    const own = new Redis(small.url);
    onTestFinished(() => own.disconnect());
    const { store, prefix } = await opened(own);
    const by = await begin(store, 'c', 'e');
    await own.config('SET', 'maxmemory', '1');

    await expect(store.take(taking('c', { entry: entry('e2') }))).rejects.toMatchObject({ code: 'store-full' });
    const kept = await store.remember({ conversationId: 'c', turn: by.turn, key: 'k', value: 'v' });
    expect(kept).toEqual({ type: 'kept', value: 'v' });
    expect((await store.renew([{ conversationId: 'c', token: by.token }], long))[0]?.held).toBe(true);
    expect(await store.save(finishing('c', by, { document: 'big', outputs: [out('k')] }))).toMatchObject({
      type: 'saved',
    });
    await store.sent([{ conversationId: 'c', key: 'k', channel: 'web' }]);
    await checkKeys(own, prefix);
    const state = await store.conversation('c');
    expect(state?.document).toBe('big');
    const call = { conversationId: 'c', incarnation: by.incarnation, revision: 1, retention: long };
    expect(await store.erase({ ...call, asks: [], parked: [] })).toBe(true);

    await own.config('SET', 'maxmemory', '0');
    expect((await store.take(taking('c', { entry: entry('e2') }))).entry).toBe('recorded');
  });
});

test('out of memory: what an open ask waits for goes through, and nothing new is begun', async () => {
  const small = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
  onTestFinished(() => small.stop());
  const own = new Redis(small.url);
  onTestFinished(() => own.disconnect());
  const { store, prefix } = await opened(own);
  const { ask } = await asked(store, 'known');
  const stranger = textStore(storeOn(own, { prefix }));
  await stranger.open();
  onTestFinished(() => stranger.close());
  const { ask: other } = await asked(store, 'unknown');
  const parked = { added: [{ id: routedId('parked', 'entry'), at: 1 }], removed: [] };
  await saved(store, finishing('parked', await begin(store, 'parked'), { open: true, parked }));
  await own.config('SET', 'maxmemory', '1');

  const over = (id: string) => ({ open: false, asks: { opened: [], settled: [{ id, record: 'answered', at: 1 }] } });
  for (const [by, id, open] of [
    [store, 'known', ask],
    [stranger, 'unknown', other],
  ] as const) {
    const taken = await by.take(taking(id, { entry: entry('reply') }));
    expect(taken).toMatchObject({ entry: 'recorded', claim: { document: 'asked' } });
    await saved(by, finishing(id, taken.claim as Claim, over(open)));
    expect(await by.find(open)).toEqual({ record: 'answered' });
  }
  expect((await stranger.take(taking('parked', { entry: entry('again') }))).claim).toBeDefined();
  const refused = { code: 'store-full' };
  await expect(store.take(taking('new', { entry: entry('e') }))).rejects.toMatchObject(refused);
  await expect(store.take(taking('known', { entry: entry('over') }))).rejects.toMatchObject(refused);
  expect(await store.conversation('new')).toBeNull();
  await checkKeys(own, prefix);
});

describe('many buckets', () => {
  test('under load each bucket has its turn, in due and in unsent', async () => {
    const { store } = await opened(client);
    await Promise.all(Array.from({ length: 200 }, (_, i) => record(store, `due${i}`, 'e')));
    const seen = new Set<string>();
    for (let i = 0; i < 128; i++) for (const id of (await store.due(10)).conversations) seen.add(id);
    expect(seen.size).toBe(200);

    for (let i = 0; i < 200; i++) {
      const by = await begin(store, `out${i}`);
      await store.save(finishing(`out${i}`, by, { outputs: [out('k', { to: 'anyone' })] }));
    }
    const lent = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const some = await store.unsent({ channels: ['web', 'none'], limit: 10, sendLease: long });
      expect(some).toHaveLength(10); // never more than asked for, and nothing lent that was not returned
      for (const { conversationId } of some) lent.add(conversationId);
    }
    expect(lent.size).toBe(200);
    expect(await store.unsent({ channels: ['web'], limit: 10, sendLease: long })).toEqual([]);
  });
});

test('a server that stands still for longer than a command may take keeps the order of messages', async () => {
  const store = storeOn(client.duplicate(), { commandTimeout: 250 });
  const phone = new TestChannel();
  const order: string[] = [];
  const noting = agent('noting').onMessage(({ message }) => void order.push(message));
  const registry = new AgentRegistry({
    agents: [noting],
    channels: [phone],
    store,
    logger: { ...silent, info: () => {}, error: () => {} },
  });
  await vi.waitFor(() => registry.start(), patience); // a busy machine may take longer than its limit
  const said = (text: string) => phone.receive({ id: text, conversationId: 'cold', text });
  await client.client('PAUSE', 600, 'ALL');
  const recorded = [said('one'), said('two')];
  await Promise.race([...recorded, new Promise((resolve) => registry.on('storeFailed', resolve))]);
  recorded.push(said('three'));
  expect(await Promise.all(recorded)).toEqual(['recorded', 'recorded', 'recorded']);
  await registry.idle();
  await registry.stop();
  expect(order).toEqual(['one', 'two', 'three']);
});

test('a record whose text cannot be made refuses its own step: those beside and behind it take effect', async () => {
  const { raw, store } = await opened(client);
  const by = await begin(store, 'c');
  const unwritable = StoredRecord.of(1n, JSON.stringify as (value: bigint) => string);
  const told = await Promise.allSettled([
    store.take(taking('before', { entry: entry('e') })),
    raw.take({ conversationId: 'new', token: 't', turn: 'u', lease: long, entry: { ...entry('e'), data: unwritable } }),
    raw.save({ ...(saving('c', by, {}, hold) as never as Save), history: [unwritable] }),
    store.save(saving('c', by, { document: 'behind' }, hold)),
    store.take(taking('beside', { entry: entry('e') })),
  ]);
  expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled']);
  expect((await store.take(taking('new', { entry: entry('e') }))).entry).toBe('recorded');
  expect(await store.conversation('c')).toMatchObject({ document: 'behind', revision: by.revision + 1 });
});
