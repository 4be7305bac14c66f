/**
 * The stories of hostile ids: every id stands for itself only, in whatever place it is used.
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

export const idStories: readonly StoreStory[] = [
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
          loan: 0,
        });
      }
      for (const [i, id] of hostile.entries()) {
        assert.equal((await read(store, id)).document, `document ${i}`);
        assert.deepEqual((await store.history(id, { limit: 10 })).items, [`history ${i}`]);
        assert.deepEqual(await store.find(askId(id, 'a')), { conversationId: id });
        const lent = await store.unsent({ channels: ['web'], limit: 10, loan: long, conversationId: id });
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
        loan: 0,
      });
      const lent = await store.unsent({ channels: ['web'], limit: 1000, loan: 0 });
      assert.deepEqual(
        lent.map(({ key, data }) => [key, data]),
        hostile.map((key) => [key, `data ${key}`]),
      );
      for (const key of hostile) {
        await store.sent([{ conversationId: 'c', key, channel: 'web', sentAs: { name: key, id: `id ${key}` } }]);
        const left = await store.unsent({ channels: ['web'], limit: 1000, loan: 0 });
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
        loan: 0,
      });
      for (const [i, channel] of hostile.entries()) {
        const lent = await store.unsent({ channels: [channel], limit: 1000, loan: long });
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
];
