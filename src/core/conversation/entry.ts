/**
 * Entries: everything that can change a conversation, and the dispositions that say what became of each.
 */
import type { Ask, Place } from '../ask/ask.js';
import type { Failure } from '../errors.js';
import type { Json } from '../json.js';
import type { Participant } from '../participant.js';

/** A message that a person or a trigger sent. */
export interface MessageEntry {
  readonly type: 'message';
  readonly text: string;
  readonly place: Place;
  readonly participant?: Participant;
  readonly askId?: string;
  readonly choice?: string | readonly string[];
  /** What a form or another control gave, as the question's type takes it from a program. */
  readonly value?: Json;
  readonly intent?: string;
  readonly data?: Json;
  /** Written by a program: never an answer. */
  readonly automated?: true;
  /** A person sent it, and wrote nothing of their own: never an answer. */
  readonly wordless?: true;
  /** It was prepared beforehand: it may answer what is shown only after it was recorded. */
  readonly prepared?: true;
  /** When it was written, by the platform's clock, or its age in ms when it was handed over: that is exact however much clocks differ. */
  readonly sentAt?: number | { readonly age: number };
  /** The channel tells what is wrong with the value: nothing is said about it. */
  readonly tellsProblem?: true;
  /** The text was over the limit and was not kept. */
  readonly oversize?: true;
}

/** An answer given by name over the API or a page. */
export interface AnswerEntry {
  readonly type: 'answer';
  readonly askId: string;
  readonly by?: Participant;
  readonly text?: string;
  readonly value?: Json;
  /** A digest of what the person was shown when they decided. */
  readonly drawn?: string;
}

/** What comes with the end of an ask: who wants it, and why. */
export interface EndGiven {
  readonly by?: Participant;
  /** What the person said about it, or `'timeout'` where whoever waited gave up. */
  readonly reason?: string;
  /** A digest of what the person was shown. */
  readonly drawn?: string;
}

export interface DeclineEntry extends EndGiven {
  readonly type: 'decline';
  readonly askId: string;
}

/** Cancels one ask, or every ask open in the conversation. */
export interface CancelEntry extends EndGiven {
  readonly type: 'cancel';
  readonly askId?: string;
}

/** An ask that a turn of another conversation opens here. The deadline starts when it is opened. */
export interface OpenEntry {
  readonly type: 'open';
  readonly ask: Ask;
  readonly expiresIn?: number;
}

/** What a turn of another conversation says here. No agent runs for it. */
export interface SayEntry {
  readonly type: 'say';
  readonly place: Place;
  readonly text: string;
  /** The ids of the participants whom that turn is about: who wrote, and for whom it acts. */
  readonly about?: readonly string[];
}

/** Hands an ask over to another person. */
export interface HandOverEntry {
  readonly type: 'hand-over';
  readonly askId: string;
  readonly by: Participant;
  readonly to: Participant;
  /** The id of `to` is one of a channel, and no channel knows anybody by it who may answer. */
  readonly isUnknown?: true;
  /** What the person said about it. */
  readonly reason?: string;
  /** Where the other person is told, and where the one who hands it over is, if a channel knows. */
  readonly place?: Place;
  readonly ownPlace?: Place;
}

export interface UndeliverableEntry {
  readonly type: 'undeliverable';
  readonly askId: string;
  /** The number of the copy that could not be delivered. An older release did not record it. */
  readonly copy?: number;
  readonly failure: Failure;
}

/** An operator's order about a parked entry: to try it again, or to end its work without that. */
export interface ParkedEntry {
  readonly type: 'retry' | 'unpark';
  readonly parkedId: string;
  /** The turn id of the parked work, which the claim of this entry has: what the work remembered is found by it, or goes with it. */
  readonly turn?: string;
  /** The operator, and what they said, where the work is ended. */
  readonly by?: Participant;
  readonly reason?: string;
}

export type Entry =
  | MessageEntry
  | AnswerEntry
  | DeclineEntry
  | CancelEntry
  /** Expires an ask that has no deadline of its own; from recoverPending(). */
  | { readonly type: 'expire'; readonly askId: string }
  | OpenEntry
  | SayEntry
  | UndeliverableEntry
  /** Shows a question again, or takes the next step of its escalation. Never in a queue: the worker finds in the document that it is due. */
  | { readonly type: 'remind' | 'escalate'; readonly askId: string }
  | HandOverEntry
  /** Sends a new copy of an open question, on this channel or wherever it stands now. */
  | { readonly type: 'show'; readonly askId: string; readonly channel?: string }
  /** Uses up what an answer has allowed. Only the first such entry of an ask counts. */
  | { readonly type: 'use'; readonly askId: string }
  | ParkedEntry;

/** An entry that names an ask. */
export type NamingEntry = Exclude<Entry, OpenEntry | SayEntry | ParkedEntry>;

/** An entry in the queue, with the id and the time under which the store recorded it. */
export interface Queued {
  readonly id: string;
  readonly at: number;
  readonly entry: Entry;
  /** The process that waits for its disposition. */
  readonly waiter?: string;
  /** The revision of the conversation when it was recorded. Absent if it is being recorded now. */
  readonly revision?: number;
}

/**
 * What became of an entry, such as a message. Every recorded entry ends in exactly one.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { disposition } = await registry.handle({ id: 'm1', conversationId: 'web-anna', text: '12345' });
 * if (disposition.type === 'accepted') console.log(disposition.askId);
 */
export type Disposition =
  | { readonly type: 'accepted'; readonly askId: string }
  /** A part of the answer: a field of a form. */
  | { readonly type: 'partial'; readonly askId: string }
  /** One of the votes that are needed. */
  | { readonly type: 'voted'; readonly askId: string }
  | { readonly type: 'insufficient'; readonly askId: string; readonly retries: number }
  | { readonly type: 'declined'; readonly askId: string }
  | { readonly type: 'late'; readonly askId: string }
  | { readonly type: 'not-authorised'; readonly askId: string }
  | { readonly type: 'already'; readonly askId: string }
  /** Decided by what the ask is no longer: an earlier entry has changed it. */
  | { readonly type: 'outdated'; readonly askId: string }
  | { readonly type: 'invalid'; readonly askId: string; readonly problem: string }
  | { readonly type: 'ordinary' }
  | { readonly type: 'ignored'; readonly why: string }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'control'; readonly askId?: string };

/** History items, by their numbers: from the first up to before the second. */
export type ItemRange = readonly [from: number, to: number];

/** What became of an entry; for whoever handed it in, also what its turn wrote into the history, and the metadata of its result. */
export interface EntryOutcome {
  readonly disposition: Disposition;
  readonly said?: ItemRange;
  readonly metadata?: { readonly [key: string]: Json };
}

/** The disposition of the entry that decided an ask. */
export function dispositionOfDecision({ id: askId, status, progress: { retries } }: Ask): Disposition {
  if (status === 'answered') return { type: 'accepted', askId };
  if (status === 'exhausted') return { type: 'insufficient', askId, retries };
  return status === 'declined' ? { type: 'declined', askId } : { type: 'control', askId };
}

/**
 * How much of the reserved room of a full queue the entry may use. Answers and cancels over the API may use all of it, and
 * messages that name an ask, which anybody can send, half: what they fill keeps out no decision of a program or an operator.
 */
export function reservedRoomFor(entry: Entry, reserved: number): number {
  if (entry.type !== 'message') return reserved;
  return entry.askId === undefined ? 0 : Math.ceil(reserved / 2);
}

/** The digest of what the author of the entry was shown, where that is known. */
export function drawnFor(entry: Entry): string | undefined {
  return 'drawn' in entry ? entry.drawn : undefined;
}

export function authorOf(entry: Entry): Participant | undefined {
  if (entry.type === 'message') return entry.participant;
  return 'by' in entry ? entry.by : undefined;
}

/** The id of the ask that it names; undefined for an entry that names none. */
export function namedAskId(entry: Entry): string | undefined {
  return 'askId' in entry ? entry.askId : undefined;
}

/** The place that a message was written in; undefined for other entries. */
export function writtenAt(entry: Entry): Place | undefined {
  return entry.type === 'message' ? entry.place : undefined;
}

/** Whether the entry is an operator's order about parked work. It is claimed under the turn id of that work. */
export function isAboutParked(entry: Entry): entry is ParkedEntry {
  return entry.type === 'retry' || entry.type === 'unpark';
}

/** Whether the entry cancels every ask that is open in the conversation. */
export function cancelsAll(entry: Entry): entry is CancelEntry {
  return entry.type === 'cancel' && entry.askId === undefined;
}

/** Whether it is what becomes of such an entry. */
export function isCancelOfAll(disposition: Disposition): boolean {
  return disposition.type === 'control' && disposition.askId === undefined;
}

/** Why an ask that was given up before it was open is ignored. */
export const cancelledBeforeAsked = 'cancelled before it was asked';

/** Whether whoever opens this ask has given it up since: its cancel stands in the queue as well. */
export function isGivenUp(askId: string, queue: readonly Queued[]): boolean {
  return queue.some(({ entry }) => entry.type === 'cancel' && entry.askId === askId);
}

const openPrefix = 'open:';

/** The id of the entry that opens an ask. `attempt` counts the entries of an ask that was refused for want of room. */
export function openEntryId(askId: string, attempt = 1): string {
  return attempt === 1 ? `${openPrefix}${askId}` : `${openPrefix}${askId}:${attempt}`;
}

/** The id of the ask that the entry of this id opens; undefined for other entries. */
export function askOpenedBy(entryId: string): string | undefined {
  return entryId.startsWith(openPrefix) ? entryId.slice(openPrefix.length).replace(/:\d+$/, '') : undefined;
}

/** The id of the entry that says something here; `key` is that of the turn, `number` the place among its moves. */
export function sayEntryId(key: string, number: number): string {
  return `say:${key}:${number}`;
}
