/**
 * The stories of reads that lead nowhere, and of limits and cursors that are none: they may come from outside.
 */
import assert from 'node:assert/strict';
import { askId, begin, finishing, out, type StoreStory, saved, turn } from '../kit.js';
import type { Store } from '../texts.js';

export const badReadStories: readonly StoreStory[] = [
  [
    'ids that lead nowhere find nothing',
    async ({ store }) => {
      for (const id of ['', 'x', '*', askId('c', 'never asked'), 'ffffffff-ffff-8fff-8fff-ffffffffffff']) {
        assert.equal(await store.find(id), null);
      }
      assert.equal(await store.outcome('c', 'e'), null);
      await finishingTurnLeavesOthersAlone(store);
    },
  ],
  [
    'a limit that is none and a cursor that no page gave are refused; a limit of 0 gives nothing',
    async ({ store }) => {
      await turn(store, 'c', {
        history: ['1'],
        asks: { opened: [{ id: askId('c', 'a'), at: 1 }], settled: [] },
        outputs: [out('k')],
        sendLease: 0,
      });
      const refused = { code: 'bad-option' };
      for (const limit of [-1, Number.NaN]) {
        await assert.rejects(store.due(limit), refused);
        await assert.rejects(store.unsent({ channels: ['web'], limit, sendLease: 1 }), refused);
        await assert.rejects(store.list('open', { limit }), refused);
        await assert.rejects(store.settled({ limit }), refused);
        await assert.rejects(store.history('c', { limit }), refused);
      }
      const noStrings = [null, 5, 10n, {}, ['c']] as unknown as readonly string[];
      for (const cursor of ['', 'x', 'x:1', '-1', '-1:x', 'NaN:x', '1e9', ' 1', '0x1', ...noStrings]) {
        await assert.rejects(store.list('open', { limit: 1, cursor }), refused);
        await assert.rejects(store.settled({ limit: 1, cursor }), refused);
        await assert.rejects(store.history('c', { limit: 1, cursor }), refused);
      }
      assert.deepEqual((await store.due(0)).conversations, []);
      assert.deepEqual(await store.unsent({ channels: ['web'], limit: 0, sendLease: 1 }), []);
      assert.deepEqual(await store.list('open', { limit: 0 }), { items: [] });
      assert.deepEqual((await store.history('c', { limit: 0 })).items, []);
      assert.equal((await store.list('open', { limit: Number.POSITIVE_INFINITY })).items.length, 1);
    },
  ],
];

async function finishingTurnLeavesOthersAlone(store: Store): Promise<void> {
  const by = await begin(store, 'c', 'e');
  await saved(store, finishing('c', by));
  assert.equal(await store.outcome('d', 'e'), null);
  assert.equal(await store.outcome('c', 'f'), null);
}
