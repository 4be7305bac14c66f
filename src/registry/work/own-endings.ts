/**
 * The endings that need no agent: notices, what another conversation says here, what an ask owes to time and to people; and what became of
 * the entry of a turn, as far as its reading and its agent say so. The same for a turn of its own, and for an entry that a waiting turn
 * handles early.
 */

import { isFromFurtherPlace } from '../../core/ask/places.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Disposition, Entry } from '../../core/conversation/entry.js';
import type { Notice, Reading } from '../../core/conversation/match-reply.js';
import { definedFields } from '../../core/defined-fields.js';
import { failureOf } from '../../core/errors.js';
import type { Participant } from '../../core/participant.js';
import type { Wording } from '../../core/wording/wording.js';
import { roomRefusal } from '../turn/new-ask.js';
import type { Turn } from '../turn/turn.js';
import { placeOf } from '../turn/turn.js';
import { isOwnReading, ownMoves } from './own-moves.js';

/** Gives the turn its end, unless an agent has to be asked for it or a decision has to be written first. */
export function endsByItself(turn: Turn): boolean {
  const { reading } = turn;
  if (reading.type === 'notice') turn.endsWith(reading.disposition, noticeMoves(turn, reading));
  else if (reading.type === 'say') turn.endsWith({ type: 'control' }, [reading]);
  else if (isOwnReading(reading)) turn.endsWith({ type: 'control', askId: reading.ask.id }, ownMoves(turn, reading));
  else if (reading.type === 'open') {
    const { ask } = reading;
    const refusal = roomRefusal(turn, ask);
    if (refusal !== undefined) turn.endsWith({ type: 'failed', failure: failureOf(refusal) });
    else turn.endsWith({ type: 'control', askId: ask.id }, [{ type: 'open', ask }]);
  } else return false;
  return true;
}

/** Reports a refusal, and returns what is said to whoever wrote the message. */
function noticeMoves(
  { context, conversationId, subject, who }: Turn,
  reading: Extract<Reading, { type: 'notice' }>,
): readonly Move[] {
  const { notice, disposition, ask } = reading;
  const { entry } = subject;
  if (notice === undefined) return []; // nothing to tell, or a waiting turn has told it
  const place = placeOf(subject, reading);
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
  const aside: true | undefined = ask !== undefined && isFromFurtherPlace(ask.places, place) ? true : undefined;
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

/** What became of the entry of a turn whose agent has run, or whose reply was handled. */
export function dispositionOf(turn: Turn): Disposition {
  const { reading } = turn;
  if (reading.type === 'close') {
    return reading.as === 'declined'
      ? { type: 'declined', askId: reading.ask.id }
      : { type: 'control', askId: reading.ask.id };
  }
  if (reading.type !== 'reply') return { type: 'ordinary' };
  const askId = reading.ask.id;
  const { retries } = reading.ask.progress;
  if (turn.undecided?.type === 'invalid') return { type: 'invalid', askId, problem: turn.undecided.problem };
  const ask = turn.reply;
  if (ask?.status === 'answered') return { type: 'accepted', askId };
  if (ask?.status === 'exhausted') return { type: 'insufficient', askId, retries: ask.progress.retries };
  if (turn.undecided?.type === 'partial' || turn.undecided?.type === 'voted')
    return { type: turn.undecided.type, askId };
  if (turn.undecided?.type === 'asked-why') return { type: 'insufficient', askId, retries };
  if (turn.undecided?.type === 'insufficient') return { type: 'insufficient', askId, retries: retries + 1 };
  return { type: 'ordinary' };
}
