/**
 * Replies with one page of a list. The cursor of the request is opened, and the one of the next page sealed.
 */
import type { CursorPlace, Cursors } from '../access/cursors.js';
import { badRequest, foundReply } from './errors.js';
import type { ApiReply } from './reply.js';

/** `read` gets the engine's cursor, undefined for the first page. It gives null if there is no list that the person may see. */
export async function pageReply(
  cursors: Cursors,
  place: CursorPlace & { readonly filter: { readonly cursor?: string | undefined } },
  read: (cursor: string | undefined) => Promise<{ readonly cursor?: string } | null>,
  field = 'cursor',
): Promise<ApiReply> {
  const { cursor } = place.filter;
  const opened = cursor === undefined ? undefined : cursors.open(place, cursor);
  if (cursor !== undefined && opened === undefined) {
    const message = `${field} must be the cursor of the page before, with the same filter. Leave it out for the first page.`;
    return badRequest(message, { field });
  }
  const page = await read(opened);
  return foundReply(page && cursors.sealed(place, page));
}
