/**
 * Cursors of the API: that of the engine, with a mark of the list and the filter it belongs to. One from elsewhere is refused.
 */
import { Buffer } from 'node:buffer';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import { badRequest } from './errors.js';
import type { ReadPart } from './read-request.js';

const markLength = 12;

/** Of the list and its filter; the limit may differ from page to page. */
function markOf(list: string, filter: object): string {
  const { limit: _, cursor: __, ...rest } = filter as Record<string, Json>;
  return digest('cursor', list, canonical(rest)).slice(0, markLength);
}

export function sealedCursor(list: string, filter: object, cursor: string | undefined): string | undefined {
  return cursor === undefined ? undefined : `${markOf(list, filter)}${Buffer.from(cursor).toString('base64url')}`;
}

/** The engine's cursor; undefined for the first page. */
export function openedCursor(
  list: string,
  filter: { readonly cursor?: string | undefined },
): ReadPart<string | undefined> {
  const { cursor } = filter;
  if (cursor === undefined) return { ok: true, value: undefined };
  const inner = Buffer.from(cursor.slice(markLength), 'base64url').toString();
  if (sealedCursor(list, filter, inner) === cursor) return { ok: true, value: inner };
  const message = 'cursor must be the one of the page before, with the same filter. Leave it out for the first page.';
  return { ok: false, reply: badRequest(message, { field: 'cursor' }) };
}
