/**
 * The stories of people: in which conversations somebody takes part.
 */
import assert from 'node:assert/strict';
import { record, type StoreStory, turn } from '../kit.js';

export const peopleStories: readonly StoreStory[] = [
  [
    'a person is found in every conversation they take part in, once each',
    async ({ store }) => {
      await turn(store, 'c', { people: ['ann', 'bob'] });
      await turn(store, 'd', { people: ['ann'] });
      await turn(store, 'c', { people: ['ann'] });
      assert.deepEqual([...(await store.conversationsOf('ann'))].sort(), ['c', 'd']);
      assert.deepEqual(await store.conversationsOf('bob'), ['c']);
      assert.deepEqual(await store.conversationsOf('nobody'), []);
    },
  ],
  [
    'the author of an entry that nobody has worked on is found, and not any more after an erase',
    async ({ store }) => {
      await record(store, 'c', 'first', { person: 'ann' });
      await record(store, 'c', 'second', { person: 'bob' });
      await record(store, 'c', 'third', { person: 'ann' });
      for (const person of ['ann', 'bob']) assert.deepEqual(await store.conversationsOf(person), ['c']);
      const state = await store.conversation('c');
      assert.ok(state);
      const { incarnation, revision } = state;
      const gone = { conversationId: 'c', incarnation, revision, asks: [], parked: [], people: [], retention: 1_000 };
      assert.equal(await store.erase(gone), true);
      for (const person of ['ann', 'bob']) assert.deepEqual(await store.conversationsOf(person), []);
    },
  ],
];
