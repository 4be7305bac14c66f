/**
 * The stories of people: in which conversations somebody takes part.
 */
import assert from 'node:assert/strict';
import { later, long, read, record, type StoreStory, short, turn } from '../kit.js';
import type { Store } from '../texts.js';

const crowd = Array.from({ length: 40 }, (_, i) => `person ${i}`);

async function checkFound(store: Store, people: readonly string[], expected: readonly string[]): Promise<void> {
  for (const person of people) assert.deepEqual([person, await store.conversationsOf(person)], [person, expected]);
}

async function erase(store: Store, conversationId: string): Promise<void> {
  const { incarnation, revision } = await read(store, conversationId);
  const call = { conversationId, incarnation, revision, asks: [], parked: [], retention: long };
  assert.equal(await store.erase(call), true);
}

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
      await erase(store, 'c');
      for (const person of ['ann', 'bob']) assert.deepEqual(await store.conversationsOf(person), []);
    },
  ],
  [
    'everybody is found in a conversation of many people, however they came, and nobody after an erase',
    async ({ store }) => {
      const [written, working] = [crowd.slice(0, 20), crowd.slice(20)];
      for (const [i, person] of written.entries()) await record(store, 'c', `m${i}`, { person });
      await checkFound(store, written, ['c']);
      for (const person of working) await turn(store, 'd', { people: [person, 'person 20'] });
      await checkFound(store, working, ['d']);
      await turn(store, 'd', { people: [...crowd] });
      await checkFound(store, written, ['c', 'd']);
      await erase(store, 'd');
      await checkFound(store, written, ['c']);
      await checkFound(store, working, []);
    },
  ],
  [
    'many people are found as long as their conversation is kept, however old what they wrote is',
    async ({ store, pass }) => {
      const brief = { retention: short, dedupeWindow: short };
      await turn(store, 'c', { ...brief, people: [...crowd], open: true });
      await pass(4 * later);
      await turn(store, 'c', { open: true });
      await checkFound(store, crowd, ['c']);
      await turn(store, 'c', { open: false });
      await checkFound(store, crowd, ['c']);
    },
  ],
  [
    'a conversation of many people is looked at in time while something waits in it, and never once it is over',
    async ({ store, pass }) => {
      const brief = { retention: short, dedupeWindow: short };
      await turn(store, 'c', { ...brief, people: [...crowd], open: true });
      await turn(store, 'few', { ...brief, people: ['ann'], open: true });
      await pass(later);
      assert.deepEqual((await store.due(10)).conversations, ['c']);
      await turn(store, 'c', { ...brief, open: false, retention: long });
      await turn(store, 'few', { ...brief, open: false });
      await pass(later);
      assert.deepEqual((await store.due(10)).conversations, []);
      assert.equal(await store.conversation('few'), null);
    },
  ],
];
