/**
 * The stories of holds: how long they last, who may renew them, and how what nobody holds is found.
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
  type StoreStory,
  saved,
  short,
  taking,
  timeless,
  waiting,
} from './kit.js';

export const holdStories: readonly StoreStory[] = [
  [
    'a hold that ran out is taken over: the same work, the same turn id, one attempt and one strike more',
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
    'a conversation that was taken over refuses the save of its old holder, and nothing of it is there',
    async ({ store, pass }) => {
      const old = await begin(store, 'c', 'e', short);
      await pass(later);
      await claim(store, 'c');
      const late = finishing('c', old, {
        document: 'from the grave',
        history: ['late'],
        outputs: [out('k')],
        people: ['p'],
        loan: 0,
      });
      assert.deepEqual(await store.save(late), { type: 'refused' });
      const state = await read(store, 'c');
      assert.deepEqual([state.document, state.revision, state.held], [null, 0, true]);
      assert.deepEqual(await waiting(store, 'c'), ['e']);
      assert.equal(await store.outcome('c', 'e'), null);
      assert.deepEqual((await store.history('c', { limit: 10 })).items, []);
      assert.deepEqual(await store.unsent({ channels: ['web'], limit: 10, loan: long }), []);
      assert.deepEqual(await store.conversationsOf('p'), []);
    },
  ],
  [
    'a hold that ran out still saves, as long as nobody else took the conversation',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e', short);
      await pass(later);
      assert.equal((await read(store, 'c')).held, false);
      await saved(store, finishing('c', by, { document: 'in time after all' }));
      assert.equal((await read(store, 'c')).document, 'in time after all');
    },
  ],
  [
    'a renewed hold outlives its first lease, and renewing tells how much is waiting',
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
    'renewing gives nothing to one who let go, or was followed by another',
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
    'due names as many as asked for, and the same again until somebody takes them',
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
    'the same token gives the same claim while it holds, and a stranger gets none',
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
