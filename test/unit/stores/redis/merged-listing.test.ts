import { expect, test } from 'vitest';
import { mergedListing } from '../../../../src/stores/redis/merged-listing.js';
import { dice } from '../../../../src/testing/store-contract/kit.js';

interface Item {
  readonly id: string;
  readonly at: number;
}

/** Buckets as Redis keeps them: by time, and those of one time in another order than that of their ids. */
function spread(items: readonly Item[], count: number, bucketOf: (i: number) => number) {
  const buckets: Item[][] = Array.from({ length: count }, () => []);
  for (const [i, item] of items.entries()) buckets[bucketOf(i)]?.push(item);
  for (const bucket of buckets) bucket.sort((one, other) => one.at - other.at || (one.id < other.id ? 1 : -1));
  let read = 0;
  const all = buckets.map((_, i) => i);
  const page = (after: Item | undefined, limit: number) =>
    mergedListing(all, after, limit, async (bucket, from, most) => {
      const own = buckets[bucket] as Item[];
      const same = from === undefined ? [] : own.filter(({ at }) => at === from);
      const later = own.filter(({ at }) => from === undefined || at > from).slice(0, most);
      read += same.length + later.length;
      return [...same, ...later];
    });
  return { page, readCount: () => read };
}

const inOrder = (items: readonly Item[]) => [...items].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

test.each([
  ['spread evenly', 1_000_000, (i: number) => i % 64],
  ['all in one bucket', 1_000_000, () => 7],
  ['many of the same time', 5, (i: number) => (i * 7) % 64],
  ['all of the same time, in two buckets', 1, (i: number) => i % 2],
])('pages of buckets are those of the whole list: %s', async (_, times, bucketOf) => {
  const roll = dice();
  const items = Array.from({ length: 700 }, (_, i) => ({
    id: `${(i * 7919) % 1009}`.padStart(4, '0'),
    at: roll(times),
  }));
  const { page } = spread(items, 64, bucketOf);
  for (const limit of [1, 3, 50, 2000]) {
    const read: Item[] = [];
    for (let after: Item | undefined; ; after = read.at(-1)) {
      const got = await page(after, limit);
      read.push(...got);
      if (got.length < limit) break;
    }
    expect(read).toEqual(inOrder(items));
  }
});

test('a page of 50 reads some hundred items of 64 buckets, however many there are', async () => {
  for (const count of [100, 20_000]) {
    const items = Array.from({ length: count }, (_, i) => ({ id: `${i}`, at: (i * 7919) % 1_000_003 }));
    const { page, readCount } = spread(items, 64, (i) => i % 64);
    expect(await page(undefined, 51)).toEqual(inOrder(items).slice(0, 51));
    expect(readCount()).toBeLessThan(64 * 5 + 51 * 3);
  }
});
