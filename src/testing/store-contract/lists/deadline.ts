/**
 * The stories of open asks by deadline: the soonest first, then those without one, oldest first.
 */
import assert from 'node:assert/strict';
import { askId, type StoreStory, turn } from '../kit.js';
import type { Store } from '../texts.js';

/** Opens an ask in a conversation of its own; says its id. */
async function opened(store: Store, name: string, at: number, deadline?: number): Promise<string> {
  const id = askId(name, 'a');
  const ask = deadline === undefined ? { id, at } : { id, at, deadline };
  await turn(store, name, { open: true, asks: { opened: [ask] } });
  return id;
}

async function settle(store: Store, name: string): Promise<void> {
  await turn(store, name, { open: false, asks: { settled: [{ id: askId(name, 'a'), record: 'r', at: 1 }] } });
}

/** All pages of the list, with `between` done after each. */
async function pages(store: Store, limit: number, between = async () => {}): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined, page = 0; page < 100; page += 1) {
    const got = await store.list('deadline', { limit, ...(cursor !== undefined && { cursor }) });
    assert.ok(got.items.length <= limit);
    names.push(...got.items.map(({ conversationId }) => conversationId));
    cursor = got.cursor;
    if (cursor === undefined) return names;
    await between();
  }
  throw new Error('the pages of a list never end');
}

export const deadlineStories: readonly StoreStory[] = [
  [
    'open asks are listed by deadline, the soonest first, and those without one after them, the oldest first',
    async ({ store }) => {
      await opened(store, 'never', 1);
      await opened(store, 'late', 2, 9_000_000);
      await opened(store, 'soon', 3, 5_000);
      await opened(store, 'never either', 4);
      await opened(store, 'between', 5, 70_000);
      const { items, cursor } = await store.list('deadline', { limit: 10 });
      assert.deepEqual(
        items.map(({ id, conversationId }) => [id, conversationId]),
        ['soon', 'between', 'late', 'never', 'never either'].map((name) => [askId(name, 'a'), name]),
      );
      assert.equal(cursor, undefined);
      const open = await store.list('open', { limit: 10 });
      assert.deepEqual(
        open.items.map(({ conversationId }) => conversationId),
        ['never', 'late', 'soon', 'never either', 'between'],
      );
    },
  ],
  [
    'an ask that is settled or erased leaves the list by deadline',
    async ({ store }) => {
      await opened(store, 'settled', 1, 10);
      const erased = await opened(store, 'erased', 2, 20);
      await opened(store, 'open', 3, 30);
      await settle(store, 'settled');
      const state = await store.conversation('erased');
      assert.ok(state);
      const { incarnation, revision } = state;
      const asks = [{ id: erased, tombstone: 't' }];
      await store.erase({ conversationId: 'erased', incarnation, revision, asks, parked: [], retention: 1000 });
      assert.deepEqual(await pages(store, 1), ['open']);
    },
  ],
  [
    'pages of the list by deadline lose nothing while asks come and go between them',
    async ({ store }) => {
      const deadlines = [40, 10, undefined, 30, undefined, 20, 50, 30];
      for (const [i, deadline] of deadlines.entries()) await opened(store, `c${i}`, 100 + i, deadline);
      const expected = ['c1', 'c5', 'c3', 'c7', 'c0', 'c6', 'c2', 'c4'];
      const all = await pages(store, 100);
      assert.deepEqual(
        new Set(all.slice(2, 4)),
        new Set(['c3', 'c7']),
        'of the same deadline, in the order of their ids',
      );
      assert.deepEqual([...all.slice(0, 2), ...all.slice(4)], [...expected.slice(0, 2), ...expected.slice(4)]);
      for (const limit of [1, 2, 3]) assert.deepEqual(await pages(store, limit), all);
      let count = 0;
      const read = await pages(store, 2, async () => {
        count += 1;
        await opened(store, `first${count}`, 200, 1); // before the page that was read
        await opened(store, `last${count}`, 1000 + count);
        if (count === 1) await settle(store, 'c4');
      });
      assert.deepEqual(
        read.filter((name) => name.startsWith('c')),
        all.filter((name) => name !== 'c4'),
      );
      assert.ok(read.includes('last1'), 'what comes behind the cursor is in a later page');
      assert.ok(!read.some((name) => name.startsWith('first')));
    },
  ],
];
