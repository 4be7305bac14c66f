/**
 * The stories of a predecided `take`: a document that is written with the claim if revision and incarnation are as expected.
 */
import assert from 'node:assert/strict';
import type { Claim, Predecided, Store, Taken } from '../../stores/port.js';
import {
  begin,
  claim,
  entry,
  finishing,
  later,
  long,
  next,
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
} from './kit.js';

/** A conversation with an open ask, and the document that its next entry will make. */
async function asked(store: Store, document = 'open', due: number | null = null): Promise<Predecided> {
  const { incarnation, revision } = await turn(store, 'c', { document, open: true, due });
  return { incarnation, revision: revision + 1, document: 'decided' };
}

async function checkUnwritten(store: Store, { claim: got }: Taken, known: Predecided): Promise<void> {
  const { revision, document } = await read(store, 'c');
  assert.deepEqual([revision, document], [known.revision, 'open']);
  if (got !== undefined) assert.deepEqual([got.revision, got.document], [known.revision, 'open']);
}

export const predecidedStories: readonly StoreStory[] = [
  [
    'a predecided document is written with the claim of its entry',
    async ({ store }) => {
      const predecided = await asked(store);
      const call = taking('c', { entry: entry('e'), predecided });
      const { entry: said, claim: got, now } = await store.take(call);
      assert.equal(said, 'recorded');
      assert.ok(got);
      assert.deepEqual(got.entry, { id: 'e', at: now, data: 'data of e' });
      assert.deepEqual(
        [got.turn, got.attempt, got.strikes, got.revision, got.document, got.incarnation],
        [call.turn, 1, 1, predecided.revision + 1, 'decided', predecided.incarnation],
      );
      const state = await read(store, 'c');
      assert.deepEqual([state.revision, state.document, state.held], [predecided.revision + 1, 'decided', true]);
      const after = await saved(store, finishing('c', got, { document: 'over' }));
      assert.equal(after.revision, predecided.revision + 2);
      assert.equal((await read(store, 'c')).document, 'over');
    },
  ],
  [
    'a repeated save after it returns the revision that it made itself',
    async ({ store }) => {
      const by = await begin(store, 'c');
      const call = finishing('c', by, { document: 'open', open: true });
      const first = await saved(store, call);
      const predecided = { incarnation: by.incarnation, revision: first.revision, document: 'decided' };
      assert.equal((await claim(store, 'c', { entry: entry('e'), predecided })).revision, first.revision + 1);
      assert.deepEqual(timeless(await saved(store, call)), timeless(first));
    },
  ],
  [
    'documents of any length are predecided, whatever was there before',
    async ({ store }) => {
      const texts = ['short', 'x'.repeat(70_000), 'short again', 'y'.repeat(5_000), '', 'é😀'];
      let predecided: Predecided = { ...(await asked(store)), document: texts[0] as string };
      for (const [i, document] of texts.entries()) {
        const got = await claim(store, 'c', { entry: entry(`e${i}`), predecided: { ...predecided, document } });
        assert.equal(got.document, document);
        assert.equal((await read(store, 'c')).document, document);
        const { revision } = await saved(store, finishing('c', got, { open: true }, release()));
        predecided = { ...predecided, revision };
      }
    },
  ],
  [
    'a repeated take with a predecided document gets the same answer, and writes nothing twice',
    async ({ store }) => {
      const call = taking('c', { entry: entry('e'), predecided: await asked(store) });
      const first = await store.take(call);
      const before = timeless(await read(store, 'c'));
      const again = await store.take(call);
      assert.deepEqual([again.entry, timeless(again.claim)], ['recorded', timeless(first.claim)]);
      assert.deepEqual(timeless(await read(store, 'c')), before);
      const held = await saved(store, saving('c', first.claim as Claim, { document: 'further' }, { type: 'hold' }));
      const late = await store.take(call);
      assert.deepEqual([late.claim?.revision, late.claim?.document], [held.revision, 'further']);
    },
  ],
  [
    'a document that was predecided for another revision is not written',
    async ({ store }) => {
      let known = await asked(store);
      for (const off of [-1, 1]) {
        const predecided = { ...known, revision: known.revision + off };
        const taken = await store.take(taking('c', { entry: entry(`e${off}`), predecided }));
        assert.ok(taken.claim);
        await checkUnwritten(store, taken, known);
        const { revision } = await saved(store, finishing('c', taken.claim, {}, release()));
        known = { ...known, revision };
      }
    },
  ],
  [
    'a document that was predecided for another incarnation of the conversation is not written',
    async ({ store }) => {
      const predecided = { ...(await asked(store)), incarnation: 'another' };
      const taken = await store.take(taking('c', { entry: entry('e'), predecided }));
      assert.ok(taken.claim);
      await checkUnwritten(store, taken, predecided);
      const first = taking('new', { entry: entry('e'), predecided: { ...predecided, revision: 0 } });
      assert.deepEqual((await claim(store, 'new', first)).document, null);
    },
  ],
  [
    'nothing predecided is written while somebody else holds the conversation, or without a claim',
    async ({ store }) => {
      const predecided = await asked(store);
      await checkUnwritten(
        store,
        await store.take(taking('c', { lease: 0, entry: entry('e1'), predecided })),
        predecided,
      );
      await claim(store, 'c');
      const taken = await store.take(taking('c', { entry: entry('e2'), predecided }));
      assert.deepEqual([taken.entry, taken.claim], ['recorded', undefined]);
      await checkUnwritten(store, taken, predecided);
    },
  ],
  [
    'nothing predecided is written for an entry behind others in the queue',
    async ({ store }) => {
      const predecided = await asked(store);
      await record(store, 'c', 'e1');
      const taken = await store.take(taking('c', { entry: entry('e2'), predecided }));
      assert.equal(taken.claim?.entry?.id, 'e1');
      await checkUnwritten(store, taken, predecided);
    },
  ],
  [
    'nothing predecided is written for an entry that was recorded before, or is full',
    async ({ store }) => {
      const predecided = await asked(store);
      const full = await store.take(taking('c', { entry: entry('e0', { room: 0 }), predecided }));
      assert.equal(full.entry, 'full');
      await checkUnwritten(store, full, predecided);
      await record(store, 'c', 'e1');
      const taken = await store.take(taking('c', { entry: entry('e1'), predecided }));
      assert.deepEqual([taken.entry, taken.claim?.entry?.id], ['repeat', 'e1']);
      await checkUnwritten(store, taken, predecided);
    },
  ],
  [
    'nothing predecided is written for work that begins again, under its old id or after a failure',
    async ({ store }) => {
      const predecided = await asked(store);
      const own = await store.take(taking('c', { entry: entry('e1', { turn: 'old' }), predecided }));
      assert.equal(own.claim?.turn, 'old');
      await checkUnwritten(store, own, predecided);
      const { revision } = await saved(store, saving('c', own.claim as Claim, {}, release()));
      const again = await store.take(taking('c', { entry: entry('e2'), predecided: { ...predecided, revision } }));
      assert.deepEqual([again.claim?.attempt, again.claim?.entry?.id], [2, 'e1']);
      await checkUnwritten(store, again, { ...predecided, revision });
    },
  ],
  [
    'nothing predecided is written once the due time has come, and what is due comes first',
    async ({ store, pass }) => {
      const { now } = await begin(store, 'another');
      const predecided = await asked(store, 'open', now + short);
      await pass(later);
      const taken = await store.take(taking('c', { entry: entry('e'), predecided }));
      assert.ok(taken.claim);
      await checkUnwritten(store, taken, predecided);
    },
  ],
  [
    'what is predecided before the due time leaves the due time as it is',
    async ({ store }) => {
      const { now } = await begin(store, 'another');
      const predecided = await asked(store, 'open', now + long);
      const got = await claim(store, 'c', { entry: entry('e'), predecided });
      assert.equal(got.document, 'decided');
      const { next: after } = await saved(store, finishing('c', got, { outputs: [out('k')] }, next()));
      assert.equal(after, undefined);
      assert.deepEqual([(await read(store, 'c')).document, (await read(store, 'c')).held], ['decided', false]);
    },
  ],
];
