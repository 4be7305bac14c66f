/**
 * One page of a list that is spread over many sources, by time and id. A few items of each source are read first, and more only where
 * the page needs them. Nothing here talks to Redis.
 */
import { comesBefore, type PagePosition } from '../pages.js';

/** Reads a source: everything at exactly `from`, then up to `count` later items; from the beginning without it. In order of time only. */
export type ReadSource<S, T extends PagePosition> = (
  source: S,
  from: number | undefined,
  count: number,
) => Promise<readonly T[]>;

/** What is known of a source: all its items before `bound`, which is Infinity where nothing more comes. */
interface KnownSource<S, T> {
  readonly source: S;
  readonly items: readonly T[];
  readonly bound: number;
}

/** Items more than an even share that are read of each source. */
const spare = 4;

/** The first `count` items after a place, in order; `count` is at least 1. */
export async function mergedListing<S, T extends PagePosition>(
  sources: readonly S[],
  after: PagePosition | undefined,
  count: number,
  read: ReadSource<S, T>,
): Promise<readonly T[]> {
  const readFrom = async (source: S, from: number | undefined, most: number): Promise<KnownSource<S, T>> => {
    const items = await read(source, from, most);
    const later = from === undefined ? items : items.filter(({ at }) => at > from);
    return { source, items, bound: later.length < most ? Number.POSITIVE_INFINITY : (later.at(-1)?.at ?? 0) };
  };
  const share = Math.ceil(count / sources.length) + spare;
  let all = await Promise.all(sources.map((source) => readFrom(source, after?.at, share)));
  for (;;) {
    const found = all.flatMap(({ items }) => items).filter((item) => after === undefined || comesBefore(after, item));
    found.sort((one, other) => (comesBefore(one, other) ? -1 : 1));
    const page = found.slice(0, count);
    // an item after the bound of its source may come before one of the page
    const end = page.length < count ? Number.POSITIVE_INFINITY : (page.at(-1)?.at ?? 0);
    const isShort = ({ bound }: KnownSource<S, T>): boolean => bound < Number.POSITIVE_INFINITY && bound <= end;
    if (!all.some(isShort)) return page;
    all = await Promise.all(
      all.map(async (known) => {
        if (!isShort(known)) return known;
        const more = await readFrom(known.source, known.bound, count);
        return { ...more, items: [...known.items.filter(({ at }) => at < known.bound), ...more.items] };
      }),
    );
  }
}
