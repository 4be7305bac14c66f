/**
 * The stories of repeated calls: sent twice in a row, and once more after two other turns. A client sends a step again
 * when the reply was lost; nothing may be claimed, counted or written twice by that.
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
  hold,
  later,
  long,
  out,
  record,
  release,
  type SaveChanges,
  type StoreStory,
  saved,
  saving,
  short,
  taking,
  timeless,
  turn,
  unchanged,
  waiting,
} from './kit.js';

/** A save that writes in every place a save can write. */
function full(more: SaveChanges): SaveChanges {
  return {
    document: 'written once',
    open: true,
    outputs: [out('k', { data: 'out' })],
    history: ['h'],
    asks: { opened: [{ id: askId('c', 'a'), at: 1 }], settled: [{ id: askId('c', 'b'), record: 'settled', at: 1 }] },
    parked: { added: [{ id: askId('c', 'q'), at: 2 }], removed: [] },
    people: ['p'],
    ...more,
  };
}

export const repeatStories: readonly StoreStory[] = [
  [
    'a repeated take that recorded and claimed: the same claim, then "recorded" with its outcome, never a second claim',
    async ({ store }) => {
      const call = taking('c', { entry: entry('e') });
      const first = await store.take(call);
      const again = await unchanged(store, () => store.take(call));
      assert.deepEqual(timeless(again), { ...timeless(first), claim: again.claim });
      assert.deepEqual(timeless(again.claim), timeless(first.claim));

      assert.ok(first.claim);
      await saved(store, finishing('c', first.claim, { closes: closing('e', 'accepted') }, release()));
      await turn(store, 'c');
      await turn(store, 'c');
      await record(store, 'c', 'waits for somebody else');
      const late = await unchanged(store, () => store.take(call));
      assert.deepEqual([late.entry, late.outcome, late.claim], ['recorded', 'accepted', undefined]);
      await checkDue(store, { wanted: ['c'] });
    },
  ],
  [
    'a repeated take after a hand-over does not get the work that was handed over',
    async ({ store }) => {
      const call = taking('c', { entry: entry('e1') });
      const { claim: by } = await store.take(call);
      await record(store, 'c', 'e2');
      assert.ok(by);
      const { next } = await saved(store, finishing('c', by));
      assert.equal(next?.entry?.id, 'e2');
      const late = await unchanged(store, () => store.take(call));
      assert.equal(late.claim, undefined);
    },
  ],
  [
    'a repeated take that only recorded: "recorded" again, and one queued entry',
    async ({ store }) => {
      const call = taking('c', { lease: 0, entry: entry('e') });
      await store.take(call);
      const again = await unchanged(store, () => store.take(call));
      assert.deepEqual([again.entry, again.claim], ['recorded', undefined]);
      assert.deepEqual(await waiting(store, 'c'), ['e']);
    },
  ],
  [
    'the same entry sent again by another call is a repeat: while waiting, while worked on, and with its outcome when closed',
    async ({ store }) => {
      await record(store, 'c', 'e', { data: 'first' });
      assert.equal((await record(store, 'c', 'e', { data: 'second' })).entry, 'repeat');
      const by = await claim(store, 'c');
      assert.equal(by.entry?.data, 'first');
      const during = await store.take(taking('c', { entry: entry('e') }));
      assert.deepEqual([during.entry, during.outcome, during.claim], ['repeat', undefined, undefined]);
      await saved(store, finishing('c', by, { closes: closing('e', 'late') }));
      await record(store, 'c', 'other work');
      const after = await unchanged(store, () => store.take(taking('c', { entry: entry('e') })));
      assert.deepEqual([after.entry, after.outcome, after.claim], ['repeat', 'late', undefined]);
    },
  ],
  [
    'a repeat of an entry that waits still claims a conversation that nobody holds',
    async ({ store }) => {
      await record(store, 'c', 'e');
      const again = await store.take(taking('c', { entry: entry('e') }));
      assert.deepEqual([again.entry, again.claim?.entry?.id], ['repeat', 'e']);
    },
  ],
  [
    'a repeated claim by a sweep: the same claim at once, none when its time is over',
    async ({ store, pass }) => {
      const { now } = await record(store, 'c', 'e');
      const call = taking('c', { claimBefore: now + long });
      const first = await store.take(call);
      const again = await unchanged(store, () => store.take(call));
      assert.ok(first.claim);
      assert.deepEqual(timeless(again.claim), timeless(first.claim));
      await saved(store, finishing('c', first.claim, {}, release()));
      await turn(store, 'c');
      await turn(store, 'c');
      await record(store, 'c', 'waits');
      await pass(short);
      const late = await unchanged(store, () => store.take({ ...call, claimBefore: now }));
      assert.equal(late.claim, undefined);
    },
  ],
  [
    'a repeated closing save: the same answer with the same next claim at once, "saved" without one later',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      await record(store, 'c', 'e2');
      const call = finishing('c', by, full({}), { type: 'next', turn: 't2', lease: long });
      const first = await saved(store, call);
      const again = await unchanged(store, () => saved(store, call));
      assert.equal(again.revision, first.revision);
      assert.ok(first.next && again.next);
      assert.deepEqual(timeless(again.next), timeless(first.next));
      assert.deepEqual([again.next.attempt, again.next.strikes], [1, 1]);

      await saved(store, finishing('c', again.next));
      await turn(store, 'c');
      await turn(store, 'c', {
        withdraw: ['k'],
        asks: { opened: [], settled: [{ id: askId('c', 'a'), record: 'r', at: 1 }] },
      });
      await record(store, 'c', 'e9');
      const late = await unchanged(store, () => saved(store, call));
      assert.deepEqual([late.revision, late.next], [first.revision, undefined]);
      assert.equal(await store.outcome('c', 'e1'), 'outcome of e1');
      assert.deepEqual(await store.unsent({ channels: ['web'], limit: 9, sendLease: 1, conversationId: 'c' }), []);
      await checkDue(store, { wanted: ['c'] });
    },
  ],
  [
    'a closing save repeated within the chain of its own hand-overs is told "saved", and nothing is handed over again',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      await record(store, 'c', 'e2');
      await record(store, 'c', 'e3');
      const call = finishing('c', by);
      const { next: second } = await saved(store, call);
      assert.ok(second);
      const { next: third } = await saved(store, finishing('c', second));
      assert.equal(third?.entry?.id, 'e3');
      const late = await unchanged(store, () => saved(store, call));
      assert.equal(late.next, undefined);
      assert.ok(third);
      await saved(store, finishing('c', third));
    },
  ],
  [
    'a repeated save that released: the same answer, and it does not claim what came since',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      const call = finishing('c', by, full({}));
      assert.equal((await saved(store, call)).next, undefined);
      await record(store, 'c', 'e2');
      const again = await unchanged(store, () => saved(store, call));
      assert.deepEqual([again.revision, again.next], [1, undefined]);
      assert.equal((await claim(store, 'c')).entry?.id, 'e2');
      assert.equal((await unchanged(store, () => saved(store, call))).next, undefined, 'nor what another holds');
    },
  ],
  [
    'a repeated save inside the turn: the same answer at once, and nothing when its turn was closed since',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e');
      const call = saving('c', by, full({}), hold);
      const first = await saved(store, call);
      const again = await unchanged(store, () => saved(store, call));
      assert.deepEqual([again.revision, again.next], [first.revision, undefined]);
      await saved(store, finishing('c', { ...by, revision: first.revision }, {}, release()));
      await turn(store, 'c');
      await turn(store, 'c');
      await record(store, 'c', 'waits');
      await unchanged(store, () => store.save(call)); // its caller has gone on with the turn long ago
    },
  ],
  [
    'a repeated release: nothing is returned a second time, and no back-off is begun anew',
    async ({ store, pass }) => {
      const first = await begin(store, 'c', 'e');
      await saved(store, saving('c', first, {}, release()));
      const second = await claim(store, 'c');
      const call = saving('c', second, full({}), release(short, 'claim'));
      const done = await saved(store, call);
      assert.equal((await unchanged(store, () => saved(store, call))).revision, done.revision);
      await pass(later);
      const third = await claim(store, 'c');
      assert.deepEqual([third.strikes, third.attempt], [2, 2]);
      await saved(store, finishing('c', third, {}, release()));
      await turn(store, 'c');
      await turn(store, 'c');
      await record(store, 'c', 'waits');
      await unchanged(store, () => store.save(call));
      await checkDue(store, { wanted: ['c'] });
    },
  ],
  [
    'a mark that names another channel takes nothing away',
    async ({ store }) => {
      await turn(store, 'c', { outputs: [out('k')], sendLease: 0 });
      await store.sent([{ conversationId: 'c', key: 'k', channel: 'mail' }]);
      const lent = await store.unsent({ channels: ['web', 'mail'], limit: 9, sendLease: 1 });
      assert.deepEqual(
        lent.map(({ key, channel }) => [key, channel]),
        [['k', 'web']],
      );
    },
  ],
  [
    'calls and tokens that end alike are calls of their own: nothing of a later one is lost',
    async ({ store }) => {
      const id = (i: number) => `${i}-a-host-with-a-name-that-is-long`;
      const { claim: by } = await store.take(taking('c', { token: id(1), entry: entry('e') }));
      assert.ok(by);
      for (const i of [0, 1]) {
        const call = saving('c', { ...by, revision: i }, { outputs: [out(`k${i}`)], sendLease: 0 }, hold);
        assert.deepEqual((await saved(store, { ...call, call: id(2 + i) })).revision, i + 1);
      }
      const lent = await store.unsent({ channels: ['web'], limit: 9, sendLease: long });
      assert.deepEqual(
        lent.map(({ key }) => key),
        ['k0', 'k1'],
      );
      assert.equal((await store.take(taking('c', { token: id(4), entry: entry('e') }))).entry, 'repeat');
    },
  ],
  [
    'a repeated mark of sent takes away nothing else, and leaves the conversation findable',
    async ({ store }) => {
      const outputs = ['k1', 'k2'].map((key) => out(key));
      await turn(store, 'c', { outputs, sendLease: 0 });
      const mark = { conversationId: 'c', key: 'k1', channel: 'web', sentAs: { name: 'n', id: 'ts1' } };
      await store.sent([mark]);
      await unchanged(store, () => store.sent([mark, mark]));
      await turn(store, 'c');
      await turn(store, 'c');
      await record(store, 'c', 'waits');
      await unchanged(store, () => store.sent([mark]));
      assert.equal(await store.sentAs('c', 'n'), 'ts1');
      const left = await store.unsent({ channels: ['web'], limit: 10, sendLease: long });
      assert.deepEqual(
        left.map(({ key }) => key),
        ['k2'],
      );
      await checkDue(store, { wanted: ['c'] });
    },
  ],
  [
    'a repeated erase is told that that incarnation is gone, and does not touch the next one',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e');
      const call = { conversationId: 'c', incarnation: by.incarnation, revision: 0, asks: [], parked: [] };
      assert.equal(await store.erase({ ...call, retention: long }), true);
      assert.equal(await store.erase({ ...call, retention: long }), false);
      await record(store, 'c', 'new life');
      assert.equal(await unchanged(store, () => store.erase({ ...call, retention: long })), false);
    },
  ],
];
