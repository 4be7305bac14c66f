/**
 * The stories of `save`: the holder’s one write, what becomes of the lease, and its release: back-off, hand-backs, parked
 * work, and messages that arrive at the same time.
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
  turn,
  waiting,
  workedOff,
} from './kit.js';

export const saveStories: readonly StoreStory[] = [
  [
    'a save closes the entry it names, keeps its outcome, and releases the lease when nothing is next',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e');
      assert.equal(await store.outcome('c', 'e'), null);
      const done = await saved(store, finishing('c', by, { document: 'v1', closes: closing('e', 'accepted') }));
      assert.deepEqual([done.revision, done.next], [1, undefined]);
      assert.ok(done.now >= by.now);
      assert.equal(await store.outcome('c', 'e'), 'accepted');
      const state = await read(store, 'c');
      assert.deepEqual(
        [state.held, state.begun, state.revision, state.document, state.queue],
        [false, false, 1, 'v1', []],
      );
      await checkDue(store, { idle: ['c'] });
    },
  ],
  [
    'an entry that is closed twice leaves the queue once: what came meanwhile stays queued and due',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e1');
      const first = await saved(store, saving('c', by, { closes: closing('e1', 'done') }, hold));
      await record(store, 'c', 'e2');
      const again = { ...by, revision: first.revision };
      const second = await saved(store, saving('c', again, { closes: closing('e1', 'done') }, hold));
      assert.deepEqual(await waiting(store, 'c'), ['e2']);
      assert.equal((await store.renew([{ conversationId: 'c', token: by.token }], long))[0]?.queue, 1);
      const { next } = await saved(store, saving('c', { ...by, revision: second.revision }, {}));
      assert.equal(next?.entry?.id, 'e2');
    },
  ],
  [
    'hand-over: the next entry comes with the same token, a new turn id, and counts anew',
    async ({ store, pass }) => {
      await begin(store, 'c', 'e1', short);
      await pass(later);
      const second = await claim(store, 'c');
      assert.equal(second.attempt, 2);
      await record(store, 'c', 'e2');
      const call = finishing('c', second, { document: 'v1' }, { type: 'next', turn: 'turn of e2', lease: long });
      const { next, revision } = await saved(store, call);
      assert.ok(next);
      assert.deepEqual(
        [next.token, next.turn, next.attempt, next.strikes, next.revision, next.document, next.entry?.id],
        [second.token, 'turn of e2', 1, 1, revision, 'v1', 'e2'],
      );
      assert.equal(next.incarnation, second.incarnation);
      assert.equal((await read(store, 'c')).held, true);
      await checkDue(store, { idle: ['c'] });
      await saved(store, finishing('c', next));
      assert.deepEqual(await waiting(store, 'c'), []);
    },
  ],
  [
    'a hand-over lasts as long as its lease says',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e1');
      await record(store, 'c', 'e2');
      const { next } = await saved(store, finishing('c', by, {}, { type: 'next', turn: 't2', lease: short }));
      await pass(later);
      await checkDue(store, { wanted: ['c'] });
      const other = await claim(store, 'c');
      assert.deepEqual([other.turn, other.attempt, other.strikes], ['t2', 2, 2]);
      assert.ok(next);
      assert.equal((await store.save(finishing('c', next))).type, 'refused');
    },
  ],
  [
    'a hand-over to a due time that has come brings no entry',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e1');
      const { now } = by;
      await pass(short);
      const { next } = await saved(store, finishing('c', by, { due: now }));
      assert.ok(next);
      assert.deepEqual([next.entry, next.attempt], [undefined, 1]);
      assert.equal((await store.take(taking('c'))).claim, undefined, 'it is held');
    },
  ],
  [
    'work that begins again has the turn id its entry names, by claim and by hand-over',
    async ({ store }) => {
      await record(store, 'c', 'retry1', { turn: 'old turn 1' });
      await record(store, 'c', 'retry2', { turn: 'old turn 2' });
      const first = await claim(store, 'c', { turn: 'not this' });
      assert.deepEqual([first.turn, first.attempt], ['old turn 1', 1]);
      const { next } = await saved(store, finishing('c', first));
      assert.deepEqual([next?.turn, next?.attempt], ['old turn 2', 1]);
    },
  ],
  [
    'a save inside the turn keeps the lease, and the turn closes with the next revision',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e', short * 2);
      const mid = await saved(store, saving('c', by, { document: 'decided', history: ['decision'] }, hold));
      assert.deepEqual([mid.revision, mid.next], [1, undefined]);
      const state = await read(store, 'c');
      assert.deepEqual([state.begun, state.document, state.revision], [true, 'decided', 1]);
      assert.deepEqual(await waiting(store, 'c'), ['e']);
      assert.equal(await store.outcome('c', 'e'), null);
      await pass(later + short);
      const again = await claim(store, 'c');
      assert.deepEqual([again.turn, again.attempt, again.document, again.revision], [by.turn, 2, 'decided', 1]);
      await saved(store, finishing('c', again));
      assert.equal((await read(store, 'c')).revision, 2);
    },
  ],
  [
    'a document that a save does not mention stays untouched, also when it is empty',
    async ({ store }) => {
      await turn(store, 'c', { document: '' });
      await turn(store, 'c');
      assert.equal((await read(store, 'c')).document, '');
      await turn(store, 'c', { document: 'v2' });
      await turn(store, 'c');
      assert.equal((await begin(store, 'c')).document, 'v2');
    },
  ],
  [
    'a save that follows another revision than the current one is refused, even from the holder',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e');
      await saved(store, saving('c', by, { document: 'v1' }, hold));
      assert.deepEqual(await store.save(saving('c', by, { document: 'v1b' }, hold)), { type: 'refused' });
      const ahead = { ...by, revision: 2 };
      assert.deepEqual(await store.save(saving('c', ahead, { document: 'v3' })), { type: 'refused' });
      const state = await read(store, 'c');
      assert.deepEqual([state.document, state.revision, state.held], ['v1', 1, true]);
    },
  ],
  [
    'a save of somebody who never held the conversation is refused, also where there is none',
    async ({ store }) => {
      await begin(store, 'c', 'e');
      const stranger = { token: 'stranger', revision: 0 };
      assert.deepEqual(await store.save(saving('c', stranger, { closes: closing('e') })), { type: 'refused' });
      assert.deepEqual(await waiting(store, 'c'), ['e']);
      assert.deepEqual(await store.save(saving('nobody', stranger, { document: 'x' })), { type: 'refused' });
      assert.equal(await store.conversation('nobody'), null);
    },
  ],
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
    'six interrupted tries return their strikes: the turn is claimed again with one, while attempts rise',
    async ({ store }) => {
      let by = await begin(store, 'c', 'e');
      const { turn: id } = by;
      for (let interrupted = 1; interrupted <= 6; interrupted++) {
        await saved(store, saving('c', by, {}, release(0, 'strike')));
        const last = by.attempt;
        by = await claim(store, 'c');
        assert.deepEqual([by.strikes, by.turn, by.entry?.id], [1, id, 'e']);
        assert.ok(by.attempt > last, 'every start has a higher attempt than the one before');
      }
    },
  ],
  [
    'six hand-backs of work that was not begun return all that was counted: the turn is claimed again as at first',
    async ({ store }) => {
      let by = await begin(store, 'c', 'e');
      const { turn: id } = by;
      for (let handBack = 1; handBack <= 6; handBack++) {
        await saved(store, saving('c', by, {}, release(0, 'claim')));
        by = await claim(store, 'c');
        assert.deepEqual([by.attempt, by.strikes, by.turn, by.entry?.id], [1, 1, id, 'e']);
      }
    },
  ],
  [
    'a failed try before a hand-back goes on to count, no less',
    async ({ store }) => {
      for (const [returns, attempt] of [
        ['strike', 3],
        ['claim', 2],
      ] as const) {
        const first = await begin(store, returns, 'e');
        await saved(store, saving(returns, first, {}, release(0, 'nothing')));
        const second = await claim(store, returns);
        await saved(store, saving(returns, second, {}, release(0, returns)));
        const third = await claim(store, returns);
        assert.deepEqual([third.strikes, third.attempt], [2, attempt]);
      }
    },
  ],
  [
    'parked work leaves the queue as closed, and what follows counts anew',
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
    'a turn that waits handles a reply early: it is closed, the turn goes on, everything else stays queued',
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
    'a message that arrives between the last read and the release is not stranded',
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
