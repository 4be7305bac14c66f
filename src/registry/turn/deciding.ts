/**
 * What a turn decides: the answer or the end of an ask, and the votes of those who decide together. A decision is written at once,
 * because it must survive a crash.
 */
import type { Ask, Vote } from '../../core/ask/ask.js';
import type { NewVerdict } from '../../core/ask/decision.js';
import { decidedBy } from '../../core/ask/decision.js';
import { countVote } from '../../core/ask/votes.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import { findAsk, withAsk, withEarlyOutcome } from '../../core/conversation/conversation.js';
import { dispositionOfDecision } from '../../core/conversation/entry.js';
import { drawnIn } from '../../core/conversation/match-reply.js';
import type { Mutable } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { writeConversation } from '../../core/format/document.js';
import type { Participant } from '../../core/participant.js';
import { tell } from './saying.js';
import type { Turn } from './turn.js';

/**
 * The final decision, written before anything continues. Returns the ask as decided; the first decision stands.
 * Nothing of the author's continues an aside: its decision is written together with what is said about it.
 */
export async function decide(turn: Turn, askId: string, verdict: NewVerdict): Promise<Ask> {
  turn.assertOpen('A decision');
  const { lease, workId, who, place, from, reading } = turn;
  const ask = findAsk(turn.written, askId) ?? [turn.reply, turn.parked?.ask].find((each) => each?.id === askId);
  if (ask === undefined) throw new AgentError('unknown-ask', `This conversation has no open ask ${askId}.`);
  if (ask.decision !== undefined) return ask;
  const { status } = verdict;
  const isTheirs = reading.type === 'reply' || status === 'declined' || status === 'cancelled';
  const by = {
    entry: workId,
    at: lease.now(),
    channel: (from ?? place).channel,
    who: isTheirs ? who : undefined,
    drawn: drawnIn(reading, askId),
    from,
  };
  const over = decidedBy(ask, verdict, by);
  const after = handledEarly(turn, withAsk(turn.written, over), over);
  if (!turn.isAside) {
    const asks = { opened: [], changed: [askId], settled: [] };
    await lease.save({ type: 'hold' }, { document: writeConversation(after), asks });
  }
  turn.written = after;
  return over;
}

/** An answer that a waiting turn takes out of line is marked with the decision itself: neither is there without the other. */
function handledEarly({ workId, reading, lease }: Turn, conversation: Conversation, ask: Ask): Conversation {
  if (ask.progress.waitsIn === undefined || ask.progress.waitsIn === workId) return conversation;
  const disposition = reading.type === 'notice' ? reading.disposition : dispositionOfDecision(ask);
  const outcome = { disposition, said: [lease.historyEnd, lease.historyEnd] } as const; // the decision itself says nothing
  return withEarlyOutcome(conversation, workId, ask.question.sensitive ? { ...outcome, hidden: true } : outcome);
}

/** Counts a vote: the decision, if it is the one that was missing. */
export async function vote(turn: Turn, askId: string, value: boolean, verdict: NewVerdict): Promise<Ask | undefined> {
  const ask = findAsk(turn.written, askId);
  const { who, place, from, workId, lease } = turn;
  if (ask === undefined || who === undefined)
    throw new AgentError('unknown-ask', `No vote can be given to ask ${askId}.`);
  const by: Mutable<Participant> = { id: who.id };
  if (who.name !== undefined) by.name = who.name;
  const given: Vote = { by, at: lease.now(), value, entry: workId, channel: (from ?? place).channel };
  const result = countVote(ask, given);
  if (result.type === 'decided') {
    turn.written = withAsk(turn.written, result.ask);
    return decide(turn, askId, verdict);
  }
  const { wording } = turn.language;
  turn.undecided = { type: 'voted' };
  if (result.type === 'open') turn.moves.push({ type: 'vote', askId, vote: given });
  tell(turn, result.type === 'open' ? wording.voted(result.yes, result.needed) : wording.votedAlready());
  return undefined;
}
