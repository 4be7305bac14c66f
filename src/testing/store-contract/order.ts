/**
 * The stories of order within one process: steps of one conversation that are asked for one after the other take effect in
 * that order, although nobody awaits between them and a store may send many steps together.
 */
import assert from 'node:assert/strict';
import {
  begin,
  claim,
  entry,
  finishing,
  hold,
  next,
  read,
  record,
  release,
  type StoreStory,
  saved,
  saving,
  taking,
  turn,
  waiting,
  workedOff,
} from './kit.js';
import type { Claim, Save, Store } from './texts.js';

/** Asks for steps of other conversations in the same tick, of each kind one, so that a store has much to send together. */
function busy(store: Store, round: number, others: readonly Claim[]): Promise<unknown>[] {
  return others.flatMap((by, i) => [
    store.take(taking(`new ${round} ${i}`, { entry: entry('e') })),
    store.take(taking(`busy ${i}`, { lease: 0, entry: entry(`e${round}`) })),
    store.renew([{ conversationId: `busy ${i}`, token: by.token }], 600_000),
  ]);
}

async function othersOf(store: Store): Promise<Claim[]> {
  return Promise.all(Array.from({ length: 5 }, (_, i) => begin(store, `busy ${i}`)));
}

const ids = (rounds: number): string[] => Array.from({ length: rounds }, (_, i) => [`${i}-a`, `${i}-b`]).flat();

export const orderStories: readonly StoreStory[] = [
  [
    'two entries handed over in one tick are recorded in that order, beside other busy conversations',
    async ({ store }) => {
      const others = await othersOf(store);
      for (let i = 0; i < 5; i += 1) {
        const before = busy(store, 2 * i, others);
        const first = record(store, 'c', `${i}-a`);
        const between = busy(store, 2 * i + 1, others);
        const second = record(store, 'c', `${i}-b`);
        await Promise.all([...before, first, ...between, second]);
      }
      assert.deepEqual(await waiting(store, 'c'), ids(5));
      assert.deepEqual(await workedOff(store, 'c', await claim(store, 'c')), ids(5));
    },
  ],
  [
    'the first two entries of a conversation, handed over in one tick, are recorded in that order: the first is worked on',
    async ({ store }) => {
      const others = await othersOf(store);
      for (let i = 0; i < 5; i += 1) {
        const id = `c${i}`;
        const [first, second] = await Promise.all([
          store.take(taking(id, { entry: entry('a') })),
          store.take(taking(id, { entry: entry('b') })),
          ...busy(store, i, others),
        ]);
        assert.deepEqual([first.claim?.entry?.id, second.claim], ['a', undefined]);
        assert.deepEqual(await waiting(store, id), ['a', 'b']);
      }
    },
  ],
  [
    'a reply that was decided beforehand and the message after it, handed over in one tick, keep their order',
    async ({ store }) => {
      const others = await othersOf(store);
      for (let i = 0; i < 6; i += 1) {
        const id = `c${i}`;
        await turn(store, id, { document: 'asked', open: true });
        const predecide = () => (i % 2 === 0 ? { document: 'decided', changed: [] } : undefined);
        const [reply, message] = await Promise.all([
          store.take(taking(id, { entry: entry('reply'), predecide })),
          store.take(taking(id, { entry: entry('message') })),
          ...busy(store, i, others),
        ]);
        assert.deepEqual([reply.claim?.entry?.id, message.claim], ['reply', undefined]);
        assert.deepEqual(await waiting(store, id), ['reply', 'message']);
        assert.equal((await read(store, id)).document, i % 2 === 0 ? 'decided' : 'asked');
      }
    },
  ],
  [
    'an entry keeps the revision at which it was recorded, at the front and behind it',
    async ({ store }) => {
      const by = await begin(store, 'c', 'first');
      await record(store, 'c', 'second'); // while the first is worked on
      const held = await saved(store, saving('c', by, { document: 'half' }, { type: 'hold' }));
      await record(store, 'c', 'third');
      const revisions = async () => (await read(store, 'c')).queue.map(({ id, revision }) => [id, revision]);
      assert.deepEqual(await revisions(), [
        ['first', 0],
        ['second', 0],
        ['third', 1],
      ]);
      const at = { ...by, revision: held.revision };
      const { next: after, revision } = await saved(
        store,
        finishing('c', at, { document: 'asked', open: true }, next()),
      );
      assert.deepEqual([after?.entry?.id, after?.entry?.revision, revision], ['second', 0, 2]);
      await record(store, 'c', 'fourth');
      assert.deepEqual(await revisions(), [
        ['second', 0],
        ['third', 1],
        ['fourth', 2],
      ]);
    },
  ],
  [
    'a queue is read without the entries that its reader knows',
    async ({ store }) => {
      await begin(store, 'c', 'first');
      for (const id of ['second', 'third', 'fourth']) await record(store, 'c', id);
      const all = ['first', 'second', 'third', 'fourth'];
      for (const skip of [0, 1, 2, 4, 5, 1_000]) {
        const state = await store.conversation('c', skip);
        assert.deepEqual(
          state?.queue.map(({ id, data }) => [id, data]),
          (await read(store, 'c')).queue.slice(skip).map(({ id, data }) => [id, data]),
        );
        assert.deepEqual(
          state?.queue.map(({ id }) => id),
          all.slice(skip),
        );
        assert.equal(state?.held, true);
      }
      assert.equal(await store.conversation('nobody', 3), null);
    },
  ],
  [
    'a take that is asked for after a save, in one tick, finds what the save left',
    async ({ store }) => {
      const others = await othersOf(store);
      for (let i = 0; i < 5; i += 1) {
        const id = `c${i}`;
        const by = await begin(store, id, 'a');
        const [done, taken] = await Promise.all([
          store.save(finishing(id, by, { document: 'v1' }, release())),
          store.take(taking(id, { entry: entry('b') })),
          ...busy(store, i, others),
        ]);
        assert.equal(done.type, 'saved');
        assert.deepEqual([taken.claim?.entry?.id, taken.claim?.document, taken.claim?.revision], ['b', 'v1', 1]);
      }
    },
  ],
  [
    'saves that are asked for one after the other, in one tick, are written in that order',
    async ({ store }) => {
      const by = await begin(store, 'c', 'a');
      const later = { ...by, revision: 1 };
      const [first, second, third] = await Promise.all([
        store.save(saving('c', by, { document: 'v1', history: ['1'] }, hold)),
        store.save(saving('c', later, { document: 'v2', history: ['2'] }, hold)),
        store.take(taking('c', { entry: entry('b') })),
      ]);
      assert.deepEqual([first.type, second.type, third.claim], ['saved', 'saved', undefined]);
      assert.equal((await read(store, 'c')).document, 'v2');
      assert.deepEqual((await store.history('c', { limit: 9 })).items, ['1', '2']);
    },
  ],
  [
    'a step that is refused holds back none of those that come after it',
    async ({ store }) => {
      const by = await begin(store, 'c', 'a');
      const stale: Save = saving('c', { ...by, revision: 7 }, { document: 'never' }, hold);
      const [refused, first, second] = await Promise.all([
        store.save(stale),
        record(store, 'c', 'b'),
        record(store, 'c', 'c'),
      ]);
      assert.equal(refused.type, 'refused');
      assert.deepEqual([first.entry, second.entry], ['recorded', 'recorded']);
      assert.deepEqual(await waiting(store, 'c'), ['a', 'b', 'c']);
    },
  ],
  [
    'a save is never taken for another of the same revision: the second is refused, and so is its repeat',
    async ({ store }) => {
      const by = await begin(store, 'c', 'a');
      const mine = finishing('c', by, { document: 'mine', history: ['mine'] }, next());
      const other = finishing('c', by, { document: 'other', history: ['other'] }, next());
      await saved(store, mine);
      for (let i = 0; i < 2; i += 1) assert.deepEqual(await store.save(other), { type: 'refused' });
      const again = await begin(store, 'c', 'b');
      assert.deepEqual(await store.save(other), { type: 'refused' });
      assert.deepEqual([again.document, again.revision], ['mine', 1]);
      assert.deepEqual((await store.history('c', { limit: 9 })).items, ['mine']);
      await saved(store, finishing('c', again));
    },
  ],
];
