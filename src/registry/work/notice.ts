/**
 * What the sender of an entry is told where no agent runs, and who else hears of it.
 */
import type { Place } from '../../core/ask/ask.js';
import { isFromFurtherPlace } from '../../core/ask/places.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Entry } from '../../core/conversation/entry.js';
import type { Notice, Reading } from '../../core/conversation/match-reply.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Participant } from '../../core/participant.js';
import type { Wording } from '../../core/wording/wording.js';
import type { RegistryContext } from '../context.js';

interface NoticedEntry {
  readonly conversationId: string;
  readonly entry: Entry;
  readonly place: Place;
  readonly who: Participant | undefined;
}

/** Reports a refusal, and returns what is said to whoever wrote the message. */
export function noticeMoves(
  context: RegistryContext,
  { conversationId, entry, place, who }: NoticedEntry,
  { notice, disposition, ask }: Extract<Reading, { type: 'notice' }>,
): readonly Move[] {
  if (notice === undefined) return []; // nothing to tell, or a waiting turn has told it
  if (disposition.type === 'not-authorised') {
    const { askId } = disposition;
    const about = { conversationId, askId, channel: place.channel, ...definedFields({ participantId: who?.id }) };
    context.emit('refused', about);
    context.logger.warn('Somebody who may not answer an ask tried to', about);
  }
  if (entry.type !== 'message') return [];
  const locale = who?.locale;
  const by = disposition.type === 'not-authorised' ? undefined : ask?.decision?.by; // named only to those who may answer
  const text = noticed(context.language(locale).wording, notice, by);
  const aside: true | undefined = ask !== undefined && isFromFurtherPlace(ask, place) ? true : undefined;
  return [{ type: 'say', place, text, ...definedFields({ aside, locale, only: entry.participant?.id }) }]; // the id that their channel knows
}

function noticed(wording: Wording, notice: Notice, by: Participant | undefined): string {
  return notice === 'already' ? wording.already(by) : wording[notice]();
}
