/**
 * The stories of `take`, `renew` and `due`: recording, claiming, how long a lease lasts, who may renew it, and how work
 * without a lease is found.
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
  out,
  read,
  record,
  release,
  type StoreStory,
  saved,
  saving,
  short,
  taking,
  timeless,
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
      assert.deepEqual(got.entry, { id: 'e', at: now, data: 'hello', revision: 0 });
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
    'a leased conversation is not claimed by another process, whose entry is queued',
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
    'reserved room: an entry with a higher limit is recorded where a message is refused',
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
      await saved(store, finishing('c', by, { due: by.now + short }, release())); // released, so that a slow machine does not hand over what is due by now
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
  [
    'an expired lease is taken over: the same work, the same turn id, one attempt and one strike more',
    async ({ store, pass }) => {
      const first = await begin(store, 'c', 'e', short);
      await pass(later);
      await checkDue(store, { wanted: ['c'] });
      const second = await claim(store, 'c');
      assert.notEqual(second.token, first.token);
      assert.deepEqual([second.turn, second.attempt, second.strikes, second.entry], [first.turn, 2, 2, first.entry]);
    },
  ],
  [
    'a conversation that was taken over refuses the save of its former holder, and nothing of it is stored',
    async ({ store, pass }) => {
      const old = await begin(store, 'c', 'e', short);
      await pass(later);
      await claim(store, 'c');
      const late = finishing('c', old, {
        document: 'from the grave',
        history: ['late'],
        outputs: [out('k')],
        people: ['p'],
        sendLease: 0,
      });
      assert.deepEqual(await store.save(late), { type: 'refused' });
      const state = await read(store, 'c');
      assert.deepEqual([state.document, state.revision, state.held], [null, 0, true]);
      assert.deepEqual(await waiting(store, 'c'), ['e']);
      assert.equal(await store.outcome('c', 'e'), null);
      assert.deepEqual((await store.history('c', { limit: 10 })).items, []);
      assert.deepEqual(await store.unsent({ channels: ['web'], limit: 10, sendLease: long }), []);
      assert.deepEqual(await store.conversationsOf('p'), []);
    },
  ],
  [
    'an expired lease still saves, as long as nobody else claimed the conversation',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e', short);
      await pass(later);
      assert.equal((await read(store, 'c')).held, false);
      await saved(store, finishing('c', by, { document: 'in time after all' }));
      assert.equal((await read(store, 'c')).document, 'in time after all');
    },
  ],
  [
    'a renewed lease outlives its first time, and renewing returns how many entries are queued',
    async ({ store, pass }) => {
      const one = await begin(store, 'one', 'e1', 300);
      const two = await begin(store, 'two', 'e2');
      await record(store, 'two', 'e3');
      const holds = [
        { conversationId: 'one', token: one.token },
        { conversationId: 'two', token: two.token },
        { conversationId: 'two', token: 'not the holder' },
        { conversationId: 'nobody', token: 'x' },
      ];
      const renewed = await store.renew(holds, long);
      assert.deepEqual(
        renewed.map(({ conversationId, token, held, queue }) => ({ conversationId, token, held, queue })),
        [
          { ...holds[0], held: true, queue: 1 },
          { ...holds[1], held: true, queue: 2 },
          { ...holds[2], held: false, queue: 2 },
          { ...holds[3], held: false, queue: 0 },
        ],
      );
      assert.ok(renewed.every(({ now }) => now >= one.now));
      await pass(350);
      assert.equal((await store.take(taking('one'))).claim, undefined);
      await checkDue(store, { idle: ['one', 'two'] });
    },
  ],
  [
    'renewing returns nothing for a lease that was released or taken over',
    async ({ store, pass }) => {
      const old = await begin(store, 'c', 'e', short);
      await pass(later);
      const holder = await claim(store, 'c');
      const [lost] = await store.renew([{ conversationId: 'c', token: old.token }], long);
      assert.equal(lost?.held, false);
      await saved(store, finishing('c', holder));
      const [released] = await store.renew([{ conversationId: 'c', token: holder.token }], long);
      assert.deepEqual([released?.held, released?.queue], [false, 0]);
      await record(store, 'c', 'e2');
      await checkDue(store, { wanted: ['c'] });
    },
  ],
  [
    'due returns at most as many as asked for, and the same again until they are claimed',
    async ({ store }) => {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      for (const id of ids) await record(store, id, 'e');
      assert.equal((await store.due(3)).conversations.length, 3);
      assert.deepEqual([...(await store.due(100)).conversations].sort(), ids);
      await claim(store, 'b');
      const { conversations, now } = await store.due(100);
      assert.deepEqual([...conversations].sort(), ['a', 'c', 'd', 'e']);
      assert.ok(now > 0);
    },
  ],
  [
    'the same token gets the same claim while the lease lasts, and another token gets none',
    async ({ store }) => {
      const call = taking('c', { entry: entry('e') });
      const first = await store.take(call);
      await record(store, 'c', 'e2');
      const again = await store.take(call);
      assert.deepEqual(timeless(again.claim), timeless(first.claim));
      assert.equal((await store.take(taking('c', { lease: long }))).claim, undefined);
    },
  ],
];
