/**
 * Pages of lists and histories: one rule for limits and one for cursors, in every store. A cursor is what the page before
 * gave; anything else is refused before a store looks for it.
 */
import { wrongOption } from '../core/check-options.js';
import { type AgentError, badOption } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Listed, Page, SettledPage, Stored } from './port.js';

/** More items than any store gives at once; every driver takes it for a number. */
const mostItems = 1_000_000_000;

/** How many items a call wants: a whole number from 0 up. */
export function limitOf(limit: number): number {
  if (typeof limit === 'number' && limit >= 0) return Math.min(Math.floor(limit), mostItems);
  throw wrongOption('limit', 'a number from 0 up', limit, { hint: 'Nothing was read.' });
}

/** A place in a list that is ordered by time and id. */
export type PagePosition = Pick<Listed, 'at' | 'id'>;

export function comesBefore(one: PagePosition, other: PagePosition): boolean {
  return one.at < other.at || (one.at === other.at && one.id < other.id);
}

/** Asks without a deadline come after every deadline there can be, in ms. */
export const afterDeadlines = 1_000_000_000_000_000;

/** The order of open asks by deadline: the soonest first, then those without one, oldest first. */
export function deadlineRank(deadline: number | undefined, askedAt: number): number {
  return deadline === undefined ? afterDeadlines + askedAt : Math.min(deadline, afterDeadlines);
}

/** The place after which a page of a list begins; undefined for its beginning. */
export function positionOf({ cursor }: Page): PagePosition | undefined {
  if (cursor === undefined) return undefined;
  if (typeof cursor !== 'string') throw badCursor(cursor);
  const colon = cursor.indexOf(':');
  const at = Number(cursor.slice(0, Math.max(colon, 0)));
  if (!Number.isFinite(at) || at < 0 || !cursor.startsWith(`${at}:`)) throw badCursor(cursor);
  return { at, id: cursor.slice(colon + 1) };
}

/** Where a page of settled asks begins: they come before this place, the last one first. Undefined for all of them. */
export function settledStart(page: SettledPage): PagePosition | undefined {
  const position = positionOf(page);
  const end = page.until === undefined ? undefined : { at: page.until, id: '' }; // before every id of that time
  if (position === undefined || end === undefined) return position ?? end;
  return comesBefore(position, end) ? position : end;
}

/** A page of a list. `found` begins where the page does, and has one item more than the page if there are more. */
export function listPage<T extends PagePosition>(
  found: readonly T[],
  limit: number,
): { items: readonly T[]; cursor?: string } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(last && found.length > items.length && { cursor: `${last.at}:${last.id}` }) };
}

/**
 * The number that a cursor is: of the history item before which a page ends, or, where changes are numbered, of the one after
 * which it begins. Undefined for the end.
 */
export function numberIn({ cursor }: Page): number | undefined {
  if (cursor === undefined) return undefined;
  const number = Number(cursor);
  if (typeof cursor !== 'string' || !/^\d+$/.test(cursor) || !Number.isSafeInteger(number)) throw badCursor(cursor);
  return number;
}

/** The numbers of a page's items, from `start` up to before `end`. The history keeps those from `first` up to before `next`. */
export function historyRange(
  limit: number,
  before: number | undefined,
  first: number,
  next: number,
): { start: number; end: number } {
  const end = Math.max(first, Math.min(before ?? next, next));
  return { start: Math.max(first, end - limit), end };
}

/** A page of a history. `start` is the number of its first item, `first` that of the oldest item that is kept. */
export function historyPage(
  items: readonly Stored[],
  start: number,
  first: number,
): { items: readonly Stored[]; cursor?: string } {
  return { items, ...(start > first && items.length > 0 && { cursor: String(start) }) };
}

/** The numbers of the items from `from` on, at most `limit`, of a history that keeps those from `first` up to before `next`. */
export function historyRangeFrom(
  from: number,
  limit: number,
  first: number,
  next: number,
): { start: number; end: number } {
  const start = Math.min(Math.max(from, first), next);
  return { start, end: Math.min(start + limit, next) };
}

/** The number of a history item: a whole number from 0 up. */
export function itemNumberOf(from: number): number {
  if (Number.isSafeInteger(from) && from >= 0) return from;
  throw wrongOption('from', 'a whole number from 0 up', from, { hint: 'Nothing was read.' });
}

/** A cursor that none of our pages gave. */
export function badCursor(cursor: unknown): AgentError {
  const what = typeof cursor === 'string' ? JSON.stringify(cursor) : describe(cursor);
  return badOption(`cursor ${what} is none. Give the one of the page before, or none.`);
}
