/**
 * The stories of `remember`: finished effects of a turn, fenced by the turn and not by the lease.
 */
import assert from 'node:assert/strict';
import {
  begin,
  claim,
  closing,
  finishing,
  hold,
  later,
  record,
  release,
  type StoreStory,
  saved,
  saving,
  short,
  turn,
} from './kit.js';
import type { Claim, Store } from './texts.js';

const keep = (store: Store, by: Pick<Claim, 'turn'>, key: string, value: string) =>
  store.remember({ conversationId: 'c', turn: by.turn, key, value });

const memoOf = (by: Claim | undefined) => Object.entries(by?.memo ?? {}).sort();

export const memoStories: readonly StoreStory[] = [
  [
    'the first value that is remembered wins, and is what everyone gets',
    async ({ store }) => {
      const by = await begin(store, 'c');
      assert.deepEqual(await keep(store, by, 'refund', 'first'), { type: 'kept', value: 'first' });
      assert.deepEqual(await keep(store, by, 'refund', 'second'), { type: 'kept', value: 'first' });
      assert.deepEqual(await keep(store, by, 'empty', ''), { type: 'kept', value: '' });
      assert.deepEqual(await keep(store, by, 'empty', 'not empty'), { type: 'kept', value: '' });
    },
  ],
  [
    'a re-run after a crash is given what its turn remembered',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e', short);
      await keep(store, by, 'a', '1');
      await keep(store, by, 'b', '2');
      await pass(later);
      const again = await claim(store, 'c');
      assert.deepEqual(memoOf(again), [
        ['a', '1'],
        ['b', '2'],
      ]);
    },
  ],
  [
    'an effect that is finished after the lease was lost is still remembered, for the next holder',
    async ({ store, pass }) => {
      const old = await begin(store, 'c', 'e', short);
      await pass(later);
      assert.deepEqual(await keep(store, old, 'a', 'nobody holds it'), { type: 'kept', value: 'nobody holds it' });
      const holder = await claim(store, 'c', { lease: short });
      assert.deepEqual(await keep(store, old, 'b', 'another holds it'), { type: 'kept', value: 'another holds it' });
      assert.deepEqual(await keep(store, holder, 'b', 'mine'), { type: 'kept', value: 'another holds it' });
      await pass(later);
      assert.deepEqual(memoOf(await claim(store, 'c')), [
        ['a', 'nobody holds it'],
        ['b', 'another holds it'],
      ]);
    },
  ],
  [
    'work that was released goes on remembering',
    async ({ store }) => {
      const by = await begin(store, 'c');
      await saved(store, saving('c', by, {}, release()));
      assert.deepEqual(await keep(store, by, 'a', '1'), { type: 'kept', value: '1' });
      assert.deepEqual(memoOf(await claim(store, 'c')), [['a', '1']]);
    },
  ],
  [
    'a save inside the turn ends nothing: what was remembered stays',
    async ({ store }) => {
      const by = await begin(store, 'c');
      await keep(store, by, 'a', '1');
      const { revision } = await saved(store, saving('c', by, {}, hold));
      assert.deepEqual(await keep(store, by, 'a', '2'), { type: 'kept', value: '1' });
      await saved(store, saving('c', { ...by, revision }, {}, release()));
      assert.deepEqual(memoOf(await claim(store, 'c')), [['a', '1']]);
    },
  ],
  [
    'after the save that closes it a turn has ended: nothing is remembered, nothing is left',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      await keep(store, by, 'a', '1');
      await record(store, 'c', 'e2');
      await record(store, 'c', 'e3', { turn: by.turn });
      const { next } = await saved(store, finishing('c', by));
      assert.ok(next);
      assert.deepEqual(memoOf(next), []);
      assert.deepEqual(await keep(store, by, 'a', '2'), { type: 'ended' });
      const { next: third } = await saved(store, finishing('c', next));
      assert.equal(third?.turn, by.turn);
      assert.deepEqual(memoOf(third), [], 'not even under its own turn id');
    },
  ],
  [
    'a turn nobody has begun, and a conversation nobody knows, remember nothing',
    async ({ store }) => {
      assert.deepEqual(await keep(store, { turn: 't' }, 'a', '1'), { type: 'ended' });
      assert.equal(await store.conversation('c'), null);
      await turn(store, 'c');
      assert.deepEqual(await keep(store, { turn: 't' }, 'a', '1'), { type: 'ended' });
    },
  ],
  [
    'after an erase a turn has ended, also when the conversation lives again',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e');
      await keep(store, by, 'a', '1');
      const life = { conversationId: 'c', incarnation: by.incarnation, revision: 0 };
      assert.equal(await store.erase({ ...life, asks: [], parked: [], retention: 1000 }), true);
      assert.deepEqual(await keep(store, by, 'b', '2'), { type: 'ended' });
      assert.equal(await store.conversation('c'), null, 'nothing is left behind');
      const next = await begin(store, 'c', 'e');
      assert.deepEqual(memoOf(next), []);
      assert.deepEqual(await keep(store, by, 'b', '2'), { type: 'ended' });
      assert.deepEqual(memoOf(next), []);
    },
  ],
  [
    'what a parked turn remembered is kept for the retry that has its turn id, and for no other',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      await keep(store, by, 'refund', 'done');
      await record(store, 'c', 'e2');
      const parked = finishing('c', by, { closes: closing('e1', 'failed', true), open: true });
      const { next } = await saved(store, parked);
      assert.ok(next);
      assert.deepEqual(memoOf(next), []);
      assert.deepEqual(await keep(store, by, 'late', 'x'), { type: 'ended' });
      await record(store, 'c', 'retry', { turn: by.turn });
      const { next: retry } = await saved(store, finishing('c', next));
      assert.ok(retry);
      assert.deepEqual([retry.turn, retry.attempt, memoOf(retry)], [by.turn, 1, [['refund', 'done']]]);
      assert.deepEqual(await keep(store, retry, 'refund', 'twice'), { type: 'kept', value: 'done' });

      await saved(store, finishing('c', retry, {}, release()));
      await record(store, 'c', 'retry again', { turn: by.turn });
      assert.deepEqual(memoOf(await claim(store, 'c')), [], 'a retry that ends well needs it no more');
    },
  ],
  [
    'work that is done before a retry leaves the retry what its turn remembered',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      await keep(store, by, 'refund', 'done');
      await saved(store, finishing('c', by, { closes: closing('e1', 'failed', true), open: true }));
      await record(store, 'c', 'retry', { turn: by.turn });
      const expiry = await claim(store, 'c');
      const call = saving('c', expiry, { closes: closing('expiry of an ask, before the retry is read') });
      const { next: retry } = await saved(store, call);
      assert.deepEqual([retry?.entry?.id, retry?.turn, memoOf(retry)], ['retry', by.turn, [['refund', 'done']]]);
    },
  ],
];
