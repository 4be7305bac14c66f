/**
 * The conversation's document and the rules that change it. Pure: a document in, the next document out.
 * The store never looks inside; it keeps the document as text.
 */
import type { Ask } from '../ask/ask.js';
import { discreet, isPast } from '../ask/ask.js';
import { decided } from '../ask/decision.js';
import { nextReminder } from '../ask/reminders.js';
import type { Failure } from '../errors.js';
import type { Disposition, Queued } from './entry.js';

/** An entry that failed too often, kept until a person decides. */
export interface Parked {
  readonly id: string;
  readonly at: number;
  readonly queued: Queued;
  readonly turn: string;
  readonly attempts: number;
  readonly failure: Failure;
  /** The ask this entry had decided, whose continuation has not run. */
  readonly ask?: Ask;
}

/** What became of an entry that a waiting turn took out of line. `hidden`: what it says is not remembered. */
export interface EarlyOutcome {
  readonly disposition: Disposition;
  readonly hidden?: true;
}

export interface Conversation {
  readonly v: 1;
  /** In the order asked. The first is the head; only a decided ask whose continuation is unfinished is not pending. */
  readonly asks: readonly Ask[];
  /** The ask that expired last, until somebody who might have answered it writes. */
  readonly late?: Ask;
  readonly parked: readonly Parked[];
  readonly people: readonly string[];
  /** Entries that a waiting turn took out of line, and what became of them; until they are closed in their turn. */
  readonly heard?: { readonly [entryId: string]: EarlyOutcome };
}

export const emptyConversation: Conversation = { v: 1, asks: [], parked: [], people: [] };

/** What a holder does next: an entry from the queue, or settling an ask that nobody else will. */
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
    }
  | { readonly type: 'remind'; readonly id: string; readonly askId: string; readonly at: number };

/**
 * Which work comes first. The answer is the same on every re-run: what an earlier attempt decided comes first, then asks
 * that were over before the entry at the front was recorded, then that entry; a reminder only when no entry waits, because
 * one of them may be the answer.
 */
export function nextWork(conversation: Conversation, front: Queued | undefined, now: number): Work | undefined {
  const mine = (ask: Ask): boolean => ask.waitsIn !== undefined && ask.waitsIn === front?.id; // its turn sees to it
  const begun = conversation.asks.find((ask) => ask.decision !== undefined && !mine(ask));
  if (begun?.decision !== undefined && begun.decision.entry !== front?.id) {
    const as = begun.status === 'cancelled' ? 'cancelled' : 'expired';
    const cause = front !== undefined && cancelsAll(front) ? { cause: front.id } : {};
    return { type: 'settle', id: begun.decision.entry, askId: begun.id, as, at: begun.decision.at, ...cause };
  }
  if (begun === undefined) {
    const horizon = front?.at ?? now;
    const over = conversation.asks.find((ask) => isPast(ask, horizon) && !mine(ask));
    if (over !== undefined)
      return { type: 'settle', id: `expiry:${over.id}`, askId: over.id, as: 'expired', at: over.expiresAt ?? now };
    if (front !== undefined && cancelsAll(front)) {
      const meant = conversation.asks.find((ask) => ask.cause !== front.id);
      const id = `cancel:${front.id}:${meant?.id}`;
      if (meant !== undefined)
        return { type: 'settle', id, askId: meant.id, as: 'cancelled', at: front.at, cause: front.id };
    }
  }
  if (front !== undefined) return { type: 'entry', id: front.id, queued: front };
  const head = conversation.asks[0];
  const at = nextReminder(head);
  if (head === undefined || at === undefined || at > now) return undefined;
  return { type: 'remind', id: `remind:${head.id}:${head.reminded ?? 0}:${at}`, askId: head.id, at };
}

function cancelsAll({ entry }: Queued): boolean {
  return entry.type === 'cancel' && entry.askId === undefined;
}

export function findAsk(conversation: Conversation, id: string): Ask | undefined {
  return conversation.asks.find((ask) => ask.id === id);
}

/** The document with a new ask at the end of the line. Opening an ask that is there changes nothing. */
export function opened(conversation: Conversation, ask: Ask): Conversation {
  if (findAsk(conversation, ask.id) !== undefined) return conversation;
  return { ...conversation, asks: [...conversation.asks, ask] };
}

/** The document with an ask that a turn waits for: put to the human at once, before all others. */
export function firstInLine(conversation: Conversation, ask: Ask): Conversation {
  return { ...conversation, asks: [{ ...ask, shown: true }, ...conversation.asks] };
}

/** An entry that a waiting turn has dealt with stays in line, and is closed with this when its turn comes. */
export function outOfLine(conversation: Conversation, entryId: string, heard: EarlyOutcome): Conversation {
  return { ...conversation, heard: { ...conversation.heard, [entryId]: heard } };
}

export function heardAs(conversation: Conversation, entryId: string): EarlyOutcome | undefined {
  const { heard } = conversation;
  return heard !== undefined && Object.hasOwn(heard, entryId) ? heard[entryId] : undefined;
}

export function withoutHeard(conversation: Conversation, entryId: string): Conversation {
  if (heardAs(conversation, entryId) === undefined) return conversation;
  const { heard = {}, ...rest } = conversation;
  const left = Object.entries(heard).filter(([id]) => id !== entryId);
  return left.length === 0 ? rest : { ...rest, heard: Object.fromEntries(left) };
}

/** What a turn waited for ends with it: an ask that it did not ask again after a crash is cancelled. */
export function withoutWaiting(conversation: Conversation, workId: string, now: number): Conversation {
  if (!conversation.asks.some((ask) => ask.waitsIn === workId && ask.status === 'pending')) return conversation;
  const asks = conversation.asks.map((ask) => {
    if (ask.waitsIn !== workId || ask.status !== 'pending') return ask;
    return decided(ask, { status: 'cancelled', decision: { at: now, entry: `left:${ask.id}` } });
  });
  return { ...conversation, asks };
}

export function changed(conversation: Conversation, ask: Ask): Conversation {
  return { ...conversation, asks: conversation.asks.map((each) => (each.id === ask.id ? ask : each)) };
}

/** The document without an ask that is over. An expired one is remembered for whoever answers too late. */
export function settled(conversation: Conversation, ask: Ask): Conversation {
  const rest = { ...conversation, asks: conversation.asks.filter((each) => each.id !== ask.id) };
  return ask.status === 'expired' ? { ...rest, late: discreet(ask) } : rest;
}

export function withoutLate(conversation: Conversation): Conversation {
  const { late: _, ...rest } = conversation;
  return rest;
}

export function parkedAside(conversation: Conversation, parked: Parked): Conversation {
  const aside = parked.ask === undefined ? conversation : settled(conversation, parked.ask);
  return { ...aside, parked: [...aside.parked.filter((each) => each.id !== parked.id), parked] };
}

export function unparked(conversation: Conversation, id: string): Conversation {
  return { ...conversation, parked: conversation.parked.filter((each) => each.id !== id) };
}

export function withPerson(conversation: Conversation, id: string): Conversation {
  if (conversation.people.includes(id)) return conversation;
  return { ...conversation, people: [...conversation.people, id] };
}

/** The head's question goes out when it becomes the head, unless its end is what comes next: its time is over, or it is `doomed`. */
export function presented(
  conversation: Conversation,
  now: number,
  doomed: (ask: Ask) => boolean = () => false,
): { conversation: Conversation; question?: Ask } {
  const head = conversation.asks[0];
  if (head === undefined || head.shown || head.status !== 'pending') return { conversation };
  if (isPast(head, now) || doomed(head)) return { conversation };
  const shown: Ask = { ...head, shown: true };
  const question: Ask = head.remindAfter === undefined ? shown : { ...shown, shownAt: now };
  return { conversation: changed(conversation, question), question };
}

/** When the conversation wants a holder although no entry waits. */
export function dueAt(conversation: Conversation): number | undefined {
  let due = nextReminder(conversation.asks[0]);
  for (const { status, expiresAt } of conversation.asks) {
    if (status === 'pending' && expiresAt !== undefined && !(due !== undefined && due <= expiresAt)) due = expiresAt;
  }
  return due;
}

/** Something here still waits for a person, so it must not be forgotten. */
export function isOpen(conversation: Conversation): boolean {
  return conversation.asks.length > 0 || conversation.parked.length > 0;
}
