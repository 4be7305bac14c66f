/**
 * The changes of asks over all buckets: each bucket has its own order, and a cursor is a place in each of them. So nothing depends on
 * the clocks of several servers, and a reader misses nothing. Nothing here talks to Redis.
 */
import { buckets } from '../../core/ids.js';
import { changesKept } from '../lifecycle/ports.js';
import { badCursor } from '../pages.js';
import type { ChangePage, Page } from '../port.js';
import { decoded, lengthened } from './keys.js';

/** What one bucket answers: the place of its last change, 0 if there is none, and members with their places. */
type BucketChanges = readonly [last: string, found: readonly string[]];

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
  const ends = all.map(([last]) => Number(last));
  const end = written({ readAt: now, places: ends });
  if (after === undefined) return { items: [], cursor: end };
  // a bucket whose last change is before the one that was read has lost some, or they were erased
  const isBack = ends.some((last, bucket) => last > 0 && last < (after.places[bucket] as number));
  if (isBack || now - after.readAt > changesKept) return { items: [], cursor: end, gap: true };
  const found = all.flatMap(([, flat], bucket) =>
    flat.flatMap((member, i) => (i % 2 === 0 ? [{ member, bucket, place: Number(flat[i + 1]) }] : [])),
  );
  found.sort((one, other) => one.place - other.place);
  const read = found.slice(0, limit);
  // one in which nothing is left begins anew
  const places = after.places.map((place, bucket) => (ends[bucket] === 0 ? 0 : place));
  for (const { bucket, place } of read) places[bucket] = place;
  const last = read.at(-1);
  const readUntil = last === undefined ? 0 : timeOf(last.place);
  const readAt = found.length < limit ? now : Math.max(after.readAt, Math.min(now, readUntil));
  const items = read.map(({ member, place }) => {
    const [id = '', conversationId = ''] = member.split(':');
    return { id: lengthened(id), conversationId: decoded(conversationId), at: timeOf(place) };
  });
  return { items, cursor: written({ readAt, places }) };
}

/** The time of a place, in ms. */
const timeOf = (place: number): number => Math.floor(place / 1000);
