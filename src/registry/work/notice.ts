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
    context.logger.warn(whyRefused(notice, entry), about);
  }
  if (entry.type !== 'message') return [];
  const locale = who?.locale;
  const by = disposition.type === 'not-authorised' ? undefined : ask?.decision?.by; // named only to those who may answer
  const text = noticed(context.language(locale).wording, notice, by);
  const aside: true | undefined = ask !== undefined && isFromFurtherPlace(ask, place) ? true : undefined;
  return [{ type: 'say', place, text, ...definedFields({ aside, locale, only: entry.participant?.id }) }]; // the id that their channel knows
}

/** For the log: somebody who may answer, and cannot from there, is told apart from somebody who may not. */
function whyRefused(notice: Notice, entry: Entry): string {
  if (notice === 'notByMail')
    return "A reply did not count, because its author is proved by the address alone, and the ask does not allow that. If it shall, give the ask mail: 'decide'";
  if (notice === 'notShown') return 'A reply did not count, because its question is too long to be shown there in full';
  if (entry.type === 'message' && entry.wordless === true)
    return 'A file, struck-out text, or what had no words of the person, did not count as an answer to an ask';
  return notice === 'nothingWritten' || (entry.type === 'message' && entry.automated === true)
    ? 'What no person wrote did not count as an answer to an ask'
    : 'Somebody who may not answer an ask tried to';
}

function noticed(wording: Wording, notice: Notice, by: Participant | undefined): string {
  return notice === 'already' ? wording.already(by) : wording[notice]();
}
