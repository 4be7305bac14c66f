/**
 * The stories of kept values: compared and set in one step, for a time.
 */
import assert from 'node:assert/strict';
import { fresh, later, long, type StoreStory, short } from './kit.js';
import type { Store } from './texts.js';

const read = (store: Store, key: string) => store.swap({ key, expected: null, value: null, ttl: 0 });

export const swapStories: readonly StoreStory[] = [
  [
    'a value is set, replaced and deleted only if what was expected is there',
    async ({ store }) => {
      const key = fresh('key');
      const swap = (expected: string | null, value: string | null) => store.swap({ key, expected, value, ttl: long });
      assert.deepEqual(await read(store, key), { swapped: true, current: null });
      assert.deepEqual(await swap('a', 'b'), { swapped: false, current: null });
      assert.deepEqual(await swap(null, 'a'), { swapped: true, current: 'a' });
      assert.deepEqual(await swap(null, 'b'), { swapped: false, current: 'a' });
      assert.deepEqual(await swap('a', 'b'), { swapped: true, current: 'b' });
      assert.deepEqual(await swap('a', null), { swapped: false, current: 'b' });
      assert.deepEqual(await read(store, key), { swapped: false, current: 'b' });
      assert.deepEqual(await read(store, fresh('key')), { swapped: true, current: null });
      assert.deepEqual(await swap('b', null), { swapped: true, current: null });
      assert.deepEqual(await read(store, key), { swapped: true, current: null });
    },
  ],
  [
    'a swap that is repeated after a lost reply says the same',
    async ({ store }) => {
      const call = { key: fresh('key'), expected: null, value: 'mine', ttl: long };
      const first = await store.swap(call);
      assert.deepEqual(await store.swap(call), first);
      const replacing = { ...call, expected: 'mine', value: 'next' };
      assert.deepEqual(await store.swap(replacing), await store.swap(replacing));
    },
  ],
  [
    'of many that swap the same value at once exactly one wins, and the others see its value',
    async ({ store }) => {
      const key = fresh('key');
      for (const expected of [null, 'winner']) {
        const tries = Array.from({ length: 10 }, (_, i) => `${expected} ${i}`);
        const told = await Promise.all(tries.map((value) => store.swap({ key, expected, value, ttl: long })));
        const [winner, ...others] = told.filter(({ swapped }) => swapped);
        assert.ok(winner !== undefined && others.length === 0);
        assert.equal(new Set(told.map(({ current }) => current)).size, 1);
        assert.ok((await store.swap({ key, expected: winner.current, value: 'winner', ttl: long })).swapped);
      }
    },
  ],
  [
    'a value is gone after its time, and can be set anew',
    async ({ store, pass }) => {
      const [key, other] = [fresh('key'), fresh('key')];
      await store.swap({ key, expected: null, value: 'a', ttl: short });
      await store.swap({ key: other, expected: null, value: 'b', ttl: short });
      await store.swap({ key: other, expected: 'b', value: 'c', ttl: long });
      await pass(later);
      assert.deepEqual(await store.swap({ key, expected: 'a', value: 'b', ttl: long }), {
        swapped: false,
        current: null,
      });
      assert.deepEqual(await read(store, other), { swapped: false, current: 'c' }, 'each swap gives a new time');
      assert.ok((await store.swap({ key, expected: null, value: 'again', ttl: long })).swapped);
    },
  ],
  [
    'keys and values are any strings, up to 64 KiB',
    async ({ store }) => {
      const key = 'a key: {with} %3A * é 🙂\n';
      for (const value of ['', '=', '\u0000', 'é🙂'.repeat(100), 'x'.repeat(65_536)]) {
        assert.deepEqual(await store.swap({ key, expected: null, value, ttl: long }), {
          swapped: true,
          current: value,
        });
        assert.deepEqual(await read(store, key), { swapped: false, current: value });
        assert.ok((await store.swap({ key, expected: value, value: null, ttl: 0 })).swapped);
      }
      assert.deepEqual(await read(store, key), { swapped: true, current: null });
    },
  ],
];
