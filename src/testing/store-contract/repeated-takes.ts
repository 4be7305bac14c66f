/**
 * The stories of repeated takes: sent twice in a row, and once more after two other turns.
 * A client sends a step again when the reply was lost; nothing may be claimed or counted twice by that.
 */
import assert from 'node:assert/strict';
import {
  checkDue,
  claim,
  closing,
  entry,
  finishing,
  long,
  record,
  release,
  type StoreStory,
  saved,
  short,
  taking,
  timeless,
  turn,
  unchanged,
  waiting,
} from './kit.js';

export const repeatedTakeStories: readonly StoreStory[] = [
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
    'a repeated take that only recorded: "recorded" again, and one entry in line',
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
];
