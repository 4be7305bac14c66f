/**
 * One page of a list that is spread over all buckets, by time and id. A few items of each bucket are read first, and more only where
 * the page needs them. Nothing here talks to Redis.
 */
import { comesBefore, type PagePosition } from '../pages.js';

/** Reads a bucket: everything at exactly `from`, then up to `count` later items; from the beginning without it. In order of time only. */
export type ReadBucket<T extends PagePosition> = (
  bucket: number,
  from: number | undefined,
  count: number,
) => Promise<readonly T[]>;

/** What is known of a bucket: all its items before `bound`. */
interface KnownBucket<T> {
  items: readonly T[];
  bound: number;
}

/** Items more than an even share that are read of each bucket. */
const spare = 4;

/** The first `count` items after a place, in order. */
export async function mergedListing<T extends PagePosition>(
  buckets: readonly number[],
  after: PagePosition | undefined,
  count: number,
  read: ReadBucket<T>,
): Promise<readonly T[]> {
  const share = Math.ceil(count / buckets.length) + spare;
  const first = buckets.map(async (bucket) => known(await read(bucket, after?.at, share), after?.at, share));
  const all = await Promise.all(first);
  for (;;) {
    const found = all.flatMap(({ items }) => items).filter((item) => after === undefined || comesBefore(after, item));
    found.sort((one, other) => (comesBefore(one, other) ? -1 : 1));
    const page = found.slice(0, count);
    // an item after the bound of its bucket may come before one of the page
    const end = page.length < count ? Number.POSITIVE_INFINITY : (page.at(-1)?.at ?? 0);
    const short = buckets.filter((_, i) => isCut(all[i]) && (all[i]?.bound ?? 0) <= end);
    if (short.length === 0 || count === 0) return page;
    await Promise.all(
      short.map(async (bucket) => {
        const each = all[buckets.indexOf(bucket)] as KnownBucket<T>;
        const { bound } = each;
        const more = known(await read(bucket, bound, count), bound, count);
        each.items = [...each.items.filter(({ at }) => at < bound), ...more.items];
        each.bound = more.bound;
      }),
    );
  }
}

const isCut = (bucket: KnownBucket<unknown> | undefined): boolean => bucket?.bound !== Number.POSITIVE_INFINITY;

function known<T extends PagePosition>(items: readonly T[], from: number | undefined, count: number): KnownBucket<T> {
  const later = from === undefined ? items : items.filter(({ at }) => at > from);
  const isWhole = later.length < count;
  return { items, bound: isWhole ? Number.POSITIVE_INFINITY : (later.at(-1)?.at ?? 0) };
}
