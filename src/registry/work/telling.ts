/**
 * The events that tell of a save: asks that were opened and have ended, moves, the end of a turn.
 */
import type { Ask } from '../../core/ask/ask.js';
import { closedAs } from '../../core/ask/ask.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import { findAsk } from '../../core/conversation/conversation.js';
import { definedFields, type Mutable } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import { failureOf } from '../../core/errors.js';
import type { RegistryEvents } from '../../core/events.js';
import { copyOf } from '../../core/json.js';
import { roomRefusal } from '../turn/new-ask.js';
import type { Turn } from '../turn/turn.js';

export function tellOfAsks(turn: Turn, opened: readonly Ask[], settled: readonly Ask[]): void {
  const { context } = turn;
  for (const ask of opened) {
    if (!context.hears('asked')) break;
    context.emit('asked', { ...aboutAsk(turn, ask), channel: ask.places.own.channel });
  }
  for (const ask of settled) {
    const event = closedAs(ask) ?? 'answered';
    if (ask.decision === undefined || !context.hears(event)) continue;
    const { at: decidedAt, by, reason } = ask.decision;
    const about = { ...aboutAsk(turn, ask), decidedAt, retries: ask.progress.retries };
    if (event === 'undeliverable') context.emit('undeliverable', { ...about, failure: whyUndeliverable(turn, ask) });
    else if (event === 'cancelled')
      context.emit('cancelled', { ...about, ...definedFields({ participantId: by?.id, reason }) });
    else context.emit(event, about);
  }
}

/** What each event of an ask says of it. */
function aboutAsk({ conversationId, lease }: Turn, { id: askId, agentName, timing }: Ask) {
  return { conversationId, askId, agentName, askedAt: timing.askedAt, at: lease.now() };
}

/** The channel's failure, or why an ask of another conversation was not opened here. */
function whyUndeliverable({ context, conversationId, document: written, subject }: Turn, ask: Ask): Failure {
  if (subject.entry.type === 'undeliverable') return subject.entry.failure;
  const refusal = roomRefusal({ context, conversationId, written, moves: [] }, ask);
  return refusal === undefined ? { code: 'Error', message: 'undeliverable' } : failureOf(refusal);
}

export function tellOfMoves(turn: Turn, before: Conversation, after: Conversation, moves: readonly Move[]): void {
  const { context } = turn;
  for (const move of moves) {
    if (move.type !== 'vote' && move.type !== 'remind' && move.type !== 'escalate' && move.type !== 'hand-over')
      continue;
    const ask = findAsk(before, move.askId);
    if (ask === undefined) continue;
    const about = aboutAsk(turn, ask);
    if (move.type === 'remind') context.emit('reminded', about);
    else if (move.type === 'vote') context.emit('voted', { ...about, participantId: move.vote.by.id });
    else if (move.type === 'escalate') {
      const steps = findAsk(after, ask.id)?.progress.steps?.filter(({ type }) => type === 'escalated') ?? [];
      const channel = steps.at(-1)?.channel;
      if (channel !== undefined) context.emit('escalated', { ...about, channel, level: steps.length });
    } else {
      const { by, to } = move.request;
      context.emit('handedOver', { ...about, participantId: by.id, toParticipantId: to.id });
    }
  }
}

/** `begun`: when the work began, by this process's own measure. */
export function tellOfEnd(turn: Turn, begun: number): void {
  const { context, conversationId, work, claim, attempt, agentName, lease, disposition } = turn;
  if (!context.hears('handled')) return;
  const recorded = work.type === 'entry' ? work.queued.at : work.at;
  const about: Mutable<RegistryEvents['handled']> = {
    conversationId,
    entryId: work.id,
    disposition: copyOf(disposition),
    attempt,
    waited: Math.max(0, claim.now - recorded),
    took: lease.heard - begun, // the save was answered just now
  };
  if (agentName !== undefined) about.agentName = agentName;
  context.emit('handled', about);
}
