/**
 * The line that a mail begins with if it can be answered by a reply: what stands below it was not written now. It begins with the same
 * characters in every language and for every wording, so that it is found again whatever an author's own words are.
 */
import type { Wording } from '../../../core/wording/wording.js';
import { headerText } from '../addresses.js';

/** No person begins a line with it. It is a marker by itself where a reply is read and not asked for. */
export const bareMarker = '##-----##';

export function markerText(wording: Pick<Wording, 'replyAbove'>): string {
  return `${bareMarker} ${headerText(wording.replyAbove(), 100)}`;
}

/** Whether a reader of replies could take the line for a marker. */
export function looksLikeMarker(line: string): boolean {
  return line
    .replace(/^[\s>|*_]+/, '')
    .replace(/\s+/g, '')
    .startsWith(bareMarker);
}
