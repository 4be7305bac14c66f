/**
 * The stories of letting go: back-off, hand-backs, parked work, and messages that arrive at that very moment.
 */
import assert from 'node:assert/strict';
import {
  begin,
  checkDue,
  claim,
  closing,
  entry,
  finishing,
  hold,
  later,
  long,
  read,
  record,
  release,
  type StoreStory,
  saved,
  saving,
  short,
  taking,
  waiting,
  workedOff,
} from './kit.js';

export const releaseStories: readonly StoreStory[] = [
  [
    'back-off: released work is not claimed before its time, and new messages do not shorten it',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      await saved(store, saving('c', by, {}, release(long)));
      const during = await store.take(taking('c', { entry: entry('e2') }));
      assert.deepEqual([during.entry, during.claim], ['recorded', undefined]);
      assert.equal((await store.take(taking('c'))).claim, undefined);
      const state = await read(store, 'c');
      assert.deepEqual([state.held, state.begun], [false, true]);
      await checkDue(store, { idle: ['c'] });
    },
  ],
  [
    'after its back-off the same work comes again under its turn id, one attempt and one strike more',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e1');
      await record(store, 'c', 'e2');
      await saved(store, saving('c', by, {}, release(short)));
      await pass(later);
      await checkDue(store, { wanted: ['c'] });
      const again = await claim(store, 'c');
      assert.deepEqual([again.turn, again.attempt, again.strikes, again.entry?.id], [by.turn, 2, 2, 'e1']);
    },
  ],
  [
    'six hand-backs return their strikes: the turn is claimed again with one, while attempts rise',
    async ({ store }) => {
      let by = await begin(store, 'c', 'e');
      const { turn: id } = by;
      for (let handBack = 1; handBack <= 6; handBack++) {
        await saved(store, saving('c', by, {}, release(0, true)));
        const last = by.attempt;
        by = await claim(store, 'c');
        assert.deepEqual([by.strikes, by.turn, by.entry?.id], [1, id, 'e']);
        assert.ok(by.attempt > last, 'every start has a higher attempt than the one before');
      }
    },
  ],
  [
    'a failed try after a hand-back counts one strike, no less',
    async ({ store }) => {
      const first = await begin(store, 'c', 'e');
      await saved(store, saving('c', first, {}, release(0, false)));
      const second = await claim(store, 'c');
      await saved(store, saving('c', second, {}, release(0, true)));
      assert.equal((await claim(store, 'c')).strikes, 2);
    },
  ],
  [
    'parked work leaves the line as closed, and what follows counts anew',
    async ({ store }) => {
      const first = await begin(store, 'c', 'e1');
      await record(store, 'c', 'e2');
      await saved(store, saving('c', first, {}, release()));
      const second = await claim(store, 'c');
      await saved(store, finishing('c', second, { closes: closing('e1', 'failed', true) }, release()));
      const next = await claim(store, 'c');
      assert.deepEqual([next.entry?.id, next.attempt, next.strikes], ['e2', 1, 1]);
      assert.notEqual(next.turn, first.turn);
    },
  ],
  [
    'a turn that waits takes a reply out of line: it is closed, the turn goes on, everything else stays in line',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e1', short * 2);
      for (const id of ['e2', 'reply', 'e3']) await record(store, 'c', id);
      const mid = await saved(store, saving('c', by, { closes: closing('reply', 'accepted') }, hold));
      assert.equal(mid.next, undefined);
      assert.deepEqual(await waiting(store, 'c'), ['e1', 'e2', 'e3']);
      assert.equal(await store.outcome('c', 'reply'), 'accepted');
      const kept = await store.remember({ conversationId: 'c', turn: by.turn, key: 'k', value: 'v' });
      assert.deepEqual(kept, { type: 'kept', value: 'v' });
      await pass(later + short);
      const again = await claim(store, 'c');
      assert.deepEqual([again.turn, again.attempt, again.entry?.id], [by.turn, 2, 'e1']);
      assert.deepEqual(Object.entries(again.memo), [['k', 'v']]);
    },
  ],
  [
    'a message that arrives between the last look and the release is not stranded',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      const [look] = await store.renew([{ conversationId: 'c', token: by.token }], long);
      assert.equal(look?.queue, 1);
      const during = await store.take(taking('c', { entry: entry('e2') }));
      assert.equal(during.claim, undefined);
      const { next } = await saved(store, finishing('c', by));
      assert.equal(next?.entry?.id, 'e2', 'the holder is given it');

      await begin(store, 'd', 'e1').then(async (held) => {
        await store.take(taking('d', { entry: entry('e2') }));
        await saved(store, finishing('d', held, {}, release()));
      });
      await checkDue(store, { wanted: ['d'] });
      assert.equal((await claim(store, 'd')).entry?.id, 'e2', 'or anybody finds it');
    },
  ],
  [
    'holders and messages at the same moment: one claim, every entry once, in one order',
    async ({ store }) => {
      const ids = Array.from({ length: 20 }, (_, i) => `e${i}`);
      const taken = await Promise.all(ids.map((id) => store.take(taking('c', { entry: entry(id) }))));
      const claims = taken.flatMap((one) => one.claim ?? []);
      const [by, ...more] = claims;
      assert.ok(by && more.length === 0, 'exactly one of them is given the conversation');
      const order = await waiting(store, 'c');
      const done = await workedOff(store, 'c', by);
      assert.deepEqual(done, order);
      assert.deepEqual([...done].sort(), [...ids].sort());
    },
  ],
];
