/**
 * Cursors that come with a request to the API: one from elsewhere is refused.
 */
import type { CursorPlace, Cursors } from '../access/cursors.js';
import { badRequest } from './errors.js';
import type { ReadPart } from './read-request.js';

/** The engine's cursor; undefined for the first page. */
export function openedCursor(
  cursors: Cursors,
  place: CursorPlace & { readonly filter: { readonly cursor?: string | undefined } },
  field = 'cursor',
): ReadPart<string | undefined> {
  const { cursor } = place.filter;
  if (cursor === undefined) return { ok: true, value: undefined };
  const value = cursors.open(place, cursor);
  if (value !== undefined) return { ok: true, value };
  const message = `${field} must be the cursor of the page before, with the same filter. Leave it out for the first page.`;
  return { ok: false, reply: badRequest(message, { field }) };
}
