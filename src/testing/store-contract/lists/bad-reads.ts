/**
 * The stories of reads that lead nowhere, or are none: ids, limits and cursors.
 */
import assert from 'node:assert/strict';
import type { AgentError } from '../../../core/errors.js';
import { askId, begin, finishing, out, type StoreStory, saved, taking, turn } from '../kit.js';
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
    'an id that is no string is refused by its name, wherever it is given, and nothing is read or written',
    async ({ store }) => {
      await turn(store, 'c', { history: ['1'] });
      for (const wrong of [undefined, null, 5, 10n, {}, ['c']] as unknown as readonly string[]) {
        const page = { limit: 1 };
        const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
          ['conversationId', () => store.conversation(wrong)],
          ['conversationId', () => store.outcome(wrong, 'e')],
          ['entryId', () => store.outcome('c', wrong)],
          ['id', () => store.find(wrong)],
          ['conversationId', () => store.settledAsks(wrong)],
          ['conversationId', () => store.history(wrong, page)],
          ['participantId', () => store.conversationsOf(wrong)],
          ['conversationId', () => store.sentAs(wrong, 'a')],
          ['name', () => store.sentAs('c', wrong)],
          ['what', () => store.list(wrong as 'open', page)],
          ['holds[].conversationId', () => store.renew([{ conversationId: wrong, token: 't' }], 1)],
          ['holds[].token', () => store.renew([{ conversationId: 'c', token: wrong }], 1)],
          ['conversationId', () => store.take(taking(wrong))],
        ];
        for (const [name, call] of calls) {
          await assert.rejects(call(), (error: AgentError) => {
            assert.equal(error.code, 'bad-option');
            assert.ok(error.message.startsWith(`${name} must be `), `${name}: ${error.message}`);
            return true;
          });
        }
        if (wrong === undefined) continue; // no cursor: the first page
        const refused = { code: 'bad-option', message: /^cursor .* is none\./ };
        await assert.rejects(store.list('open', { limit: 1, cursor: wrong }), refused);
        await assert.rejects(store.settled({ limit: 1, cursor: wrong }), refused);
        await assert.rejects(store.history('c', { limit: 1, cursor: wrong }), refused);
      }
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
        await assert.rejects(store.settled({ limit: 1, since: limit }), refused);
        await assert.rejects(store.settled({ limit: 1, until: limit }), refused);
        await assert.rejects(store.history('c', { limit }), refused);
      }
      for (const cursor of ['', 'x', 'x:1', '-1', '-1:x', 'NaN:x', '1e9', ' 1', '0x1']) {
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
