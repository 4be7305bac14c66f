/**
 * What a turn says: to whoever wrote, to other places, and the same question again. All but progress() is a move, made by the save that
 * closes the turn.
 */
import type { FollowUp, Place } from '../../core/ask/ask.js';
import { sayEntryId } from '../../core/conversation/entry.js';
import { definedFields } from '../../core/defined-fields.js';
import { digest } from '../../core/ids.js';
import { canonical, copyOf } from '../../core/json.js';
import { handleChannel } from '../context.js';
import type { Turn } from './turn.js';

/** `locale` is the language of whoever is there, if it is known for another place than that of the turn. */
export function say(turn: Turn, text: string, place: Place = turn.place, locale?: string): void {
  turn.assertOpen('sendTo()');
  const here = turn.place;
  const isHere =
    place.channel === handleChannel || // nothing is pushed there: whoever reads the conversation fetches it
    (place.channel === here.channel && canonical(place.address) === canonical(here.address));
  const spoken = locale ?? (isHere ? turn.asker.localeHere : undefined);
  const aside: true | undefined = isHere ? undefined : true;
  turn.moves.push({ type: 'say', place, text, ...definedFields({ aside, locale: spoken }) });
}

/** Tells whoever wrote something about what they wrote. */
export function tell(turn: Turn, text: string): void {
  say(turn, text, turn.from, turn.authorLocale);
}

/** Says it in another conversation of a channel that pushes nothing, once for this turn and its re-runs. */
export function sayIn(
  turn: Turn,
  { conversationId, channel }: { readonly conversationId: string; readonly channel: string },
  text: string,
): void {
  const place: Place = { channel, address: null };
  if (conversationId === turn.conversationId) {
    say(turn, text, place);
    return;
  }
  turn.assertOpen('sendTo()');
  const { id, workId, who, asker, moves } = turn;
  const entryId = sayEntryId(digest(id, workId), moves.length);
  const about = [...new Set([who?.id, asker.id])].filter((each) => each !== undefined);
  moves.push({ type: 'forward', conversationId, entryId, entry: { type: 'say', place, text, about } });
}

/** Asks again. `reply` is the digest of the reply that costs an attempt, where that is kept. */
export function reask(turn: Turn, askId: string, text: string, reply?: string): void {
  turn.assertOpen('A re-ask');
  turn.moves.push({ type: 'reask', askId, text, ...definedFields({ from: turn.from, reply }) });
  turn.undecided = { type: 'insufficient' };
}

/** A part of the answer is kept, and the rest asked for. */
export function followUp(turn: Turn, askId: string, step: FollowUp, text: string, failed: boolean): void {
  turn.assertOpen('A re-ask');
  turn.moves.push({ type: 'step', askId, step, text, failed, ...definedFields({ from: turn.from }) });
  turn.undecided = { type: failed ? 'insufficient' : 'partial' };
}

/** The question again, with its details: to somebody who asked what the answer is needed for. Not an attempt. */
export function showAgain(turn: Turn, askId: string): void {
  turn.assertOpen('A re-ask');
  turn.moves.push({ type: 'copy', askId, ...definedFields({ from: turn.from }) });
  turn.undecided = { type: 'asked-why' };
}

/** Sends now and remembers nothing; for "working on it…". */
export function sendProgress(turn: Turn, text: string): void {
  turn.assertOpen('progress()');
  const { place, id, context, conversationId } = turn;
  const channel = context.channels.get(place.channel);
  if (channel === undefined || place.trigger) return;
  turn.sent += 1;
  const key = `${digest(id)}:progress:${turn.attempt}:${turn.sent}`;
  const address = copyOf(place.address);
  const message = { key, conversationId, address, text, shape: { type: 'text' }, transient: true } as const;
  Promise.resolve(channel.send(message)).catch((error: unknown) => {
    context.logger.warn('progress() could not be sent', { channel: place.channel, error });
  });
}
