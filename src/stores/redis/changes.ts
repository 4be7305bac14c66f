/**
 * The changes of asks over all buckets: each bucket has its own order, and a cursor is a place in each of them. So nothing depends on
 * the clocks of several servers, and a reader misses nothing. Nothing here talks to Redis.
 */
import { buckets } from '../../core/ids.js';
import { badCursor } from '../pages.js';
import type { ChangePage, Page } from '../port.js';
import { changesKept } from '../rules/changes.js';
import { listedAsk } from './keys.js';

/** What one bucket answers: the place before its first change, that of its last, and changes with their times. */
type BucketChanges = readonly [first: number, last: number, found: readonly string[]];

/** What one call answers: the server's time, and some buckets in their order. */
export type GroupChanges = readonly [now: number, ...buckets: readonly BucketChanges[]];

/** How far a reader came: in each bucket, and until when it has read everything. */
interface ReadChanges {
  readonly readAt: number;
  /** The place of the last change that was read in each bucket; 0 for none. */
  readonly places: readonly number[];
}

/** How far the reader came who gives this cursor; undefined for one without. */
export function changesCursor({ cursor }: Pick<Page, 'cursor'>): ReadChanges | undefined {
  if (cursor === undefined) return undefined;
  const parts = typeof cursor === 'string' ? cursor.split('.') : [];
  const [readAt, latest, ...behind] = parts.map((part) => (part === '' ? 0 : Number.parseInt(part, 36)));
  const places = behind.map((each, bucket) => (parts[bucket + 2] === noPlace ? 0 : Number(latest) - each));
  const isOurs =
    readAt !== undefined &&
    places.length === buckets &&
    [readAt, ...places].every((each) => Number.isSafeInteger(each) && each >= 0);
  if (!isOurs || written({ readAt, places }) !== cursor) throw badCursor(cursor);
  return { readAt, places };
}

/** In a cursor: nothing was read in this bucket yet. */
const noPlace = '-';

/** The latest place, and how far each bucket is behind it: shorter than the places themselves, because a cursor travels in a header. */
function written({ readAt, places }: ReadChanges): string {
  const latest = Math.max(...places);
  const short = (number: number): string => (number === 0 ? '' : number.toString(36));
  const behind = places.map((place) => (place === 0 ? noPlace : short(latest - place)));
  return [short(readAt), short(latest), ...behind].join('.');
}

/** A page of what the buckets answered, the earliest change first. */
export function changesPage(
  answers: readonly GroupChanges[],
  after: ReadChanges | undefined,
  limit: number,
): ChangePage {
  const now = Math.min(...answers.map(([time]) => time));
  const all = answers.flatMap(([, ...each]) => each);
  const ends = all.map(([, last]) => last);
  const end = written({ readAt: now, places: ends });
  if (after === undefined) return { items: [], cursor: end };
  // a bucket whose last change is before the one that was read has lost some, or they were erased
  const isBack = ends.some((last, bucket) => last > 0 && last < (after.places[bucket] as number));
  if (isBack || now - after.readAt > changesKept) return { items: [], cursor: end, gap: true };
  const found = all.flatMap(([first, , flat], bucket) => {
    let at = 0; // never back within a bucket, also where a clock was set back: a reader goes by it
    // what was dropped before `first` is so old that this reader has read it
    const start = Math.max(after.places[bucket] as number, first) + 1;
    return flat.map((text, i) => {
      const comma = text.indexOf(',');
      at = Math.max(at, Number(text.slice(0, comma)));
      return { member: text.slice(comma + 1), bucket, place: start + i, at };
    });
  });
  found.sort((one, other) => one.at - other.at || one.place - other.place);
  const read = found.slice(0, limit);
  // one in which nothing is left begins anew
  const places = after.places.map((place, bucket) => (ends[bucket] === 0 ? 0 : place));
  for (const { bucket, place } of read) places[bucket] = place;
  const last = read.at(-1);
  const readUntil = last?.at ?? 0;
  const readAt = found.length < limit ? now : Math.max(after.readAt, Math.min(now, readUntil));
  const asks = read.map(({ member, at }) => ({ ...listedAsk(member), at }));
  const latest = new Map(asks.map((ask) => [ask.id, ask]));
  const items = asks.filter((ask) => latest.get(ask.id) === ask); // the others changed again
  return { items, cursor: written({ readAt, places }) };
}
