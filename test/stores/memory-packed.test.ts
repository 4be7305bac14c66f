/**
 * The memory store keeps many texts in one. Nobody must be able to tell.
 */
import { expect, test } from 'vitest';
import { Marks } from '../../src/stores/memory/marks.js';
import { packed, unpacked } from '../../src/stores/memory/packed.js';
import { MemoryStore } from '../../src/stores/memory/store.js';
import { turn } from '../../src/testing/store-contract/kit.js';

const hostile = [
  '',
  ':',
  '3:abc',
  '12',
  '0:',
  '\u0000',
  'ä',
  '日本',
  '\ud83d',
  '👍',
  '-1:',
  ' 5:',
  'x'.repeat(100_000),
];

test('texts with anything in them come back as they were', () => {
  expect(unpacked('')).toEqual([]);
  expect(unpacked(hostile.map(packed).join(''))).toEqual(hostile);
});

test('a history is the same however many saves wrote it, and wherever a page of it begins', async () => {
  const store = new MemoryStore();
  const all = [...hostile, ...Array.from({ length: 50 }, (_, i) => `${i}:`)];
  for (let at = 0, many = 0; at < all.length; at += many, many += 1) {
    await turn(store, 'c', { history: all.slice(at, at + many) });
  }
  for (const limit of [1, 7, 8, 9, 1000]) {
    const read: string[] = [];
    let page = await store.history('c', { limit });
    for (; page.cursor !== undefined; page = await store.history('c', { limit, cursor: page.cursor })) {
      expect(page.items).toHaveLength(limit);
      read.unshift(...page.items);
    }
    expect([...page.items, ...read]).toEqual(all);
  }
  expect((await store.history('c', { limit: 5, cursor: '1000' })).items).toEqual([]);
});

test('each mark is found by its own entry until its time, few or many, and a second one takes the place of the first', () => {
  const marks = new Marks('c');
  const mark = (entryId: string, until: number) => {
    return { entryId, outcome: `1:${entryId}`, recordedBy: `by ${entryId}`, closedBy: '', until };
  };
  const ids = [...hostile, ...Array.from({ length: 40 }, (_, i) => `entry ${i}`)];
  for (const [i, id] of ids.entries()) {
    marks.add(mark(id, 1));
    expect(marks.get(id, 1)).toBeUndefined();
    marks.add(mark(id, 10 + i));
    for (const [j, known] of ids.entries()) {
      expect(marks.get(known, 0)).toEqual(j <= i ? mark(known, 10 + j) : undefined);
    }
  }
  expect(marks.prune(12)).toBe(13);
  expect(marks.get(ids[2] as string, 0)).toBeUndefined();
  expect(marks.get(ids[3] as string, 0)).toEqual(mark(ids[3] as string, 13));
  expect(marks.prune(1000)).toBeUndefined();
  marks.add(mark('entry', 2000));
  expect(marks.prune(1000)).toBe(2000);
});

test('a few marks go one after the other', () => {
  const marks = new Marks('c');
  for (const until of [10, 20, 30]) {
    marks.add({ entryId: `until ${until}`, outcome: '', recordedBy: '', closedBy: '', until });
  }
  expect([marks.prune(5), marks.prune(10), marks.prune(29), marks.prune(30)]).toEqual([10, 20, 30, undefined]);
  expect(marks.get('until 30', 0)).toBeUndefined();
});
