/**
 * The stories of `take`, `renew` and `due`: recording, claiming, holding, and finding what nobody holds.
 */
import assert from 'node:assert/strict';
import {
  begin,
  checkDue,
  claim,
  entry,
  finishing,
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

export const claimStories: readonly StoreStory[] = [
  [
    'opening a store again does nothing',
    async ({ store }) => {
      await record(store, 'c', 'e');
      await store.open();
      assert.deepEqual(await waiting(store, 'c'), ['e']);
    },
  ],
  [
    'a first message is recorded and claimed in one step',
    async ({ store }) => {
      const call = taking('c', { entry: entry('e', { data: 'hello' }) });
      const { now, entry: said, claim: got, outcome } = await store.take(call);
      assert.equal(said, 'recorded');
      assert.equal(outcome, undefined);
      assert.ok(got);
      assert.ok(Number.isSafeInteger(now) && now > 0, 'the store says what time it is');
      assert.deepEqual(got.entry, { id: 'e', at: now, data: 'hello' });
      assert.deepEqual(
        [got.token, got.turn, got.attempt, got.strikes, got.revision, got.document],
        [call.token, call.turn, 1, 1, 0, null],
      );
      assert.deepEqual(Object.entries(got.memo), []);
      const state = await read(store, 'c');
      assert.deepEqual([state.held, state.begun, state.revision, state.document], [true, true, 0, null]);
      assert.equal(state.incarnation, got.incarnation);
      assert.deepEqual(state.queue, [got.entry]);
    },
  ],
  [
    'a process that runs no agents records without claiming, and a worker finds it',
    async ({ store }) => {
      const taken = await record(store, 'c', 'e');
      assert.deepEqual([taken.entry, taken.claim], ['recorded', undefined]);
      const state = await read(store, 'c');
      assert.deepEqual([state.held, state.begun], [false, false]);
      await checkDue(store, { wanted: ['c'] });
      assert.equal((await claim(store, 'c')).entry?.id, 'e');
    },
  ],
  [
    'a conversation that is held is not claimed by another, whose entry waits in line',
    async ({ store }) => {
      await begin(store, 'c', 'e1');
      const second = await store.take(taking('c', { entry: entry('e2') }));
      assert.deepEqual([second.entry, second.claim], ['recorded', undefined]);
      assert.deepEqual(await waiting(store, 'c'), ['e1', 'e2']);
      await checkDue(store, { idle: ['c'] });
    },
  ],
  [
    'entries are worked on in the order in which they came, whoever sent them',
    async ({ store }) => {
      for (const id of ['z', 'a', '10', '9', 'm']) await record(store, 'c', id);
      const order = await workedOff(store, 'c', await claim(store, 'c'));
      assert.deepEqual(order, ['z', 'a', '10', '9', 'm']);
    },
  ],
  [
    'entries are stamped on arrival, and the stamps never go back',
    async ({ store, pass }) => {
      const first = await record(store, 'c', 'e1');
      await pass(short);
      const second = await record(store, 'c', 'e2');
      assert.ok(second.now > first.now);
      const { queue, now } = await read(store, 'c');
      assert.deepEqual(
        queue.map(({ at }) => at),
        [first.now, second.now],
      );
      assert.ok(now >= second.now);
    },
  ],
  [
    'a full queue refuses the next entry and says so, but still knows the ones it has',
    async ({ store }) => {
      await record(store, 'c', 'e1', { room: 2 });
      await record(store, 'c', 'e2', { room: 2 });
      assert.equal((await record(store, 'c', 'e3', { room: 2 })).entry, 'full');
      assert.equal((await record(store, 'c', 'e2', { room: 2 })).entry, 'repeat');
      assert.deepEqual(await waiting(store, 'c'), ['e1', 'e2']);
      const by = await claim(store, 'c');
      await saved(store, finishing('c', by, {}, release()));
      assert.equal((await record(store, 'c', 'e3', { room: 2 })).entry, 'recorded');
    },
  ],
  [
    'reserved room: an entry that may use more places gets in where a message is refused',
    async ({ store }) => {
      await record(store, 'c', 'e1', { room: 1 });
      assert.equal((await record(store, 'c', 'e2', { room: 1 })).entry, 'full');
      assert.equal((await record(store, 'c', 'answer', { room: 2 })).entry, 'recorded');
      assert.deepEqual(await waiting(store, 'c'), ['e1', 'answer']);
    },
  ],
  [
    'an entry that does not fit leaves no trace of a conversation that was not there',
    async ({ store }) => {
      const taken = await store.take(taking('c', { entry: entry('e', { room: 0 }) }));
      assert.deepEqual([taken.entry, taken.claim], ['full', undefined]);
      assert.equal(await store.conversation('c'), null);
      await checkDue(store, { idle: ['c'] });
    },
  ],
  [
    'no claim when nothing waits: not of an unknown conversation, not of an idle one',
    async ({ store }) => {
      const unknown = await store.take(taking('nobody'));
      assert.deepEqual([unknown.entry, unknown.claim], [undefined, undefined]);
      assert.equal(await store.conversation('nobody'), null);
      await turn(store, 'c');
      assert.equal((await store.take(taking('c'))).claim, undefined);
      await checkDue(store, { idle: ['c', 'nobody'] });
    },
  ],
  [
    'a due time that has come is claimed without an entry; one that has not is left alone',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e');
      await saved(store, finishing('c', by, { due: by.now + long, document: 'waits' }));
      assert.equal((await store.take(taking('c'))).claim, undefined, 'not before its time');
      await checkDue(store, { idle: ['c'] });

      const soon = await begin(store, 'c', 'e2');
      await saved(store, finishing('c', soon, { due: soon.now + short }, release()));
      await pass(later);
      await checkDue(store, { wanted: ['c'] });
      const tick = await claim(store, 'c');
      assert.deepEqual([tick.entry, tick.document, tick.attempt], [undefined, 'waits', 1]);
      await saved(
        store,
        saving('c', tick, { due: null, closes: { entryId: 'expiry', outcome: 'over', keepMemo: false } }),
      );
      assert.equal(await store.outcome('c', 'expiry'), 'over');
      await checkDue(store, { idle: ['c'] });
    },
  ],
  [
    'a due time is left as it was by a save that does not mention it',
    async ({ store, pass }) => {
      const by = await begin(store, 'c');
      await saved(store, finishing('c', by, { due: by.now + short }, release())); // a slow machine is not handed over what is due by now
      await turn(store, 'c');
      await pass(later);
      await checkDue(store, { wanted: ['c'] });
    },
  ],
  [
    'a call that arrives after its time records but does not claim',
    async ({ store, pass }) => {
      const { now } = await record(store, 'c', 'e1');
      await pass(short);
      const late = await store.take(taking('c', { claimBefore: now, entry: entry('e2') }));
      assert.deepEqual([late.entry, late.claim], ['recorded', undefined]);
      const inTime = await store.take(taking('c', { claimBefore: now + long }));
      assert.equal(inTime.claim?.entry?.id, 'e1');
    },
  ],
];
