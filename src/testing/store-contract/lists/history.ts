/**
 * The stories of histories: pages, limits, cursors and numbers.
 */
import assert from 'node:assert/strict';
import { begin, dice, finishing, later, long, record, type StoreStory, saved, short, turn } from '../kit.js';

export const historyStories: readonly StoreStory[] = [
  [
    'history comes back oldest first, page by page from the end, and is never mixed up between conversations',
    async ({ store }) => {
      await turn(store, 'c', { history: ['1', '2', '3'] });
      await turn(store, 'd', { history: ['other'] });
      await turn(store, 'c', { history: ['4', '5'] });
      assert.deepEqual(await store.history('c', { limit: 10 }), { items: ['1', '2', '3', '4', '5'] });
      const last = await store.history('c', { limit: 2 });
      assert.deepEqual(last.items, ['4', '5']);
      assert.ok(last.cursor !== undefined);
      await turn(store, 'c', { history: ['6'] });
      const before = await store.history('c', { limit: 2, cursor: last.cursor });
      assert.deepEqual(before.items, ['2', '3']);
      assert.ok(before.cursor !== undefined);
      assert.deepEqual(await store.history('c', { limit: 2, cursor: before.cursor }), { items: ['1'] });
      assert.deepEqual(await store.history('nobody', { limit: 2 }), { items: [] });
      assert.deepEqual(await store.history('c', { limit: 6 }), { items: ['1', '2', '3', '4', '5', '6'] });
    },
  ],
  [
    'a history keeps its limit of items, the oldest are dropped first, and pages end at the oldest that is kept',
    async ({ store }) => {
      for (let i = 0; i < 10; i += 1) await turn(store, 'c', { history: [`in ${i}`, `out ${i}`], historyLimit: 5 });
      await turn(store, 'd', { history: ['other'], historyLimit: 5 });
      assert.deepEqual(await store.history('c', { limit: 99 }), {
        items: ['out 7', 'in 8', 'out 8', 'in 9', 'out 9'],
      });
      const last = await store.history('c', { limit: 3 });
      assert.deepEqual(last.items, ['out 8', 'in 9', 'out 9']);
      assert.deepEqual(await store.history('c', { limit: 3, ...last }), { items: ['out 7', 'in 8'] });
      assert.deepEqual(await store.history('c', { limit: 2, ...last }), { items: ['out 7', 'in 8'] });
      assert.deepEqual(await store.history('d', { limit: 99 }), { items: ['other'] });
    },
  ],
  [
    'a cursor of a history stays true while items are added and dropped, and is at the end when all before it are gone',
    async ({ store }) => {
      const add = (...history: string[]) => turn(store, 'c', { history, historyLimit: 6 });
      await add('1', '2', '3', '4', '5', '6');
      const { cursor = '' } = await store.history('c', { limit: 2 });
      assert.deepEqual((await store.history('c', { limit: 2, cursor })).items, ['3', '4']);
      await add('7', '8', '9');
      assert.deepEqual(await store.history('c', { limit: 2, cursor }), { items: ['4'] });
      await add('10');
      assert.deepEqual(await store.history('c', { limit: 2, cursor }), { items: [] });
      await add('11', '12', '13', '14');
      assert.deepEqual(await store.history('c', { limit: 2, cursor }), { items: [] });
      assert.deepEqual(await store.history('c', { limit: 9 }), { items: ['9', '10', '11', '12', '13', '14'] });
    },
  ],
  [
    'a save that adds more than the limit of a history leaves the last of it, and a limit that is changed counts from then on',
    async ({ store }) => {
      const add = (historyLimit: number, ...history: string[]) => turn(store, 'c', { history, historyLimit });
      const all = async () => (await store.history('c', { limit: 99 })).items;
      await add(2, '1', '2', '3', '4');
      assert.deepEqual(await all(), ['3', '4']);
      await add(4, '5');
      assert.deepEqual(await all(), ['3', '4', '5'], 'what was dropped does not come back');
      await add(4, '6', '7');
      assert.deepEqual(await all(), ['4', '5', '6', '7']);
      await add(1);
      assert.deepEqual(await all(), ['4', '5', '6', '7'], 'nothing is added, nothing is dropped');
      await add(1, '8');
      assert.deepEqual(await store.history('c', { limit: 99 }), { items: ['8'] });
      await add(3, '9');
      const { cursor = '' } = await store.history('c', { limit: 1 });
      assert.deepEqual(await store.history('c', { limit: 9, cursor }), { items: ['8'] });
    },
  ],
  [
    'whatever is added to a history under whatever limit, its pages are the last items and every cursor leads where it did',
    async ({ store }) => {
      const roll = dice();
      const all: string[] = [];
      const cursors = new Map<string, number>();
      for (let step = 0, first = 0; step < 40; step += 1) {
        const history = Array.from({ length: roll(5) }, (_, i) => `${step}.${i}`);
        const historyLimit = 1 + roll(8);
        await turn(store, 'c', { history, historyLimit });
        all.push(...history);
        if (history.length > 0) first = Math.max(first, all.length - historyLimit);
        const limit = 1 + roll(3);
        const seen: string[] = [];
        let page = await store.history('c', { limit });
        for (;;) {
          assert.ok(page.items.length <= limit);
          seen.unshift(...page.items);
          const { cursor } = page;
          if (cursor === undefined) break;
          cursors.set(cursor, all.indexOf(page.items[0] ?? ''));
          page = await store.history('c', { limit, cursor });
        }
        assert.deepEqual(seen, all.slice(first));
        for (const [cursor, before] of cursors) {
          const { items } = await store.history('c', { limit: 99, cursor });
          assert.deepEqual(items, all.slice(first, before));
        }
      }
    },
  ],
  [
    'a history of which the oldest were dropped goes with its conversation, and the next one of the same id counts anew',
    async ({ store, pass }) => {
      const add = (retention: number, ...history: string[]) =>
        turn(store, 'c', { history, historyLimit: 2, retention });
      await add(short, '1', '2', '3', '4');
      await pass(later);
      assert.deepEqual(await store.history('c', { limit: 9 }), { items: [] });
      await add(long, '5', '6');
      assert.deepEqual(await store.history('c', { limit: 9 }), { items: ['5', '6'] });
      const { cursor = '' } = await store.history('c', { limit: 1 });
      assert.deepEqual(await store.history('c', { limit: 9, cursor }), { items: ['5'] });
    },
  ],
  [
    'a history is read on from any number, up to a limit, and tells which of it is gone',
    async ({ store }) => {
      await turn(store, 'c', { history: ['0', '1', '2'] });
      await turn(store, 'd', { history: ['other'] });
      await turn(store, 'c', { history: ['3', '4'] });
      assert.deepEqual(await store.historyFrom('c', 0, 9), { items: ['0', '1', '2', '3', '4'], first: 0 });
      assert.deepEqual(await store.historyFrom('c', 3, 1), { items: ['3'], first: 3 });
      assert.deepEqual(await store.historyFrom('c', 5, 9), { items: [], first: 5 });
      assert.deepEqual(await store.historyFrom('c', 99, 9), { items: [], first: 5 }, 'so many never were');
      assert.deepEqual(await store.historyFrom('c', 1, 0), { items: [], first: 1 });
      await turn(store, 'c', { history: ['5', '6'], historyLimit: 3 });
      assert.deepEqual(await store.historyFrom('c', 2, 9), { items: ['4', '5', '6'], first: 4 }, 'older ones are gone');
      assert.deepEqual(await store.historyFrom('nobody', 2, 9), { items: [], first: 0 });
      for (const from of [-1, 1.5, Number.NaN, '1' as unknown as number])
        await assert.rejects(store.historyFrom('c', from, 9), { code: 'bad-option' });
    },
  ],
  [
    'whoever holds a conversation is told the number that its next history item will have',
    async ({ store }) => {
      const first = await begin(store, 'c');
      assert.equal(first.historyEnd, 0);
      await record(store, 'c', 'behind');
      const { next: second } = await saved(store, finishing('c', first, { history: ['0', '1', '2'], historyLimit: 2 }));
      assert.equal(second?.historyEnd, 3, 'items keep their numbers when older ones are dropped');
    },
  ],
];
