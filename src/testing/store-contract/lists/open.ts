/**
 * The stories of open asks and parked work: found by id, and listed over all conversations.
 */
import assert from 'node:assert/strict';
import { askId, begin, hold, type StoreStory, saved, saving, turn } from '../kit.js';
import type { Store } from '../texts.js';

const nothing = { opened: [], settled: [] };

/** All pages of a list, with `between` done after each. */
async function pages(
  store: Store,
  what: 'open' | 'parked',
  limit: number,
  between = async () => {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined, page = 0; page < 1000; page++) {
    const got = await store.list(what, { limit, ...(cursor !== undefined && { cursor }) });
    assert.ok(got.items.length <= limit);
    ids.push(...got.items.map(({ id }) => id));
    cursor = got.cursor;
    if (cursor === undefined) return ids;
    await between();
  }
  throw new Error('the pages of a list never end');
}

export const openStories: readonly StoreStory[] = [
  [
    'an open ask is found and listed with its conversation until it is settled, then its record is found',
    async ({ store }) => {
      const id = askId('c', 'a');
      assert.equal(await store.find(id), null);
      await turn(store, 'c', { open: true, asks: { opened: [{ id, at: 17 }], settled: [] } });
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
      assert.deepEqual((await store.list('open', { limit: 10 })).items, [{ id, conversationId: 'c', at: 17 }]);
      assert.deepEqual((await store.list('parked', { limit: 10 })).items, []);

      await turn(store, 'c', { asks: { opened: [], settled: [{ id, record: '{"answer":"yes"}', at: 1 }] } });
      assert.deepEqual(await store.find(id), { record: '{"answer":"yes"}' });
      assert.deepEqual(await store.list('open', { limit: 10 }), { items: [] });
    },
  ],
  [
    'an ask that is opened under the id of one that is over is the open one',
    async ({ store }) => {
      const id = askId('c', 'again');
      await turn(store, 'c', { asks: { opened: [{ id, at: 1 }], settled: [{ id, record: 'over', at: 1 }] } });
      assert.deepEqual(await store.find(id), { record: 'over' });
      await turn(store, 'c', { open: true, asks: { opened: [{ id, at: 2 }], settled: [] } });
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
    },
  ],
  [
    'an ask that is opened and settled in one save is settled',
    async ({ store }) => {
      const id = askId('c', 'a');
      await turn(store, 'c', { asks: { opened: [{ id, at: 1 }], settled: [{ id, record: 'r', at: 1 }] } });
      assert.deepEqual(await store.find(id), { record: 'r' });
      assert.deepEqual((await store.list('open', { limit: 10 })).items, []);
    },
  ],
  [
    'asks of a save inside the turn are found before the turn is over',
    async ({ store }) => {
      const id = askId('c', 'a');
      const by = await begin(store, 'c');
      await saved(store, saving('c', by, { asks: { opened: [{ id, at: 1 }], settled: [] } }, hold));
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
    },
  ],
  [
    'parked work is found and listed until it is taken off the list',
    async ({ store }) => {
      const id = askId('c', 'parked');
      await turn(store, 'c', { open: true, parked: { added: [{ id, at: 5 }], removed: [] } });
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
      assert.deepEqual((await store.list('parked', { limit: 10 })).items, [{ id, conversationId: 'c', at: 5 }]);
      assert.deepEqual((await store.list('open', { limit: 10 })).items, []);
      await turn(store, 'c', { parked: { added: [], removed: [id] } });
      assert.equal(await store.find(id), null);
      assert.deepEqual((await store.list('parked', { limit: 10 })).items, []);
    },
  ],
  [
    'open asks of many conversations come by time and id, on pages that neither repeat nor leave out',
    async ({ store }) => {
      const expected: { id: string; at: number }[] = [];
      for (let i = 0; i < 40; i++) {
        const conversationId = `conversation ${i}`;
        // times that are equal for some, and do not rise with the order of saving
        const opened = [0, 1].map((n) => ({ id: askId(conversationId, `${n}`), at: 1000 + ((i * 7) % 10) * 100 + n }));
        await turn(store, conversationId, { open: true, asks: { opened, settled: [] } });
        expected.push(...opened);
      }
      const order = expected.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
      for (const limit of [1, 7, 80, 1000]) assert.deepEqual(await pages(store, 'open', limit), order);
    },
  ],
  [
    'pages of a list stay in order while asks are settled and opened around them',
    async ({ store }) => {
      const ids: string[] = [];
      for (let i = 0; i < 12; i++) {
        const id = askId(`c${i}`, 'a');
        ids.push(id);
        await turn(store, `c${i}`, { open: true, asks: { opened: [{ id, at: i * 10 }], settled: [] } });
      }
      let page = 0;
      const seen = await pages(store, 'open', 4, async () => {
        page += 1;
        if (page !== 1) return;
        const settle = (i: number) => ({ ...nothing, settled: [{ id: ids[i] as string, record: 'r', at: 1 }] });
        await turn(store, 'c1', { asks: settle(1) }); // seen already
        await turn(store, 'c3', { asks: settle(3) }); // the one the cursor stands on
        await turn(store, 'c6', { asks: settle(6) }); // still to come
        await turn(store, 'c0', { asks: { opened: [{ id: askId('c0', 'early'), at: 5 }], settled: [] } });
      });
      assert.deepEqual(
        seen,
        ids.filter((_, i) => i !== 6),
      );
    },
  ],
];
