/**
 * The stories of kept values, which are compared and set in one step, for a time; and of hints.
 */
import assert from 'node:assert/strict';
import { later, long, type StoreStory, short } from './kit.js';
import type { Hint, Store } from './texts.js';

const read = (store: Store, key: string) => store.swap({ key, expected: null, value: null, ttl: 0 });

export const valueStories: readonly StoreStory[] = [
  [
    'a value is set, replaced and deleted only if what was expected is there, and a repeat says the same',
    async ({ store }) => {
      const swap = (expected: string | null, value: string | null) =>
        store.swap({ key: 'k', expected, value, ttl: long });
      const calls: [expected: string | null, value: string | null, swapped: boolean, current: string | null][] = [
        ['a', 'b', false, null],
        [null, 'a', true, 'a'],
        [null, 'a', true, 'a'],
        [null, 'b', false, 'a'],
        ['a', 'b', true, 'b'],
        ['a', 'b', true, 'b'],
        ['a', null, false, 'b'],
        ['b', null, true, null],
        ['b', null, true, null],
      ];
      for (const [expected, value, swapped, current] of calls) {
        assert.deepEqual(await swap(expected, value), { swapped, current });
        assert.equal((await read(store, 'k')).current, current);
        assert.equal((await read(store, 'another')).current, null);
      }
    },
  ],
  [
    'of many that swap the same value at once exactly one wins, and the others see its value',
    async ({ store }) => {
      for (const expected of [null, 'winner']) {
        const tries = Array.from({ length: 10 }, (_, i) => `${expected} ${i}`);
        const told = await Promise.all(tries.map((value) => store.swap({ key: 'k', expected, value, ttl: long })));
        const [winner, ...others] = told.filter(({ swapped }) => swapped);
        assert.ok(winner !== undefined && others.length === 0);
        assert.equal(new Set(told.map(({ current }) => current)).size, 1);
        assert.ok((await store.swap({ key: 'k', expected: winner.current, value: 'winner', ttl: long })).swapped);
      }
    },
  ],
  [
    'keys and values are any strings, and a value is gone after its time',
    async ({ store, pass }) => {
      const key = 'a key: {with} %3A * é 🙂\n';
      for (const value of ['', '=', '\u0000', 'é🙂'.repeat(100), 'x'.repeat(65_536)]) {
        assert.deepEqual(await store.swap({ key, expected: null, value, ttl: long }), {
          swapped: true,
          current: value,
        });
        assert.deepEqual(await read(store, key), { swapped: false, current: value });
        assert.ok((await store.swap({ key, expected: value, value: null, ttl: 0 })).swapped);
      }
      for (const k of ['gone', 'kept']) await store.swap({ key: k, expected: null, value: 'a', ttl: short });
      await store.swap({ key: 'kept', expected: 'a', value: 'b', ttl: long }); // each swap gives a new time
      await pass(later);
      assert.deepEqual([(await read(store, 'gone')).current, (await read(store, 'kept')).current], [null, 'b']);
      assert.ok((await store.swap({ key: 'gone', expected: null, value: 'again', ttl: long })).swapped);
    },
  ],
  [
    'hints reach every watcher, as they were given, until it stops watching, and one that throws disturbs no other',
    async ({ store, pass }) => {
      const [seen, other]: [Hint[], Hint[]] = [[], []];
      await store.watch(() => {
        throw new Error('a watcher of the contract suite fails on purpose');
      });
      const stop = await store.watch((hint) => seen.push(hint));
      await store.watch((hint) => other.push(hint));
      const hints: Hint[] = [{ conversationId: 'c\n*' }, { conversationId: 'd', entryId: '{"e"}' }];
      for (const hint of hints) store.hint(hint);
      assert.equal(seen.length, 0, 'hints are not delivered within the call');
      for (let i = 0; i < 50 && (seen.length < 2 || other.length < 2); i += 1) await pass(short);
      assert.deepEqual([seen, other], [hints, hints]);
      await stop();
      store.hint({ conversationId: 'e' });
      for (let i = 0; i < 50 && other.length < 3; i += 1) await pass(short);
      assert.deepEqual([seen.length, other.length], [2, 3]);
    },
  ],
];
