/**
 * The stories of ends: a conversation is erased, or forgotten after its retention; what has a time of its own outlives it.
 */
import assert from 'node:assert/strict';
import {
  askId,
  begin,
  checkDue,
  claim,
  entry,
  erase,
  finishing,
  later,
  lentKeys,
  long,
  out,
  read,
  record,
  release,
  type SaveChanges,
  type StoreStory,
  saved,
  short,
  taking,
  turn,
  waiting,
} from './kit.js';
import type { Output, Store } from './texts.js';

const [open, settled, parked] = ['open', 'settled', 'parked'].map((name) => askId('c', name)) as [
  string,
  string,
  string,
];
const crowd = Array.from({ length: 12 }, (_, i) => `person ${i}`);

/** What a conversation can leave in every place of a store, but for what is open or has to go out. */
const traces: SaveChanges = {
  document: 'secret '.repeat(1_000),
  history: ['secret', 'secret', 'secret'],
  historyLimit: 2,
  asks: { settled: [{ id: settled, record: 'secret', at: 1 }] },
  people: crowd,
};

/** A life of the conversation `c` that leaves all that, and a mark, a memo and the id of a message. Its last save has `last`. */
async function lived(store: Store, last: SaveChanges) {
  const by = await begin(store, 'c', 'closed');
  await store.remember({ conversationId: 'c', turn: by.turn, key: 'k', value: 'secret' });
  await saved(
    store,
    finishing(
      'c',
      by,
      { ...traces, retention: long, open: true, closes: { entryId: 'closed', outcome: 'secret', keepMemo: true } },
      release(),
    ),
  );
  await store.sent([{ conversationId: 'c', key: 'x', channel: 'web', sentAs: { name: 'n', id: 'secret' } }]);
  await turn(store, 'c', { open: false, ...last });
  return by;
}

/** Asserts that nothing of that is found, and that the next life of the conversation begins with nothing. */
async function checkGone(
  store: Store,
  { incarnation, turn: id }: { incarnation: string; turn: string },
  people: readonly string[],
): Promise<void> {
  const none = { items: [] };
  assert.equal(await store.conversation('c'), null);
  assert.deepEqual(await store.history('c', { limit: 9 }), none);
  assert.deepEqual(await store.historyFrom('c', 0, 9), { ...none, first: 0 });
  for (const list of ['open', 'deadline', 'parked'] as const)
    assert.deepEqual(await store.list(list, { limit: 9 }), none);
  for (const person of people) assert.deepEqual(await store.conversationsOf(person), []);
  for (const name of ['c', undefined]) assert.deepEqual(await lentKeys(store, 'web', name), []);
  assert.equal(await store.sentAs('c', 'n'), null);
  await checkDue(store, { idle: ['c'] });
  assert.equal((await store.take(taking('c'))).claim, undefined);

  const next = await claim(store, 'c', { turn: id, entry: entry('of the next life') });
  assert.notEqual(next.incarnation, incarnation);
  assert.deepEqual([next.revision, next.attempt, next.document, next.historyEnd], [0, 1, null, 0]);
  await store.remember({ conversationId: 'c', turn: id, key: 'another', value: 'new' });
  const again = await claim(store, 'c', { token: next.token });
  assert.deepEqual(Object.entries(again.memo), [['another', 'new']]);
  const changes = { history: ['new', 'newer'], outputs: [out('k', { data: 'new' })], sendLease: 0, open: true };
  await saved(store, finishing('c', next, changes, release()));
  assert.deepEqual(await store.historyFrom('c', 0, 9), { items: ['new', 'newer'], first: 0 });
  const lent = await store.unsent({ channels: ['web'], limit: 9, sendLease: long });
  assert.deepEqual(
    lent.map(({ key, data }) => [key, data]),
    [['k', 'new']],
  );
  assert.equal(await store.sentAs('c', 'n'), null);
}

const forgotten = (when: string, outputs: readonly Output[]): StoreStory => [
  `a conversation is forgotten after its retention, which begins ${when}; its marks and settled asks have times of their own`,
  async ({ store, pass }) => {
    const by = await lived(store, { retention: short, dedupeWindow: short, outputs });
    await pass(later);
    if (outputs.length > 0) {
      await read(store, 'c');
      await store.sent(outputs.map(({ key, channel }) => ({ conversationId: 'c', key, channel })));
      await pass(later);
    }
    assert.equal(await store.conversation('c'), null);
    const again = await record(store, 'c', 'closed');
    assert.deepEqual([again.entry, again.outcome, await store.conversation('c')], ['repeat', 'secret', null]);
    assert.deepEqual(await store.find(settled), { record: 'secret' });
    assert.equal((await store.settled({ limit: 9 })).items[0]?.id, settled);
    await checkGone(store, by, crowd.slice(0, 2)); // one of many people may still be named for a while
    assert.equal((await record(store, 'c', 'closed')).entry, 'repeat', 'in the next life, too');
  },
];

export const endStories: readonly StoreStory[] = [
  [
    'erasing leaves nothing of a conversation but the tombstones of its asks, for a time, and another life begins anew',
    async ({ store, pass }) => {
      const ofD = askId('d', 'a');
      await turn(store, 'd', { people: ['person 0'], open: true, asks: { opened: [{ id: ofD, at: 1 }] } });
      const by = await lived(store, {
        ...{ open: true, due: 1, outputs: [out('k'), out('p', { to: 'anyone' })] },
        asks: {
          opened: [
            { id: open, at: 1, deadline: 9 },
            { id: askId('c', 'undated'), at: 1 },
          ],
        },
        parked: { added: [{ id: parked, at: 1 }], removed: [] },
      });
      const holder = await begin(store, 'c', 'held');
      await store.remember({ conversationId: 'c', turn: holder.turn, key: 'k', value: 'secret' });
      await record(store, 'c', 'waits');
      const state = await read(store, 'c');
      const asks = [open, settled, askId('c', 'undated')].map((id) => ({ id, tombstone: `tombstone of ${id}` }));
      const call = {
        conversationId: 'c',
        incarnation: state.incarnation,
        revision: state.revision,
        asks,
        parked: [parked],
      };
      for (const other of [{ revision: 0 }, { incarnation: 'another' }, { conversationId: 'nobody' }])
        assert.equal(await store.erase({ ...call, ...other, retention: long }), false);
      assert.deepEqual(await store.settledAsks('c'), [settled]);
      for (const isFirst of [true, false]) assert.equal(await store.erase({ ...call, retention: long }), isFirst);
      for (const { id, tombstone } of asks) assert.deepEqual(await store.find(id), { record: tombstone });
      assert.deepEqual([await store.find(parked), await store.settledAsks('c')], [null, []]);
      assert.deepEqual(await store.settled({ limit: 9 }), { items: [] }, 'tombstones are not listed');
      assert.deepEqual(await store.conversationsOf('person 0'), ['d']);
      await erase(store, 'd', { asks: [{ id: ofD, tombstone: 't' }], retention: short });
      assert.equal(await store.outcome('c', 'closed'), null);
      await checkGone(store, by, crowd);
      for (const person of crowd) assert.deepEqual(await store.conversationsOf(person), [], 'nor in the next life');
      for (const id of ['closed', 'waits'])
        assert.equal((await record(store, 'c', id)).entry, 'recorded', 'its entries are new ones');
      const stale = finishing('c', holder, { document: 'from the grave' });
      assert.deepEqual(await store.save(stale), { type: 'refused' }, 'a holder from before writes nothing');
      const late = { conversationId: 'c', turn: holder.turn, key: 'k', value: 'late' };
      assert.deepEqual(await store.remember(late), { type: 'ended' });
      await pass(later);
      assert.equal(await store.find(ofD), null);
      assert.deepEqual(await store.find(open), { record: `tombstone of ${open}` });
    },
  ],
  forgotten('as soon as nothing is left to do', []),
  forgotten('when its last output has gone out', [out('k')]),
  [
    'nothing is forgotten while something is open, due, waiting, held, or has to go out; and what comes in time brings all back',
    async ({ store, pass }) => {
      const brief = { ...traces, asks: {}, retention: 5 * short };
      const ids = ['open', 'due', 'waiting', 'held', 'outputs', 'all sent but waiting', 'back'];
      await turn(store, 'open', { ...brief, open: true });
      await turn(store, 'open', { retention: brief.retention });
      const due = await begin(store, 'due', 'e');
      await saved(store, finishing('due', due, { ...brief, due: due.now + long }, release()));
      await turn(store, 'waiting', { ...brief, retention: 4 * short, dedupeWindow: 5 * short });
      for (const id of ['e2', 'e3']) await record(store, 'waiting', id);
      await turn(store, 'held', brief);
      await begin(store, 'held', 'e2');
      await turn(store, 'outputs', { ...brief, outputs: [out('k')] });
      await turn(store, 'all sent but waiting', { ...brief, outputs: [out('k')] });
      await record(store, 'all sent but waiting', 'e2');
      await store.sent([{ conversationId: 'all sent but waiting', key: 'k', channel: 'web' }]);
      const first = await turn(store, 'back', brief);
      const again = await begin(store, 'back', 'e2');
      assert.equal(again.incarnation, first.incarnation);
      await saved(store, finishing('back', again, { open: true, retention: short }, release()));
      await pass(8 * short);
      for (const id of ids) {
        assert.equal((await read(store, id)).document, traces.document);
        assert.deepEqual(await store.historyFrom(id, 0, 9), { items: ['secret', 'secret'], first: 1 });
      }
      assert.deepEqual([...(await store.conversationsOf('person 0'))].sort(), [...ids].sort());
      for (const id of ['e2', 'e3'])
        assert.equal((await record(store, 'waiting', id)).entry, 'repeat', 'however long it waits');
      assert.deepEqual(await waiting(store, 'waiting'), ['e2', 'e3']);
      await checkDue(store, { wanted: ['waiting', 'all sent but waiting'], idle: ['held', 'outputs'] });
    },
  ],
];
