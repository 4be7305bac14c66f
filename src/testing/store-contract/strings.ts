/**
 * The stories of opaque strings: an id is equal to itself only, wherever it is used, and every other string comes back
 * unchanged.
 */
import assert from 'node:assert/strict';
import {
  askId,
  begin,
  checkDue,
  claim,
  closing,
  entry,
  erase,
  finishing,
  long,
  out,
  read,
  record,
  release,
  type StoreStory,
  saved,
  taking,
  turn,
  waiting,
} from './kit.js';
import type { Store } from './texts.js';

/** Ids that a careless store would read as a pattern, a path, a property or a separator, or take for each other. */
const hostile: readonly string[] = [
  ...['*', '[a-z]*', '?', '%', '%00', '../', '"\'\\', '}', '{}', '{c}', '{0}:c'],
  ...['__proto__', 'constructor', 'hasOwnProperty', 'toString'],
  ...['a:b', 'a:b:c', 'a', 'A', ' a', 'a ', 'line\r\nbreak', '\r\n', '\u0000', 'a\u0000b'],
  ...['caf\u00e9', 'cafe\u0301', '\u{1f600}', 'x'.repeat(512)],
  ...['-1', '0', '00', '1e3', '12345678901234567890', '12345678901234567891'],
];

/** Strings that a store which parses, trims or counts would return changed. */
const texts: readonly string[] = [
  ...['', ' ', '0', 'null', '[]', '{}', '12345678901234567890', '-0', '1e400'],
  ...['{"n":12345678901234567890,"empty":[],"f":1.0}', '\\u0041 \\n %s {0}'],
  ...['\u0000', 'a\u0000b\r\n', '\u{1f600}\u{1f468}\u200d\u{1f469}', 'caf\u00e9 cafe\u0301'],
  ...['\u202eright to left', '\u001b[31mred', 'x'.repeat(70_000), 'y'.repeat(5_000)],
];

const sorted = <T>(values: Iterable<T>) => [...values].sort();

const lent = async (store: Store, channel: string, conversationId?: string) => {
  const named = conversationId !== undefined && { conversationId };
  const found = await store.unsent({ channels: [channel], limit: 1_000, sendLease: 0, ...named });
  return found.map((each) => [each.conversationId, each.key, each.channel, each.data]);
};

export const stringStories: readonly StoreStory[] = [
  [
    'hostile conversation ids are isolated from each other',
    async ({ store }) => {
      for (const [i, id] of hostile.entries()) {
        const asks = { opened: [{ id: askId(id, 'a'), at: i }] };
        const outputs = [out('k', { data: `output ${i}` })];
        const document = `document ${i}`;
        await turn(store, id, {
          document,
          history: [document],
          outputs,
          people: ['all'],
          open: true,
          asks,
          sendLease: 0,
        });
      }
      for (const [i, id] of hostile.entries()) {
        assert.equal((await read(store, id)).document, `document ${i}`);
        assert.deepEqual((await store.history(id, { limit: 9 })).items, [`document ${i}`]);
        assert.deepEqual(await store.find(askId(id, 'a')), { conversationId: id });
        assert.deepEqual(await lent(store, 'web', id), [[id, 'k', 'web', `output ${i}`]]);
      }
      const { items } = await store.list('open', { limit: 1_000 });
      assert.deepEqual(
        items.map(({ conversationId }) => conversationId),
        hostile,
      );
      for (const id of hostile) await record(store, id, 'e');
      await checkDue(store, { wanted: hostile });
      for (const [i, id] of hostile.entries()) {
        await erase(store, id);
        const left = hostile.slice(i + 1);
        await checkDue(store, { wanted: left, idle: [id] });
        assert.deepEqual(sorted(await store.conversationsOf('all')), sorted(left));
      }
    },
  ],
  [
    'hostile entry ids are isolated from each other',
    async ({ store }) => {
      for (const said of ['recorded', 'repeat'])
        for (const id of hostile) assert.equal((await record(store, 'c', id)).entry, said);
      assert.deepEqual(await waiting(store, 'c'), hostile);
      for (const id of hostile) {
        const by = await claim(store, 'c');
        assert.equal(by.entry?.id, id);
        await saved(store, finishing('c', by, { closes: closing(id, `outcome ${id}`) }, release()));
      }
      for (const id of hostile) {
        assert.equal(await store.outcome('c', id), `outcome ${id}`);
        const again = await store.take(taking('c', { entry: entry(id) }));
        assert.deepEqual([again.entry, again.outcome, again.claim], ['repeat', `outcome ${id}`, undefined]);
      }
    },
  ],
  [
    'hostile tokens, turn ids and call ids stand for themselves only',
    async ({ store }) => {
      for (const id of hostile) {
        const by = await claim(store, 'c', { token: id, turn: id, entry: entry(`entry ${id}`) });
        assert.deepEqual([by.token, by.turn], [id, id]);
        const holds = hostile.map((token) => ({ conversationId: 'c', token }));
        const held = (await store.renew(holds, long)).filter((each) => each.held);
        assert.deepEqual(
          held.map(({ token }) => token),
          [id],
        );
        await saved(store, finishing('c', by, { call: id }, release()));
      }
      assert.equal((await read(store, 'c')).revision, hostile.length);
    },
  ],
  [
    'hostile output keys, names and channels are isolated from each other',
    async ({ store }) => {
      await turn(store, 'c', { outputs: hostile.map((key) => out(key)), sendLease: 0 });
      const all = hostile.map((key) => ['c', key, 'web', `data of ${key}`]);
      assert.deepEqual(await lent(store, 'web'), all);
      for (const [i, key] of hostile.entries()) {
        await store.sent([{ conversationId: 'c', key, channel: 'web', sentAs: { name: key, id: `id ${key}` } }]);
        assert.deepEqual(await lent(store, 'web'), all.slice(i + 1));
      }
      for (const name of hostile) assert.equal(await store.sentAs('c', name), `id ${name}`);
      const outputs = hostile.map((channel, i) => out(`k${i}`, { channel, data: channel }));
      await turn(store, 'c', { outputs, sendLease: 0 });
      for (const [i, channel] of hostile.entries())
        assert.deepEqual(await lent(store, channel), [['c', `k${i}`, channel, channel]]);
    },
  ],
  [
    'hostile participant ids are isolated from each other',
    async ({ store }) => {
      for (const [i, person] of hostile.entries()) await turn(store, `c${i}`, { people: [person] });
      for (const [i, person] of hostile.entries()) assert.deepEqual(await store.conversationsOf(person), [`c${i}`]);
    },
  ],
  [
    'hostile memo keys are isolated from each other',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e');
      for (const key of hostile) {
        const kept = await store.remember({ conversationId: 'c', turn: by.turn, key, value: `value ${key}` });
        assert.deepEqual(kept, { type: 'kept', value: `value ${key}` });
      }
      const { memo } = await claim(store, 'c', { token: by.token });
      assert.deepEqual(sorted(Object.entries(memo).map(String)), sorted(hostile.map((key) => `${key},value ${key}`)));
    },
  ],
  [
    'strings come back exactly as they were given, whatever they look like, and stay while nothing changes them',
    async ({ store }) => {
      const settled = texts.map((text, i) => ({ id: askId('c', `settled ${i}`), record: text, at: i }));
      for (const [i, text] of texts.entries()) {
        const by = await claim(store, 'c', { entry: entry(`e${i}`, { data: text }) });
        assert.equal(by.entry?.data, text);
        const kept = await store.remember({ conversationId: 'c', turn: by.turn, key: 'k', value: text });
        assert.deepEqual(kept, { type: 'kept', value: text });
        const outputs = [out(`k${i}`, { data: text })];
        const changes = { document: text, outputs, sendLease: 0, closes: closing(`e${i}`, text) };
        await saved(store, finishing('c', by, changes, release()));
        assert.equal(await store.outcome('c', `e${i}`), text);
        await turn(store, 'c'); // which does not mention the document
        assert.equal((await read(store, 'c')).document, text);
      }
      await turn(store, 'c', { history: texts, asks: { settled } });
      assert.deepEqual((await store.history('c', { limit: 1_000 })).items, texts);
      for (const { id, record: text } of settled) assert.deepEqual(await store.find(id), { record: text });
      const found = await lent(store, 'web');
      assert.deepEqual(
        found.map(([, , , data]) => data),
        texts,
      );
      const data = texts.at(-2) ?? '';
      await store.sent([{ conversationId: 'c', key: 'k0', channel: 'web', again: { in: 0, data } }]);
      assert.equal((await lent(store, 'web'))[0]?.[3], data);
    },
  ],
];
