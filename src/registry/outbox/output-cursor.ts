/**
 * The cursor of what was said in a conversation: a place in its history. It names the conversation and the life of it that it was made
 * in, so that one from elsewhere is refused, and one from before an erase is known.
 */
import { wrongOption } from '../../core/check-options.js';
import { badOption } from '../../core/errors.js';
import { digest } from '../../core/ids.js';

export interface OutputPosition {
  /** The life of the conversation; '' where there was none. */
  readonly incarnation: string;
  /** The number of the first history item that was not given. */
  readonly next: number;
}

const nameLength = 12;
const format = /^([\w-]{12})\.([\w-]*)\.(\d{1,15})$/;

const nameOf = (conversationId: string): string => digest(conversationId).slice(0, nameLength);

export function cursorOf(conversationId: string, { incarnation, next }: OutputPosition): string {
  return `${nameOf(conversationId)}.${incarnation}.${next}`;
}

/** The place of a cursor that was given for this conversation; undefined without one. */
export function positionIn(
  conversationId: string,
  cursor: string | undefined,
  call: string,
): OutputPosition | undefined {
  if (cursor === undefined) return undefined;
  const [, name, incarnation = '', next] = (typeof cursor === 'string' ? format.exec(cursor) : undefined) ?? [];
  if (name === undefined)
    throw wrongOption(`${call}: after`, 'the cursor of an earlier call', cursor, {
      hint: 'Nothing was read. Leave it out to begin anew.',
    });
  if (name !== nameOf(conversationId))
    throw badOption(
      `${call}: after is the cursor of another conversation than ${JSON.stringify(conversationId)}. Nothing was read. Keep a cursor for each conversation.`,
    );
  return { incarnation, next: Number(next) };
}
