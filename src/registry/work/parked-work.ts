/**
 * Work that is set aside for a person, as it is kept: what it was about, and what its turn had decided and waited for.
 */
import type { Ask } from '../../core/ask/ask.js';
import type { Parked } from '../../core/conversation/conversation.js';
import { withAwaitedAsksCancelled } from '../../core/conversation/conversation.js';
import type { Queued } from '../../core/conversation/entry.js';
import { authorOf } from '../../core/conversation/entry.js';
import { hidesWords } from '../../core/conversation/hidden-words.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import { routedId } from '../../core/ids.js';
import type { Turn } from '../turn/turn.js';

/** The record, and the asks that end with it. */
export function parkedWork(
  turn: Turn,
  failure: Failure,
): { readonly parked: Parked; readonly settled: readonly Ask[] } {
  const { lease, work, claim, scope, written, conversationId, attempt, parked: before } = turn;
  const ask = before?.ask ?? written.asks.find((each) => each.decision?.entry === work.id);
  const awaited = awaitedBy(turn);
  const parked: Parked = {
    id: before?.id ?? routedId(conversationId, claim.turn, 'parked', work.id),
    at: lease.now(),
    queued: parkedEntry(turn),
    turn: claim.turn,
    attempts: attempt,
    failure,
    ...definedFields({
      ask,
      scope,
      tenant: tenantOf(turn, ask),
      agentName: before?.agentName ?? turn.agentName,
      awaited: awaited.length === 0 ? undefined : awaited,
      ordinary: isOrdinary(turn, ask, awaited) || undefined,
      hidden: hidesWords(turn) || undefined,
    }),
  };
  return { parked, settled: before?.ask === undefined && ask !== undefined ? [ask] : [] };
}

/** The asks that the turn, in all of its attempts, waited for, as they end with it. */
function awaitedBy({ parked, workId, written, waits, lease }: Turn): readonly Ask[] {
  const { asks } = withAwaitedAsksCancelled(written, workId, lease.now());
  const here = asks.filter((ask) => ask.progress.waitsIn === workId && ask.decision !== undefined);
  const all = [...(parked?.awaited ?? []), ...here, ...(waits?.awaited ?? [])];
  return [...new Map(all.map((ask) => [ask.id, ask])).values()];
}

/** Whether it was read as an ordinary message. Where this attempt did not read it, one that has waited and decided nothing was. */
function isOrdinary({ parked, reading, subject }: Turn, ask: Ask | undefined, awaited: readonly Ask[]): boolean {
  if (parked?.ordinary) return true;
  if (reading.type !== 'unread') return reading.type === 'ordinary';
  return subject.entry.type === 'message' && ask === undefined && awaited.length > 0;
}

/** The entry as a retry reads it: the reply to a sensitive ask stays one, and never becomes an ordinary message. */
function parkedEntry({ subject, reading }: Turn): Queued {
  if (subject.entry.type !== 'message' || reading.type !== 'reply' || !reading.ask.question.sensitive) return subject;
  return { ...subject, entry: { ...subject.entry, askId: reading.ask.id } };
}

/** The tenant that work is parked in: that of its ask, or of whoever wrote. */
function tenantOf({ reading, parked, subject, who: read }: Turn, ask: Ask | undefined): string | undefined {
  const who = reading.type === 'unread' ? authorOf(subject.entry) : read;
  return parked?.tenant ?? ask?.audience.tenant ?? who?.tenant;
}
