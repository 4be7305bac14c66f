import { expect, test } from 'vitest';
import { bucketOf, routedId } from '../../../src/core/ids.js';
import { AgentRegistry, agent, text } from '../../../src/index.js';
import { Keys, shortened } from '../../../src/stores/redis/keys.js';
import { decodeValue, encodeHead } from '../../../src/stores/redis/plan.js';
import {
  begin,
  entry,
  finishing,
  hold,
  long,
  out,
  record,
  release,
  type SaveChanges,
  saved,
  saving,
  taking,
  turn,
} from '../../../src/testing/store-contract/kit.js';
import { redisForFile } from '../../support/for-file.js';
import { asked, checkKeys, opened, pass } from '../../support/redis-store.js';

const { client } = await redisForFile();
const minute = 60_000;

/** Changes of asks are kept for readers for twelve minutes, however short the retention is, and then run out. */
async function onlyChangesAreLeft(keys: readonly string[]): Promise<void> {
  expect(keys).toEqual([expect.stringMatching(/}:changes$/), expect.stringMatching(/}:changes:dropped$/)]);
  for (const key of keys) {
    const left = await client.pttl(key);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(720_000);
  }
}

test('after an erase only the tombstones and that they came are left, and they run out', async () => {
  const { store, prefix, keys, outlast } = await opened(client);
  const { ask } = await asked(store, 'c');
  const by = await begin(store, 'c', 'again');
  await store.take(taking('c', { entry: entry('waits') }));
  await store.take(taking('c', { entry: entry('waits too') }));
  await store.remember({ conversationId: 'c', turn: by.turn, key: 'paid', value: 'secret' });
  const parked = routedId('c', 'parked');
  const outputs = [out('k', { to: 'anyone' }), out('later', { to: 'anyone' })];
  const kept = { entryId: 'again', outcome: 'failed', keepMemo: true };
  const added = [{ id: parked, at: by.now }];
  await store.save(finishing('c', by, { closes: kept, outputs, parked: { added, removed: [] } }));
  await store.sent([{ conversationId: 'c', key: 'q', channel: 'web', sentAs: { name: 'q', id: 'ts1' } }]);
  await checkKeys(client, prefix);

  const state = await store.conversation('c');
  const call = { conversationId: 'c', incarnation: state?.incarnation as string, revision: 2, retention: minute };
  const asks = [{ id: ask, tombstone: 'gone' }];
  expect(await store.erase({ ...call, asks, parked: [parked] })).toBe(true);
  const [tombstone, changes] = (await keys()).sort();
  expect(tombstone).toMatch(`}:a:${shortened(ask)}`);
  const told = (await client.lrange(changes as string, 0, -1)).map((each) => each.replace(/^\d+,/, ''));
  expect(new Set(told)).toEqual(new Set([`${shortened(ask)}:`]));
  expect(await store.find(ask)).toEqual({ record: 'gone' });
  expect(await store.conversationsOf('p')).toEqual([]);
  await outlast(minute);
  await onlyChangesAreLeft(await keys());
});

test('when the retention is over nothing is left, also not of participants', async () => {
  const { store, prefix, keys, outlast } = await opened(client);
  const short = { retention: minute, dedupeWindow: minute };
  const { ask } = await asked(store, 'c', [out('q')], short);
  const by = await begin(store, 'c');
  const asks = { opened: [], settled: [{ id: ask, record: 'answered', at: 1 }] };
  await store.save(finishing('c', by, { ...short, open: false, asks, withdraw: ['q'], document: 'over' }));
  await checkKeys(client, prefix);
  expect(await store.conversationsOf('p')).toEqual(['c']);
  await outlast(minute);
  await onlyChangesAreLeft(await keys());
  expect(await store.conversationsOf('p')).toEqual([]);
});

test('an output that was not sent keeps its conversation; the mark of sent lets it run out', async () => {
  const { store, prefix, keys, outlast } = await opened(client);
  const by = await begin(store, 'c');
  const short = { retention: minute, dedupeWindow: minute };
  await store.save(finishing('c', by, { outputs: [out('k')], people: ['p'], ...short }));
  await outlast(minute);
  expect(await store.conversation('c')).not.toBeNull();
  const sentAs = { name: 'k', id: 'ts1' };
  await store.sent([{ conversationId: 'c', key: 'k', channel: 'web', sentAs }]);
  await checkKeys(client, prefix);
  expect(await store.sentAs('c', 'k')).toBe('ts1');
  await outlast(minute);
  expect(await keys()).toEqual([]);
});

test('new work takes the time to live away again', async () => {
  const { store, prefix, outlast } = await opened(client);
  const by = await begin(store, 'c');
  const short = { retention: minute, dedupeWindow: minute };
  await store.save(finishing('c', by, { ...short, document: 'd', history: ['h'], people: ['p'] }));
  await record(store, 'c', 'waits');
  await checkKeys(client, prefix);
  await outlast(minute);
  expect((await store.conversation('c'))?.document).toBe('d');
  expect(await store.conversationsOf('p')).toEqual(['c']);
  expect((await store.history('c', { limit: 9 })).items).toEqual(['h']);
});

test.each([
  ['nobody worked on it', 'before'],
  ['its holder was late', 'meanwhile'],
])(
  'a participant who was forgotten while %s, and taken up by another conversation, belongs to both',
  async (_, when) => {
    const { store, prefix, keys } = await opened(client);
    const other =
      Array.from({ length: 1_000 }, (_each, i) => `d${i}`).find((id) => bucketOf(id) === bucketOf('c')) ?? '';
    const lost = async (): Promise<void> => {
      await client.del((await keys()).filter((key) => key.endsWith(':p:p'))); // as if its time was over before its conversation's
      await turn(store, other, { people: ['p'], open: true });
    };
    await turn(store, 'c', { people: ['p'], open: false });
    if (when === 'before') await lost();
    const by = await begin(store, 'c', 'late', 20);
    const { revision } = await saved(store, finishing('c', by, { open: false }, hold));
    if (when === 'meanwhile') {
      await pass(40);
      await store.take(taking('c', { lease: 0 })); // somebody looks, and finds nothing to do
      await lost();
    }
    await saved(store, saving('c', { ...by, revision }, {}, release()));
    expect([...(await store.conversationsOf('p'))].sort()).toEqual(['c', other]);
    const [person = ''] = (await keys()).filter((key) => key.endsWith(':p:p'));
    expect(await client.get(person)).toBe(other);
    expect(await client.pttl(person)).toBe(-1); // its question is open
    await checkKeys(client, prefix);
  },
);

test('repeat marks that ran out are cleared away as new ones come', async () => {
  const { store, keys } = await opened(client);
  const turns = async (count: number, dedupeWindow: number) => {
    for (let i = 0; i < count; i++) {
      await store.save(finishing('c', await begin(store, 'c'), { open: true, dedupeWindow }));
    }
  };
  await turns(100, 200);
  const marks = (await keys()).find((key) => key.endsWith(':r')) as string;
  const before = await client.hlen(marks);
  await pass(250);
  await turns(100, long);
  expect(before).toBeGreaterThan(0);
  expect(await client.hlen(marks)).toBeLessThanOrEqual(100);
});

test('an entry whose mark ran out may come again, also when it has to queue', async () => {
  const { store, prefix } = await opened(client);
  await store.save(finishing('c', await begin(store, 'c', 'e'), { open: true, dedupeWindow: 20 }));
  await pass(40);
  await begin(store, 'c', 'other');
  expect((await record(store, 'c', 'e')).entry).toBe('recorded');
  expect((await record(store, 'c', 'e')).entry).toBe('repeat');
  await checkKeys(client, prefix);
});

test('marks outlive a conversation that is forgotten before their time', async () => {
  const { store, keys, outlast } = await opened(client);
  const short = { retention: minute, dedupeWindow: 10 * minute };
  await store.save(finishing('c', await begin(store, 'c', 'e'), short));
  await outlast(minute);
  expect(await store.conversation('c')).toBeNull();
  expect(await record(store, 'c', 'e')).toMatchObject({ entry: 'repeat', outcome: 'outcome of e' });
  const by = await begin(store, 'c', 'new');
  expect((await record(store, 'c', 'e')).entry).toBe('repeat');
  await store.save(finishing('c', by, short));
  await outlast(10 * minute);
  expect(await keys()).toEqual([]);
});

test('a holder that died with nothing left to do is not looked for for ever', async () => {
  const { store, prefix, keys } = await opened(client);
  const by = await begin(store, 'c', 'e', 300);
  await store.save(finishing('c', by, { retention: 300, dedupeWindow: 300 }, hold));
  await pass(350);
  expect((await store.due(10)).conversations).toEqual(['c']);
  const swept = { conversationId: 'c', token: 'sweep', turn: 't', lease: long };
  expect((await store.take(swept)).claim).toBeUndefined();
  expect((await store.due(10)).conversations).toEqual([]);
  await checkKeys(client, prefix);
  await pass(350);
  expect(await keys()).toEqual([]);
});

test('fields of a newer release survive the steps of this one: in the record, the queue and the marks', async () => {
  const { store, prefix } = await opened(client);
  const key = new Keys(prefix).conversation('c');
  const recordNow = async () => decodeValue((await client.get(key)) ?? '');
  await asked(store, 'c');
  const by = await begin(store, 'c', 'first');
  for (const id of ['second', 'third']) await record(store, 'c', id);

  const more = '3:new';
  const newer = await recordNow();
  newer.stamp = 'a-newer-release.';
  newer.rest = more;
  newer.recentMarks = newer.recentMarks.map(([id, mark]) => [id, { ...mark, rest: more }]);
  expect(newer.recentMarks.length).toBeGreaterThan(0);
  await client.set(key, encodeHead(newer) + (newer.document?.text ?? ''));
  const queue = await client.lrange(`${key}:q`, 0, -1);
  for (const [i, text] of queue.entries()) await client.lset(`${key}:q`, i, text + more);
  for (const [name, text] of Object.entries(await client.hgetall(`${key}:r`)))
    await client.hset(`${key}:r`, name, text + more);

  const { next } = await saved(store, finishing('c', by, { document: 'answered', withdraw: ['q'] }));
  expect(next?.entry?.id).toBe('second');
  await saved(store, saving('c', next ?? by, { history: ['h'] }, release(long)));
  expect((await record(store, 'c', 'third')).entry).toBe('repeat');

  const kept = await recordNow();
  expect([kept.document?.text, kept.rest, kept.front?.id, kept.front?.rest]).toEqual([
    'answered',
    more,
    'second',
    more,
  ]);
  expect(kept.recentMarks.filter(([id]) => id !== 'first').map(([, { rest }]) => rest)).toEqual([more]);
  expect(await client.lindex(`${key}:q`, 0)).toBe(queue[1] + more);
  expect((await client.hget(`${key}:r`, 'third'))?.endsWith(more)).toBe(true);
  await checkKeys(client, prefix);
});

test('of a history beyond its limit Redis keeps so many items, and the keys that it needs go with the conversation', async () => {
  const { store, prefix, keys, outlast } = await opened(client);
  const short = { retention: minute, dedupeWindow: minute };
  const add = (more: SaveChanges) => turn(store, 'c', { ...short, historyLimit: 3, ...more });
  const suffixed = async (suffix: string) => (await keys()).filter((key) => key.endsWith(`:c:c:${suffix}`));
  await add({ history: ['1', '2'], open: true });
  expect(await suffixed('n'), 'nothing was dropped yet').toEqual([]);
  await add({ history: ['3', '4', '5', '6'], open: false });
  await checkKeys(client, prefix);
  const [list = ''] = await suffixed('h');
  const [first = ''] = await suffixed('n');
  expect([await client.llen(list), await client.get(first)]).toEqual([3, '3']);
  await add({ open: true });
  await outlast(minute);
  await checkKeys(client, prefix);
  const last = await store.history('c', { limit: 1 });
  expect(last).toEqual({ items: ['6'], cursor: '5' });
  expect(await store.history('c', { limit: 9, ...last })).toEqual({ items: ['4', '5'] });
  await add({ open: false });
  await outlast(minute);
  expect(await keys()).toEqual([]);
});

test('a conversation that never ends forgets the ids of settled asks with their records', async () => {
  const { store, prefix, keys } = await opened(client);
  const settle = (name: string, retention: number) => {
    const settled = [{ id: routedId('c', name), record: 'answered', at: 1 }];
    return turn(store, 'c', { asks: { opened: [], settled }, history: [name], historyLimit: 2, open: true, retention });
  };
  for (let i = 0; i < 20; i += 1) await settle(`brief ${i}`, 100);
  await pass(150);
  await settle('kept', long);
  const [ids = ''] = (await keys()).filter((key) => key.endsWith(':c:c:a'));
  expect(await client.zcard(ids)).toBe(1);
  expect(await store.settledAsks('c')).toEqual([routedId('c', 'kept')]);
  await checkKeys(client, prefix);
});

test('the list of settled asks forgets those whose record is gone, also behind one that is kept for longer', async () => {
  const { store, prefix, keys } = await opened(client);
  const settle = (name: string, at: number, retention: number) => {
    const settled = [{ id: routedId('c', name), record: name, at }];
    return turn(store, 'c', { asks: { opened: [], settled }, history: [name], historyLimit: 2, open: true, retention });
  };
  await settle('oldest', 1, long);
  for (let i = 0; i < 20; i += 1) await settle(`brief ${i}`, 2 + i, 100);
  await pass(150);
  const list = async () => (await keys()).find((key) => key.endsWith(':settled')) ?? '';
  for (let i = 0; i < 40; i += 1) await settle(`short ${i}`, 100 + i, long / 2);
  expect(await client.zcard(await list())).toBeLessThan(60);
  const { items } = await store.settled({ limit: 100 });
  expect(items.map(({ record: name }) => name).sort()).toEqual(
    ['oldest', ...Array.from({ length: 40 }, (_, i) => `short ${i}`)].sort(),
  );
  await checkKeys(client, prefix);
});

test('closed parked work leaves nothing of what it had remembered', async () => {
  const { raw: store, keys } = await opened(client);
  const shop = agent('shop').onMessage(async ({ once }) => {
    await once('pay', async () => 'paid');
    throw new Error('The line broke.');
  });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const registry = new AgentRegistry({ agents: [shop], store, logger, settings: { maxAttempts: 1 } });
  await registry.handle({ id: '1', conversationId: 'c', text: 'refund' });
  const memos = async () => (await keys()).filter((key) => key.includes(':m:'));
  expect(await memos()).toHaveLength(1);
  const [work] = (await registry.parked()).items;
  expect(await registry.closeParked(work?.id ?? '', { reason: 'Paid by hand.' })).toEqual({ type: 'closed' });
  expect(await memos()).toEqual([]);
  await registry.stop();
});

test('the list of settled asks runs out with the last of their records', async () => {
  const { store, keys, outlast } = await opened(client);
  const settled = [{ id: routedId('c', 'a'), record: 'answered', at: 1 }];
  await turn(store, 'c', { asks: { opened: [], settled }, retention: minute, dedupeWindow: minute });
  expect((await keys()).filter((key) => key.endsWith(':settled'))).toHaveLength(1);
  await outlast(minute);
  await onlyChangesAreLeft(await keys());
});

test('a person is erased with the asks whose decision the history no longer tells', async () => {
  const { raw: store, keys } = await opened(client);
  const support = agent('support');
  const order = support.question('order', text('Which order?'), { onAnswer: (number) => `Done: ${number}` });
  support.onMessage(({ message, ask }) => (message === 'ask' ? ask(order) : 'Hello'));
  const registry = new AgentRegistry({ agents: [support], store, settings: { historyLimit: 2 } });
  let count = 0;
  const says = (words: string) => {
    count += 1;
    const participant = { id: 'web:ann', name: 'Ann' };
    return registry.handle({ id: `m${count}`, conversationId: 'c', text: words, participant });
  };
  const ids: string[] = [];
  for (const answer of ['card 4711', 'card 4712']) {
    await says('ask');
    ids.push((await registry.listAsks()).asks[0]?.id ?? '');
    await says(answer);
  }
  for (let i = 0; i < 3; i += 1) await says('talk');
  expect(JSON.stringify(await registry.history('c'))).not.toContain('471');
  expect(await registry.getAsk(ids[0] ?? '')).toMatchObject({ status: 'answered', value: 'card 4711' });
  expect(await registry.erase({ participantId: 'web:ann' })).toMatchObject({ erased: 1 });
  const left = (await keys()).filter((key) => !/:changes(:dropped)?$/.test(key));
  expect(left.map((key) => key.split('}:a:')[1]).sort()).toEqual(ids.map(shortened).sort());
  for (const key of left)
    expect(await client.get(key)).toMatch(/^={"erased":true,"id":"[^"]+","status":"answered","at":\d+}$/);
  await registry.stop();
});

test('the thousandth person of a conversation costs no more than the hundredth', async () => {
  const { store, prefix } = await opened(client);
  const place = `${prefix}:{${bucketOf('c')}}:c:c`;
  const cost = async (person: string) => {
    const called = async () => {
      const stats = await client.info('commandstats');
      return [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
    };
    const before = await called();
    await store.take(taking('c', { entry: entry(`of ${person}`, { person }), lease: 0 }));
    await turn(store, 'c', { people: [person], open: false });
    return (await called()) - before;
  };
  let hundredth = 0;
  for (let i = 0; i < 1_000; i += 1) {
    await turn(store, 'c', { people: [`someone ${i}`], open: false });
    if (i === 99) hundredth = await cost('someone 5');
  }
  expect(await cost('someone 500')).toBeLessThanOrEqual(hundredth + 10);
  expect(await client.strlen(place)).toBeLessThan(2_000);
  expect(await store.conversationsOf('someone 700')).toEqual(['c']);
  await checkKeys(client, prefix);
});
