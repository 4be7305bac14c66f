/**
 * The moves of an ask that no agent is needed for: reminders, new copies, steps of an escalation, hand-overs.
 */
import { fittingText, wholePromptOf } from '../../core/ask/drawn.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Reading } from '../../core/conversation/match-reply.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Participant } from '../../core/participant.js';
import { oneLine } from '../../core/text.js';
import type { RegistryContext } from '../context.js';
import { remindingMove } from '../turn/author-hooks.js';
import type { Turn } from '../turn/turn.js';

const ownTypes = ['remind', 'copy', 'escalate', 'lose', 'hand-over'] as const;

/** What changes an ask, or shows its question, without an agent. */
export type OwnReading = Extract<Reading, { type: (typeof ownTypes)[number] }>;

export function isOwnReading(reading: { readonly type: string }): reading is OwnReading {
  return ownTypes.some((type) => type === reading.type);
}

/** The moves of such a reading. */
export function ownMoves({ context, lease, conversationId }: Turn, reading: OwnReading): readonly Move[] {
  const { id: askId } = reading.ask;
  if (reading.type === 'remind') return [remindingMove(context, reading.ask, lease.now(), conversationId)];
  if (reading.type === 'copy') return [{ type: 'copy', askId, ...definedFields({ channel: reading.channel }) }];
  if (reading.type === 'lose') return [{ type: 'lose', askId, copy: reading.copy }];
  if (reading.type === 'hand-over') return handOverMoves(context, reading);
  const { copy } = reading;
  if (copy === undefined) return [{ type: 'escalate', askId }];
  return [
    { type: 'lose', askId, copy },
    { type: 'escalate', askId, why: 'undeliverable' },
  ];
}

/** Both are told, as far as a channel knows them: the one by the question, the other by a line. */
function handOverMoves(
  context: RegistryContext,
  { ask, request, ownPlace }: Extract<OwnReading, { type: 'hand-over' }>,
): readonly Move[] {
  const { by, to, reason, place } = request;
  const { wording } = context.language(to.locale ?? ask.question.locale);
  const question = wholePromptOf(ask);
  const said = (why?: string): string => wording.handedToYou(onOneLine(by), question, why);
  // what is said before the question must not push it out of sight
  const text = fittingText(ask, [said(reason && oneLine(reason)), said()], place?.longest);
  const move: Move = { type: 'hand-over', askId: ask.id, request, text };
  if (ownPlace === undefined) return [move];
  const locale = by.locale ?? ask.question.locale;
  const told = context.language(locale).wording.handedOver(onOneLine(to));
  return [move, { type: 'say', place: ownPlace, text: told, aside: true, ...definedFields({ locale }) }];
}

/** A line break in a name could pass for the end of what the library says, and the rest of it for the question. */
function onOneLine(who: Participant): Participant {
  return who.name === undefined ? who : { ...who, name: oneLine(who.name) };
}
