/**
 * The stories of settled asks: found by id, listed under their conversation, and over all conversations by the time of the decision.
 */
import assert from 'node:assert/strict';
import { askId, later, long, read, type SaveChanges, type StoreStory, short, turn } from '../kit.js';
import type { SettledPage, Store } from '../texts.js';

/** A turn that settles an ask of this conversation, decided at `at`. */
async function settle(store: Store, conversationId: string, name: string, at: number, more: SaveChanges = {}) {
  const id = askId(conversationId, name);
  const settled = [{ id, record: `record of ${name}`, at }];
  await turn(store, conversationId, { asks: { opened: [], settled }, ...more });
  return { id, at, record: `record of ${name}` };
}

/** All pages of settled asks, in order. */
async function listed(store: Store, page: Partial<SettledPage> = {}): Promise<string[]> {
  const names: string[] = [];
  let { cursor, ...rest } = page;
  for (let i = 0; i < 1_000; i += 1) {
    const got = await store.settled({ limit: 100, ...rest, ...(cursor !== undefined && { cursor }) });
    assert.ok(got.items.length <= (page.limit ?? 100));
    names.push(...got.items.map(({ record }) => record.replace('record of ', '')));
    cursor = got.cursor;
    if (cursor === undefined) return names;
  }
  throw new Error('the pages of settled asks never end');
}

export const settledStories: readonly StoreStory[] = [
  [
    'settled asks are found and listed for their retention, however much of the history is dropped',
    async ({ store, pass }) => {
      const ids = ['a', 'b', 'c', 'd'].map((name) => askId('c', name));
      for (const id of ids) {
        const settled = [{ id, record: `record of ${id}`, at: 1 }];
        await turn(store, 'c', { asks: { opened: [], settled }, history: ['x', 'y'], historyLimit: 1, open: true });
      }
      assert.deepEqual([...(await store.settledAsks('c'))].sort(), [...ids].sort());
      for (const id of ids) assert.deepEqual(await store.find(id), { record: `record of ${id}` });
      assert.deepEqual(await store.settledAsks('d'), []);

      const brief = askId('e', 'brief');
      const kept = askId('e', 'kept');
      for (const [id, retention] of [
        [kept, long],
        [brief, short],
      ] as const) {
        const settled = [{ id, record: 'r', at: 1 }];
        await turn(store, 'e', {
          asks: { opened: [], settled },
          history: ['x'],
          historyLimit: 1,
          retention,
          open: true,
        });
      }
      await pass(later);
      assert.deepEqual(await store.settledAsks('e'), [kept], 'a shorter retention of another ask changes nothing');
      await turn(store, 'e', { history: ['y'], historyLimit: 1, open: true });
      assert.deepEqual(await store.settledAsks('e'), [kept]);
      assert.deepEqual(await store.find(kept), { record: 'r' });
    },
  ],
  [
    'settled asks of all conversations are listed with their records, the last decision first, on pages that neither repeat nor leave out',
    async ({ store }) => {
      const all: { id: string; at: number; record: string }[] = [];
      for (let i = 0; i < 40; i += 1) {
        // times that are equal for some, and do not rise with the order of saving
        all.push(await settle(store, `conversation ${i % 30}`, `${i}`, 1_000 + ((i * 7) % 10) * 100));
      }
      const ordered = all.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
      const names = ordered.map(({ record }) => record.replace('record of ', ''));
      for (const limit of [1, 7, 40, 1_000]) assert.deepEqual(await listed(store, { limit }), names);
      assert.deepEqual((await store.settled({ limit: 1 })).items, ordered.slice(0, 1));
      assert.deepEqual(await store.settled({ limit: 0 }), { items: [] });
      assert.deepEqual(await store.list('open', { limit: 9 }), { items: [] });
    },
  ],
  [
    'settled asks are listed from a time on, before a time, and of one conversation',
    async ({ store }) => {
      for (const [i, name] of ['a', 'b', 'c', 'd', 'e'].entries()) await settle(store, `c${i % 2}`, name, 10 * (i + 1));
      assert.deepEqual(await listed(store, { since: 30 }), ['e', 'd', 'c']);
      assert.deepEqual(await listed(store, { until: 30 }), ['b', 'a']);
      for (const limit of [1, 2, 9]) {
        assert.deepEqual(await listed(store, { since: 20, until: 50, limit }), ['d', 'c', 'b']);
        assert.deepEqual(await listed(store, { conversationId: 'c0', limit }), ['e', 'c', 'a']);
        assert.deepEqual(await listed(store, { conversationId: 'c0', since: 11, until: 50, limit }), ['c']);
      }
      assert.deepEqual(await listed(store, { conversationId: 'nobody' }), []);
      assert.deepEqual(await listed(store, { since: 51 }), []);
    },
  ],
  [
    'pages of settled asks stay in order while others are settled',
    async ({ store }) => {
      for (const [i, name] of ['a', 'b', 'c', 'd'].entries()) await settle(store, `c${i}`, name, 10 * (i + 1));
      const { cursor = '' } = await store.settled({ limit: 2 });
      await settle(store, 'c9', 'later', 99);
      await settle(store, 'c9', 'between', 15);
      assert.deepEqual(await listed(store, { cursor }), ['b', 'between', 'a']);
    },
  ],
  [
    'an ask that is settled again is listed once, as it was settled last',
    async ({ store }) => {
      const { id } = await settle(store, 'c', 'a', 10);
      const settled = [{ id, record: 'record of a again', at: 10 }];
      await turn(store, 'c', { asks: { opened: [], settled }, retention: 2 * long });
      assert.deepEqual(await listed(store), ['a again']);
      assert.deepEqual(await listed(store, { conversationId: 'c' }), ['a again']);
    },
  ],
  [
    'a settled ask is listed for its retention, whatever that of others is',
    async ({ store, pass }) => {
      for (const [i, retention] of [long, short, long, short].entries())
        await settle(store, 'c', `${i}`, 10 * (i + 1), { retention, open: true });
      await settle(store, 'gone', 'gone', 50, { retention: short });
      await pass(later);
      assert.deepEqual(await listed(store), ['2', '0']);
      assert.deepEqual(await listed(store, { conversationId: 'c' }), ['2', '0']);
      await settle(store, 'c', 'new', 60, { open: true });
      assert.deepEqual(await listed(store, { limit: 1 }), ['new', '2', '0']);
    },
  ],
  [
    'an erased conversation leaves nothing among the settled asks, and its tombstones are not listed',
    async ({ store }) => {
      const { id } = await settle(store, 'c', 'a', 10);
      await settle(store, 'd', 'b', 20);
      const { incarnation, revision } = await read(store, 'c');
      const asks = [{ id, tombstone: 'erased' }];
      const gone = { conversationId: 'c', incarnation, revision, asks, parked: [], retention: long };
      assert.equal(await store.erase(gone), true);
      assert.deepEqual(await listed(store), ['b']);
      assert.deepEqual(await listed(store, { conversationId: 'c' }), []);
      await settle(store, 'c', 'c', 30);
      assert.deepEqual(await listed(store), ['c', 'b'], 'the next life of the conversation is listed');
    },
  ],
];
