/**
 * The conversation's document and the rules that change it. Pure: a document in, the next document out.
 * A store never looks inside: it keeps the document as a string (format/document.ts).
 */
import type { Ask } from '../ask/ask.js';
import { isExpiredAt, withoutSensitiveAnswer } from '../ask/ask.js';
import { decided, takeBackId } from '../ask/decision.js';
import { firstPlaces, withCopiesAt } from '../ask/places.js';
import { nextReminder } from '../ask/reminders.js';
import { escalationId, nextEscalation } from '../ask/steps.js';
import { definedFields } from '../defined-fields.js';
import type { Failure } from '../errors.js';
import type { Participant } from '../participant.js';
import type { EntryOutcome, Queued } from './entry.js';
import { cancelsAll, isCancelOfAll } from './entry.js';

/** An entry that failed too often, kept until a person decides. */
export interface Parked {
  readonly id: string;
  readonly at: number;
  readonly queued: Queued;
  readonly turn: string;
  /** What tells it from other work under the same turn id, where it was done ahead of a retry. */
  readonly scope?: string;
  readonly attempts: number;
  readonly failure: Failure;
  /** The agent whose turn failed, where one ran. */
  readonly agentName?: string;
  /** The tenant of whoever it is for. */
  readonly tenant?: string;
  /** The ask this entry had decided, whose continuation has not run. */
  readonly ask?: Ask;
  /** The asks that its turn waited for, decided: a retry finds them instead of asking again. */
  readonly awaited?: readonly Ask[];
  /** It was read as an ordinary message, and stays one: its turn may have begun. */
  readonly ordinary?: true;
  /** The words of the entry may be a sensitive answer, and are quoted nowhere. */
  readonly hidden?: true;
}

/** What became of an entry that a waiting turn handled early. `hidden`: the history must not quote it. */
export interface EarlyOutcome extends Pick<EntryOutcome, 'disposition' | 'said'> {
  readonly hidden?: true;
}

/** A sensitive ask that has ended, without its answer: what is written after it may be the answer once more. */
export interface SensitiveTrace {
  readonly ask: Ask;
  readonly endedAt: number;
  /** The revision that ended it. */
  readonly endedIn?: number;
  /** No answer was handled, and nobody who might give one has written since. */
  readonly unanswered?: true;
}

export interface Conversation {
  readonly v: 1;
  /** In the order asked. The first is the head; only a decided ask whose continuation is unfinished is not pending. */
  readonly asks: readonly Ask[];
  /** The ask that expired last, until somebody who might have answered it writes. */
  readonly late?: Ask;
  /** Sensitive asks that ended a short time ago, without their answers: what is written next may be one. */
  readonly sensitiveTraces?: readonly SensitiveTrace[];
  readonly parked: readonly Parked[];
  /** By id: entries that a waiting turn handled early. They stay in the queue and are closed when they reach its front. */
  readonly earlyOutcomes?: { readonly [entryId: string]: EarlyOutcome };
}

export const emptyConversation: Conversation = { v: 1, asks: [], parked: [] };

/** What a worker does next: an entry of the queue, the end of an ask that no entry decides, a reminder or a step of an escalation. */
export type Work =
  | { readonly type: 'entry'; readonly id: string; readonly queued: Queued }
  | {
      readonly type: 'settle';
      readonly id: string;
      readonly askId: string;
      readonly as: 'expired' | 'cancelled';
      readonly at: number;
      /** The entry that wants it, where there is one. */
      readonly cause?: string;
      /** Who gave that entry, and what they said. */
      readonly by?: Participant;
      readonly reason?: string;
    }
  | { readonly type: 'remind' | 'escalate'; readonly id: string; readonly askId: string; readonly at: number };

/**
 * Which work comes first. It is the same on every re-run:
 * 1. an ask that an earlier attempt decided and did not finish;
 * 2. an ask that expired before the entry at the front was recorded, the earliest deadline first;
 * 3. if that entry cancels all asks, the next ask that it cancels;
 * 4. that entry;
 * 5. a reminder or the next step of an escalation, whichever was due first, only while the queue is empty, because an entry may be
 *    the answer.
 */
export function nextWork(conversation: Conversation, front: Queued | undefined, now: number): Work | undefined {
  const isAwaited = (ask: Ask): boolean => ask.progress.waitsIn !== undefined && ask.progress.waitsIn === front?.id; // its turn ends it
  const begun = conversation.asks.find((ask) => ask.decision !== undefined && !isAwaited(ask));
  if (begun?.decision !== undefined && begun.decision.entry !== front?.id) {
    const as = begun.status === 'cancelled' ? 'cancelled' : 'expired';
    return { type: 'settle', id: begun.decision.entry, askId: begun.id, as, at: begun.decision.at, ...wantedBy(front) };
  }
  if (begun === undefined) {
    const at = front?.at ?? now;
    // however late it is looked at, asks end in the order of their deadlines
    const expired = earliest(conversation.asks, (ask) =>
      isExpiredAt(ask, at) && !isAwaited(ask) ? ask.timing.expiresAt : undefined,
    );
    if (expired !== undefined) {
      const { id: askId } = expired.ask;
      return { type: 'settle', id: `expiry:${askId}`, askId, as: 'expired', at: expired.at };
    }
    if (front !== undefined && cancelsAll(front.entry)) {
      const next = conversation.asks.find((ask) => ask.own.cause !== front.id);
      const id = `cancel:${front.id}:${next?.id}`;
      if (next !== undefined)
        return { type: 'settle', id, askId: next.id, as: 'cancelled', at: front.at, ...wantedBy(front) };
    }
  }
  if (front !== undefined) return { type: 'entry', id: front.id, queued: front };
  const head = conversation.asks[0];
  const at = nextReminder(head);
  const step = earliest(conversation.asks, nextEscalation);
  if (step !== undefined && step.at <= now && !(at !== undefined && at <= step.at))
    return { type: 'escalate', id: escalationId(step.ask), askId: step.ask.id, at: step.at };
  if (head === undefined || at === undefined || at > now) return undefined;
  return { type: 'remind', id: `remind:${head.id}:${head.progress.reminded ?? 0}:${at}`, askId: head.id, at };
}

/** The ask for which this time comes first; of two with the same one, the one asked first. */
function earliest(
  asks: readonly Ask[],
  timeOf: (ask: Ask) => number | undefined,
): { readonly ask: Ask; readonly at: number } | undefined {
  let first: { readonly ask: Ask; readonly at: number } | undefined;
  for (const ask of asks) {
    const at = timeOf(ask);
    if (at !== undefined && (first === undefined || at < first.at)) first = { ask, at };
  }
  return first;
}

/** What the end of an ask owes to an entry that cancels all of them; nothing for any other. */
function wantedBy(front: Queued | undefined): Pick<Extract<Work, { type: 'settle' }>, 'cause' | 'by' | 'reason'> {
  if (front === undefined || !cancelsAll(front.entry)) return {};
  const { by, reason } = front.entry;
  return { cause: front.id, ...definedFields({ by, reason }) };
}

export function findAsk(conversation: Conversation, id: string): Ask | undefined {
  return conversation.asks.find((ask) => ask.id === id);
}

/** The document with a new ask behind the others. Opening an ask that is there changes nothing. */
export function withAskOpened(conversation: Conversation, ask: Ask): Conversation {
  if (findAsk(conversation, ask.id) !== undefined) return conversation;
  return { ...conversation, asks: [...conversation.asks, ask] };
}

/** The document with an ask that a turn waits for: before all others, so that it is shown at once. */
export function withAskFirst(conversation: Conversation, ask: Ask): Conversation {
  return { ...conversation, asks: [{ ...ask, progress: { ...ask.progress, shown: true } }, ...conversation.asks] };
}

/** The document that remembers what became of an entry which a waiting turn handled early. */
export function withEarlyOutcome(conversation: Conversation, entryId: string, heard: EarlyOutcome): Conversation {
  return { ...conversation, earlyOutcomes: { ...conversation.earlyOutcomes, [entryId]: heard } };
}

export function earlyOutcomeOf(conversation: Conversation, entryId: string): EarlyOutcome | undefined {
  const { earlyOutcomes } = conversation;
  return earlyOutcomes !== undefined && Object.hasOwn(earlyOutcomes, entryId) ? earlyOutcomes[entryId] : undefined;
}

/**
 * What became of an entry that a waiting turn handled early, if that was all: a cancel of all asks is done only when the
 * others are cancelled too.
 */
export function finalEarlyOutcomeOf(conversation: Conversation, entryId: string): EntryOutcome | undefined {
  const early = earlyOutcomeOf(conversation, entryId);
  if (early === undefined) return undefined;
  const { disposition, said } = early;
  const isLeft =
    isCancelOfAll(disposition) &&
    conversation.asks.some(({ status, own }) => status === 'pending' && own.cause !== entryId);
  if (isLeft) return undefined;
  return said === undefined ? { disposition } : { disposition, said };
}

/** The ask that the turn of this entry waits for now; undefined if it waits for none. */
export function askWaitedForBy({ asks }: Conversation, entryId: string): Ask | undefined {
  return asks.find(({ status, progress }) => status === 'pending' && progress.waitsIn === entryId);
}

export function withoutEarlyOutcome(conversation: Conversation, entryId: string): Conversation {
  if (earlyOutcomeOf(conversation, entryId) === undefined) return conversation;
  const { earlyOutcomes: heard = {}, ...rest } = conversation;
  const left = Object.entries(heard).filter(([id]) => id !== entryId);
  return left.length === 0 ? rest : { ...rest, earlyOutcomes: Object.fromEntries(left) };
}

/** The document after a turn: asks that it waited for, and did not ask again after a crash, are cancelled. */
export function withAwaitedAsksCancelled(conversation: Conversation, workId: string, now: number): Conversation {
  if (askWaitedForBy(conversation, workId) === undefined) return conversation;
  const asks = conversation.asks.map((ask) => {
    if (ask.progress.waitsIn !== workId) return ask;
    return decided(ask, { status: 'cancelled', decision: { at: now, entry: takeBackId('left', ask.id) } });
  });
  return { ...conversation, asks };
}

/** The document with another state of an ask that it has. */
export function withAsk(conversation: Conversation, ask: Ask): Conversation {
  return { ...conversation, asks: conversation.asks.map((each) => (each.id === ask.id ? ask : each)) };
}

/** The ids of asks that both documents have, and that are another state of the ask in the second one. */
export function changedAsks(before: Conversation, after: Conversation): readonly string[] {
  if (before.asks === after.asks) return [];
  return after.asks.flatMap((ask) => {
    const found = findAsk(before, ask.id);
    return found === undefined || found === ask ? [] : [ask.id];
  });
}

/** Whether both say the same, as far as that can be seen without looking into their parts: if not, it is only written again. */
export function isSameDocument(one: Conversation, other: Conversation): boolean {
  if (one === other) return true;
  const keys = Object.keys(other) as (keyof Conversation)[];
  return keys.length === Object.keys(one).length && keys.every((key) => isSamePart(one[key], other[key]));
}

function isSamePart(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((item, i) => item === other[i]);
}

/** The document without an ask that has ended. An expired one stays as `late`, for a reply that comes after it. */
export function withAskSettled(conversation: Conversation, ask: Ask, now: number, revision?: number): Conversation {
  const rest = { ...conversation, asks: conversation.asks.filter((each) => each.id !== ask.id) };
  const traced = ask.question.sensitive ? withSensitiveTrace(rest, ask, now, revision) : rest;
  return ask.status === 'expired' ? { ...traced, late: withoutSensitiveAnswer(ask) } : traced;
}

/** Enough for all sensitive asks that end at one time. */
const mostTraces = 10;

/** The document that remembers, without any answer, that a sensitive ask has ended. */
function withSensitiveTrace(conversation: Conversation, ask: Ask, endedAt: number, endedIn?: number): Conversation {
  const isSetAside = (parked: Parked): boolean =>
    [parked.ask, ...(parked.awaited ?? [])].some((it) => it?.id === ask.id);
  // whoever is told that it failed sends it again
  const isHandled = ask.status === 'answered' && !conversation.parked.some(isSetAside);
  const { question, own } = ask;
  const emptied = { question: { ...question, data: {} }, own: { ...own, context: {} } };
  const without: Ask = { ...withoutSensitiveAnswer(ask), ...emptied };
  const ended: SensitiveTrace = { ask: without, endedAt, ...(endedIn === undefined ? {} : { endedIn }) };
  const trace: SensitiveTrace = isHandled ? ended : { ...ended, unanswered: true };
  const others = (conversation.sensitiveTraces ?? []).filter((each) => each.ask.id !== ask.id);
  return { ...conversation, sensitiveTraces: [...others, trace].slice(-mostTraces) };
}

export function withoutLate(conversation: Conversation): Conversation {
  const { late: _, ...rest } = conversation;
  return rest;
}

/** The document with work set aside. The ask that it decided ends with that, once: work that fails again ends nothing. */
export function withParked(conversation: Conversation, parked: Parked, revision?: number): Conversation {
  const { id, ask, at } = parked;
  const aside = { ...conversation, parked: [...conversation.parked.filter((each) => each.id !== id), parked] };
  const isOver = ask === undefined || findAsk(conversation, ask.id) === undefined;
  return isOver ? aside : withAskSettled(aside, ask, at, revision);
}

export function withoutParked(conversation: Conversation, id: string): Conversation {
  return { ...conversation, parked: conversation.parked.filter((each) => each.id !== id) };
}

/**
 * The ask put to people by the save that makes this revision. Its reminders and its escalation count from the first time. What stood behind
 * another question notes that time, too: nobody could have seen it before.
 */
export function withShown(ask: Ask, now: number, revision?: number): Ask {
  const { timing, progress } = ask;
  const isTimed = timing.remindAfter !== undefined || ask.places.escalate !== undefined;
  const hasWaited = !progress.shown && now - timing.askedAt > shownAtOnce;
  const shown: Ask = { ...ask, progress: { ...progress, shown: true, shownIn: progress.shownIn ?? revision } };
  const isNoted = (isTimed || hasWaited) && timing.shownAt === undefined;
  return isNoted ? { ...shown, timing: { ...timing, shownAt: now } } : shown;
}

/** A question that is shown so soon after it was asked needs no note of when that was, in ms. */
const shownAtOnce = 1_000;

/**
 * The document whose head is shown, and the head if that is new. A question goes out when its ask becomes the head, unless
 * the ask ends next: it has expired, or `isCancelledNext` says so.
 */
export function withHeadShown(
  conversation: Conversation,
  now: number,
  isCancelledNext: (ask: Ask) => boolean = () => false,
  revision?: number,
): { conversation: Conversation; question?: Ask } {
  const head = conversation.asks[0];
  if (head === undefined || head.progress.shown || head.status !== 'pending') return { conversation };
  if (isExpiredAt(head, now) || isCancelledNext(head)) return { conversation };
  const placed = head.places.further === undefined ? head : withCopiesAt(head, undefined, firstPlaces(head));
  const question = withShown(placed, now, revision);
  return { conversation: withAsk(conversation, question), question };
}

/** When the conversation has work although its queue is empty: the next deadline, reminder or step of an escalation. */
export function dueAt({ asks }: Conversation): number | undefined {
  const deadline = earliest(asks, ({ status, timing }) => (status === 'pending' ? timing.expiresAt : undefined))?.at;
  const times = [deadline, nextReminder(asks[0]), earliest(asks, nextEscalation)?.at].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether something waits for a person: such a conversation is kept however long that takes. */
export function isOpen(conversation: Conversation): boolean {
  return conversation.asks.length > 0 || conversation.parked.length > 0;
}

/**
 * Whether a process without agents has something to do here: an ask that no agent owns is open, or waits to be opened. A registry without
 * agents asked it, and the decision is all that follows. What else is said to such a conversation is nobody's.
 */
export function hasUnownedAsk({ asks }: Conversation, queue: readonly Queued[]): boolean {
  return (
    asks.some(({ own }) => own.unowned === true) ||
    queue.some(({ entry }) => entry.type === 'open' && entry.ask.own.unowned === true)
  );
}

/** Whether an agent's question is open here, too: then what is no reply is for that agent. */
export function hasOwnedAsk({ asks }: Conversation): boolean {
  return asks.some(({ own }) => own.unowned !== true);
}
