/**
 * The stories of a `take` that predecides: a document that is written with the claim of the entry that makes it.
 */
import assert from 'node:assert/strict';
import {
  askId,
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
import type { Claim, Predecide, Store, Taken } from './texts.js';

/** A conversation with an open ask; says its revision. */
async function asked(store: Store, document = 'open', due: number | null = null): Promise<number> {
  const { revision } = await turn(store, 'c', { document, open: true, due });
  return revision + 1;
}

/** What the entry makes of an open ask. Every other document is left to the work. */
const decided = { document: 'decided', changed: [] };
const predecide: Predecide = (document) => (document === 'open' ? decided : undefined);

async function checkUnwritten(store: Store, { claim: got }: Taken, at: number): Promise<void> {
  const { revision, document } = await read(store, 'c');
  assert.deepEqual([revision, document], [at, 'open']);
  if (got !== undefined) assert.deepEqual([got.revision, got.document], [at, 'open']);
}

export const predecidedStories: readonly StoreStory[] = [
  [
    'what an entry makes of the document is written with the claim of that entry',
    async ({ store }) => {
      const at = await asked(store);
      const call = taking('c', { entry: entry('e'), predecide });
      const { entry: said, claim: got, now } = await store.take(call);
      assert.equal(said, 'recorded');
      assert.ok(got);
      assert.deepEqual(got.entry, { id: 'e', at: now, data: 'data of e', revision: at });
      assert.deepEqual(
        [got.turn, got.attempt, got.strikes, got.revision, got.document],
        [call.turn, 1, 1, at + 1, 'decided'],
      );
      const state = await read(store, 'c');
      assert.deepEqual([state.revision, state.document, state.held], [at + 1, 'decided', true]);
      const after = await saved(store, finishing('c', got, { document: 'over' }));
      assert.equal(after.revision, at + 2);
      assert.equal((await read(store, 'c')).document, 'over');
    },
  ],
  [
    'predecide is asked with the document as it is, and the time at which the entry is recorded',
    async ({ store }) => {
      await asked(store, 'open é😀 \0 "');
      const found: [string, number][] = [];
      const got = await claim(store, 'c', { entry: entry('e'), predecide: (...each) => void found.push(each) });
      assert.deepEqual(found.at(-1), ['open é😀 \0 "', got.entry?.at]);
    },
  ],
  [
    'where predecide says nothing, nothing is written, and the claim has the document as it was',
    async ({ store }) => {
      const at = await asked(store);
      const taken = await store.take(taking('c', { entry: entry('e'), predecide: () => undefined }));
      assert.equal(taken.claim?.entry?.id, 'e');
      await checkUnwritten(store, taken, at);
    },
  ],
  [
    'a repeated save after it returns the revision that it made itself',
    async ({ store }) => {
      const by = await begin(store, 'c');
      const call = finishing('c', by, { document: 'open', open: true });
      const first = await saved(store, call);
      assert.equal((await claim(store, 'c', { entry: entry('e'), predecide })).revision, first.revision + 1);
      assert.deepEqual(timeless(await saved(store, call)), timeless(first));
    },
  ],
  [
    'what is predecided may have any length, also where the document was short',
    async ({ store }) => {
      for (const document of ['short', 'x'.repeat(70_000), 'y'.repeat(5_000), '', 'é😀']) {
        const by = await begin(store, 'c');
        await saved(store, finishing('c', by, { document: 'open', open: true }));
        const got = await claim(store, 'c', {
          entry: entry(document.slice(0, 9)),
          predecide: () => ({ document, changed: [] }),
        });
        assert.equal(got.document, document);
        assert.equal((await read(store, 'c')).document, document);
        await saved(store, finishing('c', got, { open: true }));
      }
    },
  ],
  [
    'a long document is predecided whole or not at all',
    async ({ store }) => {
      const open = 'z'.repeat(70_000);
      const at = await asked(store, open);
      const got = await claim(store, 'c', {
        entry: entry('e'),
        predecide: (document) => (document === open ? decided : { document: 'cut off', changed: [] }),
      });
      assert.ok(
        (got.revision === at + 1 && got.document === 'decided') || (got.revision === at && got.document === open),
      );
      assert.equal((await read(store, 'c')).document, got.document);
    },
  ],
  [
    'a repeated take that predecided gets the same answer, and writes nothing twice',
    async ({ store }) => {
      await asked(store);
      const call = taking('c', { entry: entry('e'), predecide });
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
    'an ask that is decided so is told to whoever reads the changes',
    async ({ store }) => {
      await asked(store, 'open');
      const { cursor } = await store.changes({ limit: 10 });
      const changed = [askId('c', 'a')];
      const call = taking('c', { entry: entry('e'), predecide: () => ({ document: 'decided', changed }) });
      await store.take(call);
      const told = await store.changes({ limit: 10, cursor });
      assert.deepEqual(
        told.items.map(({ id }) => id),
        changed,
      );
      await store.take(call);
      assert.deepEqual((await store.changes({ limit: 10, cursor: told.cursor })).items, []);
    },
  ],
  [
    'a conversation without a document is not predecided',
    async ({ store }) => {
      const call = taking('new', { entry: entry('e'), predecide: () => decided });
      assert.deepEqual((await claim(store, 'new', call)).document, null);
    },
  ],
  [
    'nothing is predecided while somebody else holds the conversation, or without a claim',
    async ({ store }) => {
      const at = await asked(store);
      await checkUnwritten(store, await store.take(taking('c', { lease: 0, entry: entry('e1'), predecide })), at);
      await claim(store, 'c');
      const taken = await store.take(taking('c', { entry: entry('e2'), predecide }));
      assert.deepEqual([taken.entry, taken.claim], ['recorded', undefined]);
      await checkUnwritten(store, taken, at);
    },
  ],
  [
    'nothing is predecided for an entry behind others in the queue',
    async ({ store }) => {
      const at = await asked(store);
      await record(store, 'c', 'e1');
      const taken = await store.take(taking('c', { entry: entry('e2'), predecide }));
      assert.equal(taken.claim?.entry?.id, 'e1');
      await checkUnwritten(store, taken, at);
    },
  ],
  [
    'nothing is predecided for an entry that was recorded before, or is full',
    async ({ store }) => {
      const at = await asked(store);
      const full = await store.take(taking('c', { entry: entry('e0', { room: 0 }), predecide }));
      assert.equal(full.entry, 'full');
      await checkUnwritten(store, full, at);
      await record(store, 'c', 'e1');
      const taken = await store.take(taking('c', { entry: entry('e1'), predecide }));
      assert.deepEqual([taken.entry, taken.claim?.entry?.id], ['repeat', 'e1']);
      await checkUnwritten(store, taken, at);
    },
  ],
  [
    'nothing is predecided for work that begins again, under its old id or after a failure',
    async ({ store }) => {
      const at = await asked(store);
      const own = await store.take(taking('c', { entry: entry('e1', { turn: 'old' }), predecide }));
      assert.equal(own.claim?.turn, 'old');
      await checkUnwritten(store, own, at);
      const { revision } = await saved(store, saving('c', own.claim as Claim, {}, release()));
      const again = await store.take(taking('c', { entry: entry('e2'), predecide }));
      assert.deepEqual([again.claim?.attempt, again.claim?.entry?.id], [2, 'e1']);
      await checkUnwritten(store, again, revision);
    },
  ],
  [
    'nothing is predecided once the due time has come, and what is due comes first',
    async ({ store, pass }) => {
      const { now } = await begin(store, 'another');
      const at = await asked(store, 'open', now + short);
      await pass(later);
      const taken = await store.take(taking('c', { entry: entry('e'), predecide }));
      assert.ok(taken.claim);
      await checkUnwritten(store, taken, at);
    },
  ],
  [
    'what is predecided before the due time leaves the due time as it is',
    async ({ store }) => {
      const { now } = await begin(store, 'another');
      await asked(store, 'open', now + long);
      const got = await claim(store, 'c', { entry: entry('e'), predecide });
      assert.equal(got.document, 'decided');
      const { next: after } = await saved(store, finishing('c', got, { outputs: [out('k')] }, next()));
      assert.equal(after, undefined);
      assert.deepEqual([(await read(store, 'c')).document, (await read(store, 'c')).held], ['decided', false]);
    },
  ],
];
