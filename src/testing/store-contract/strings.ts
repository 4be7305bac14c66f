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

/** Ids that a careless store would read as a pattern, a path, a property or a separator, or take for each other. */
const hostile: readonly string[] = [
  '*',
  '[a-z]*',
  '?',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '}',
  '{}',
  '{c}',
  '{0}:c',
  '../',
  'a:b',
  'a:b:c',
  'a',
  'A',
  ' a',
  'a ',
  'line\r\nbreak',
  '\r\n',
  '\u0000',
  'a\u0000b',
  'caf\u00e9',
  'cafe\u0301',
  '\u{1f600}',
  '%00',
  '%',
  '"\'\\',
  '-1',
  '0',
  '00',
  '1e3',
  '12345678901234567890',
  '12345678901234567891',
  'x'.repeat(512),
];

const backed = <T>(values: Iterable<T>) => [...values].sort();

/** Strings that a store which parses, trims or counts would return changed. */
const texts: readonly string[] = [
  '',
  ' ',
  '0',
  'null',
  '[]',
  '{}',
  '{"n":12345678901234567890,"empty":[],"f":1.0}',
  '12345678901234567890',
  '-0',
  '1e400',
  '\u0000',
  'a\u0000b\r\n',
  '\u{1f600}\u{1f468}\u200d\u{1f469}',
  'caf\u00e9 cafe\u0301',
  '\u202eright to left',
  '\u001b[31mred',
  '\\u0041 \\n %s {0}',
  'x'.repeat(70_000),
];

export const stringStories: readonly StoreStory[] = [
  [
    'hostile conversation ids are isolated from each other',
    async ({ store }) => {
      for (const [i, id] of hostile.entries()) {
        await turn(store, id, {
          document: `document ${i}`,
          history: [`history ${i}`],
          outputs: [out('k', { data: `output ${i}` })],
          people: ['everybody'],
          open: true,
          asks: { opened: [{ id: askId(id, 'a'), at: i }], settled: [] },
          sendLease: 0,
        });
      }
      for (const [i, id] of hostile.entries()) {
        assert.equal((await read(store, id)).document, `document ${i}`);
        assert.deepEqual((await store.history(id, { limit: 10 })).items, [`history ${i}`]);
        assert.deepEqual(await store.find(askId(id, 'a')), { conversationId: id });
        const lent = await store.unsent({ channels: ['web'], limit: 10, sendLease: long, conversationId: id });
        assert.deepEqual(
          lent.map(({ conversationId, data }) => [conversationId, data]),
          [[id, `output ${i}`]],
        );
      }
      assert.deepEqual(backed(await store.conversationsOf('everybody')), backed(hostile));
      const { items } = await store.list('open', { limit: 1000 });
      assert.deepEqual(
        items.map(({ conversationId }) => conversationId),
        hostile,
      );
      for (const id of hostile) await record(store, id, 'e');
      await checkDue(store, { wanted: hostile });
      for (const [i, id] of hostile.entries()) {
        const { incarnation, revision } = await read(store, id);
        const call = { conversationId: id, incarnation, revision, parked: [], people: ['everybody'], retention: long };
        assert.equal(await store.erase({ ...call, asks: [] }), true);
        const left = hostile.slice(i + 1);
        await checkDue(store, { wanted: left, idle: [id] });
        assert.deepEqual(backed(await store.conversationsOf('everybody')), backed(left));
      }
    },
  ],
  [
    'hostile entry ids are isolated from each other',
    async ({ store }) => {
      for (const id of hostile) assert.equal((await record(store, 'c', id)).entry, 'recorded');
      for (const id of hostile) assert.equal((await record(store, 'c', id)).entry, 'repeat');
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
        for (const token of hostile.filter((other) => other !== id)) {
          const [renewed] = await store.renew([{ conversationId: 'c', token }], long);
          assert.equal(renewed?.held, false);
        }
        await saved(store, finishing('c', by, { call: id }, release()));
      }
      assert.equal((await read(store, 'c')).revision, hostile.length);
    },
  ],
  [
    'hostile output keys and names are isolated from each other',
    async ({ store }) => {
      await turn(store, 'c', {
        outputs: hostile.map((key) => out(key, { data: `data ${key}` })),
        sendLease: 0,
      });
      const lent = await store.unsent({ channels: ['web'], limit: 1000, sendLease: 0 });
      assert.deepEqual(
        lent.map(({ key, data }) => [key, data]),
        hostile.map((key) => [key, `data ${key}`]),
      );
      for (const key of hostile) {
        await store.sent([{ conversationId: 'c', key, channel: 'web', sentAs: { name: key, id: `id ${key}` } }]);
        const left = await store.unsent({ channels: ['web'], limit: 1000, sendLease: 0 });
        assert.equal(left.length, hostile.length - hostile.indexOf(key) - 1);
      }
      for (const name of hostile) assert.equal(await store.sentAs('c', name), `id ${name}`);
    },
  ],
  [
    'hostile channel names are isolated from each other',
    async ({ store }) => {
      await turn(store, 'c', {
        outputs: hostile.map((channel, i) => out(`k${i}`, { channel, data: channel })),
        sendLease: 0,
      });
      for (const [i, channel] of hostile.entries()) {
        const lent = await store.unsent({ channels: [channel], limit: 1000, sendLease: long });
        assert.deepEqual(
          lent.map((one) => [one.key, one.channel, one.data]),
          [[`k${i}`, channel, channel]],
        );
      }
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
      const again = await store.take({ conversationId: 'c', token: by.token, turn: 'other', lease: long });
      assert.ok(again.claim);
      assert.deepEqual(
        backed(Object.entries(again.claim.memo).map(([key, value]) => `${key}=${value}`)),
        backed(hostile.map((key) => `${key}=value ${key}`)),
      );
    },
  ],
  [
    'strings come back exactly as they were given, whatever they look like',
    async ({ store }) => {
      const settled = texts.map((text, i) => ({ id: askId('c', `settled ${i}`), record: text, at: i }));
      for (const [i, text] of texts.entries()) {
        const by = await claim(store, 'c', { entry: entry(`e${i}`, { data: text }) });
        assert.equal(by.entry?.data, text);
        const kept = await store.remember({ conversationId: 'c', turn: by.turn, key: 'k', value: text });
        assert.deepEqual(kept, { type: 'kept', value: text });
        const outputs = [out(`k${i}`, { data: text })];
        await saved(
          store,
          finishing('c', by, { document: text, outputs, sendLease: 0, closes: closing(`e${i}`, text) }, release()),
        );
        assert.equal((await read(store, 'c')).document, text);
        assert.equal(await store.outcome('c', `e${i}`), text);
      }
      await turn(store, 'c', { history: texts, asks: { opened: [], settled } });
      assert.deepEqual((await store.history('c', { limit: 1000 })).items, texts);
      for (const { id, record: text } of settled) assert.deepEqual(await store.find(id), { record: text });
      const lent = await store.unsent({ channels: ['web'], limit: 1000, sendLease: long });
      assert.deepEqual(
        lent.map(({ data }) => data),
        texts,
      );
      await store.sent([
        { conversationId: 'c', key: 'k0', channel: 'web', again: { in: 0, data: texts.at(-2) as string } },
      ]);
      const [again] = await store.unsent({ channels: ['web'], limit: 1, sendLease: long });
      assert.equal(again?.data, texts.at(-2));
    },
  ],
];
