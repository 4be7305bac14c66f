/**
 * What an entry is, decided before any agent runs: a reply to an ask, the end of one, a notice to its sender, or an
 * ordinary message. The answer itself is not read here.
 */

import { choicesOf } from '../ask/answer-type.js';
import type { Ask, Closed, Place } from '../ask/ask.js';
import { isExpiredAt } from '../ask/ask.js';
import { type NewVerdict, type OverNotice, overNotice } from '../ask/decision.js';
import { drawnDigest, shownLength } from '../ask/drawn.js';
import { withPlaceLost } from '../ask/places.js';
import type { HandOverRequest } from '../ask/steps.js';
import { afterLoss, handOverProblem, unknownReceiver } from '../ask/steps.js';
import { hasVoted } from '../ask/votes.js';
import { definedFields } from '../defined-fields.js';
import type { Participant } from '../participant.js';
import { answersIn, replyWords, textOf } from '../reply-words.js';
import { folded, isCommand } from '../text.js';
import { english } from '../wording/english.js';
import { type Language, vocabularyOf } from '../wording/language.js';
import type { Wording } from '../wording/wording.js';
import type { Conversation, Parked, SensitiveTrace } from './conversation.js';
import { earlyOutcomeOf, findAsk } from './conversation.js';
import type { Disposition, Entry, HandOverEntry, MessageEntry, Queued, UndeliverableEntry } from './entry.js';
import { cancelsAll, drawnFor, isAboutParked } from './entry.js';
import { mayAnswer, mightAnswer } from './may-answer.js';
import { isPressed } from './reply-text.js';

/** What an entry is. */
export type Reading =
  /** How it came decides what a wrong answer costs: only typed text counts as an attempt. */
  | { readonly type: 'reply'; readonly ask: Ask; readonly how: 'typed' | 'control' | 'api'; readonly entry: Entry }
  | {
      readonly type: 'close';
      readonly ask: Ask;
      readonly as: Closed;
      readonly reason?: string;
      readonly drawn?: string;
    }
  | { readonly type: 'ordinary'; readonly lateFor?: Ask }
  | { readonly type: 'open'; readonly ask: Ask }
  /** Said by a turn of another conversation. */
  | { readonly type: 'say'; readonly place: Place; readonly text: string }
  | { readonly type: 'remind'; readonly ask: Ask }
  | { readonly type: 'copy'; readonly ask: Ask; readonly channel?: string }
  /** The next step of an escalation; `copy` is the one whose loss has caused it. */
  | { readonly type: 'escalate'; readonly ask: Ask; readonly copy?: number }
  /** A copy could not be delivered, and another place may still have the question. */
  | { readonly type: 'lose'; readonly ask: Ask; readonly copy: number }
  | { readonly type: 'hand-over'; readonly ask: Ask; readonly request: HandOverRequest; readonly ownPlace?: Place }
  /** Nothing runs; the sender may get a notice. */
  | {
      readonly type: 'notice';
      readonly notice?: Notice;
      readonly disposition: Disposition;
      readonly ask?: Ask;
      /** A waiting turn handled it early, and the history must not quote it. */
      readonly hidden?: true;
    };

/** What its sender is told, by the name of the sentence. */
export type Notice =
  | 'refused'
  | 'notShown'
  | 'notByMail'
  | 'nothingWritten'
  | 'tooLong'
  | 'unknownAsk'
  | 'votedAlready'
  | OverNotice;

/** What a plain message is to the question that is open. */
export type ReplySorting = 'answer' | 'decline' | 'other';

/** Whether the text is exactly the label of an option. That wins over everything else it might mean. */
export function isOption(ask: Ask, text: string): boolean {
  const choices = choicesOf(ask.shape);
  if (choices.length === 0) return false;
  const reply = folded(text);
  return choices.some((choice) => folded(choice.label) === reply);
}

/** The id of the ask that an entry names, if that ask is not in the document and has to be looked up first. */
export function askIdElsewhere(conversation: Conversation, entry: Entry): string | undefined {
  const askId = 'askId' in entry ? entry.askId : undefined;
  if (askId === undefined || findAsk(conversation, askId) !== undefined) return undefined;
  return conversation.parked.some((parked) => parked.ask?.id === askId) ? undefined : askId;
}

/** The entry that is worked on. For an operator's retry that is the parked entry, under the id of the retry. */
export function subjectOf(
  conversation: Conversation,
  queued: Queued,
): { readonly queued: Queued; readonly parked?: Parked } {
  const { entry } = queued;
  const parked = entry.type === 'retry' ? conversation.parked.find((each) => each.id === entry.parkedId) : undefined;
  return parked === undefined ? { queued } : { queued: asParked(queued, parked), parked };
}

/** The parked work that an entry ends; undefined if it ends none, or that is parked no more. */
export function parkedEndedBy({ parked }: Conversation, entry: Entry): Parked | undefined {
  return entry.type === 'unpark' ? parked.find((each) => each.id === entry.parkedId) : undefined;
}

/** The retry as the entry that it tries again, which is as old as it was. */
function asParked(retry: Queued, { queued }: Parked): Queued {
  const { at, entry, revision } = queued;
  const { revision: _, ...rest } = retry;
  return { ...rest, at, entry, ...(revision === undefined ? {} : { revision }) };
}

/** What `readingOf()` needs beside the document. */
export interface MatchContext {
  /** The settled ask that the entry names, if it was looked up. */
  readonly elsewhere?: Ask | undefined;
  /** The parked entry that is tried again. */
  readonly parked?: Parked | undefined;
  /** What policies allow this person, by `grantOf`. */
  readonly granted?: ReadonlySet<string> | undefined;
  /** The language for a person's locale. Without it, English. */
  readonly language?: ((locale: string | undefined) => Language) | undefined;
  /** To whom the entry hands an ask over, as `identify` named them; null if it knows nobody of that id. */
  readonly to?: Participant | null | undefined;
}

const inEnglish = (): Language => english;

export function isDeclineIn(language: Language, text: string): boolean {
  const { decline, before, after } = vocabularyOf(language.words, english.words);
  const words = replyWords(text);
  return [...answersIn(words, before, after)].some(({ from, to }) => decline.has(textOf(words, from, to)));
}

/** The asks that an entry may be a reply to. */
export function asksAddressedBy(
  conversation: Conversation,
  queued: Queued,
  elsewhere: Ask | undefined,
): readonly Ask[] {
  const { entry } = queued;
  const askId = 'askId' in entry ? entry.askId : undefined;
  if (askId !== undefined) {
    const ask = namedAsk(conversation, askId) ?? elsewhere;
    return ask === undefined ? [] : [ask];
  }
  return [headFor(conversation, queued), conversation.late].filter((ask) => ask !== undefined);
}

/** The ask that a plain message may answer: not what its own turn asked, which a re-run finds there. */
function headFor({ asks }: Conversation, { id }: Queued): Ask | undefined {
  return asks.find((ask) => ask.waitsIn !== id);
}

/** The reading of a plain message after the author's code has sorted it: `as` replaces what the rules found. */
export function withSorting(reading: Reading, as: ReplySorting | undefined, entry: Entry): Reading {
  if (as === undefined || (reading.type !== 'reply' && reading.type !== 'close')) return reading;
  if (as === 'other') return { type: 'ordinary' };
  if (as === 'decline') return { type: 'close', ask: reading.ask, as: 'declined' };
  return { type: 'reply', ask: reading.ask, how: 'typed', entry };
}

/** What the entry is. `who` is its author, as `identify` named them. */
export function readingOf(
  conversation: Conversation,
  queued: Queued,
  who: Participant | undefined,
  more: MatchContext = {},
): Reading {
  const { entry } = queued;
  const early = earlyOutcomeOf(conversation, queued.id);
  if (early !== undefined) return { type: 'notice', ...early };
  const begun = more.parked?.ask ?? conversation.asks.find((ask) => ask.decision?.entry === queued.id);
  if (begun !== undefined) return readingOfDecided(begun, entry);
  if (isAboutParked(entry)) {
    const ended = parkedEndedBy(conversation, entry);
    const disposition: Disposition =
      ended === undefined
        ? { type: 'ignored', why: 'no longer parked' }
        : { type: 'control', ...definedFields({ askId: ended.ask?.id }) };
    return { type: 'notice', disposition };
  }
  if (entry.type === 'open') {
    return findAsk(conversation, entry.ask.id) === undefined
      ? { type: 'open', ask: openedAsk(entry.ask, entry.expiresIn, queued.at) }
      : { type: 'notice', disposition: { type: 'control', askId: entry.ask.id } };
  }
  if (entry.type === 'say') return { type: 'say', place: entry.place, text: entry.text };
  if (cancelsAll(entry)) return { type: 'notice', disposition: { type: 'control' } };
  if (entry.type === 'message' && entry.oversize) {
    return { type: 'notice', notice: 'tooLong', disposition: { type: 'ignored', why: 'too long' } };
  }
  const askId = 'askId' in entry ? entry.askId : undefined;
  if (askId !== undefined) return namedReading(conversation, queued, askId, who, more);
  return entry.type === 'message' ? plainReading(conversation, queued, entry, who, more) : { type: 'ordinary' };
}

/** The decision of an ask that ends without an answer. */
export function closingVerdict({ as, reason }: Extract<Reading, { type: 'close' }>): NewVerdict {
  return as === 'undeliverable' ? { status: 'cancelled', why: as } : { status: as, reason };
}

/** The digest of what the person was shown who decides the ask by this reading. */
export function drawnIn(reading: Reading | { readonly type: 'unread' }, askId: string): string | undefined {
  if ((reading.type !== 'reply' && reading.type !== 'close') || reading.ask.id !== askId) return undefined;
  return reading.type === 'reply' ? drawnFor(reading.entry) : reading.drawn;
}

/** The reading of an entry that decided the ask in an earlier attempt. */
function readingOfDecided(ask: Ask, entry: Entry): Reading {
  if (ask.status === 'answered' || ask.status === 'exhausted') return { type: 'reply', ask, how: howOf(entry), entry };
  return { type: 'close', ask, as: ask.decision?.why ?? (ask.status as Closed) };
}

function openedAsk(ask: Ask, expiresIn: number | undefined, at: number): Ask {
  return { ...ask, askedAt: at, ...(expiresIn === undefined ? {} : { expiresAt: at + expiresIn }) };
}

function howOf(entry: Entry): 'typed' | 'control' | 'api' {
  if (entry.type !== 'message') return 'api';
  return isPressed(entry) ? 'control' : 'typed';
}

function namedAsk(conversation: Conversation, askId: string): Ask | undefined {
  return findAsk(conversation, askId) ?? conversation.parked.find((each) => each.ask?.id === askId)?.ask;
}

/** The reading of an entry that names an ask. */
function namedReading(
  conversation: Conversation,
  { id: entryId, entry }: Queued,
  askId: string,
  who: Participant | undefined,
  { elsewhere, granted, language = inEnglish, to }: MatchContext,
): Reading {
  const ask = namedAsk(conversation, askId) ?? elsewhere;
  if (ask === undefined) {
    const disposition: Disposition = { type: 'ignored', why: 'unknown ask' };
    return entry.type === 'message'
      ? { type: 'notice', notice: 'unknownAsk', disposition }
      : { type: 'notice', disposition };
  }
  const isByPerson = personal.has(entry.type);
  const place = entry.type === 'message' ? entry.place : undefined;
  if (isByPerson && !mayAnswer(ask, who, place, granted)) {
    // whoever sees the question may know that it is over; what a program sends is no reply at all
    const notice = isUnwritten(entry) ? 'refused' : (overNotice(ask) ?? 'refused');
    return { type: 'notice', notice, disposition: { type: 'not-authorised', askId }, ask };
  }
  if (entry.type === 'use') return { type: 'notice', disposition: { type: 'control', askId }, ask };
  if (ask.status !== 'pending') return overReading(ask);
  if (isByPerson && hasVoted(ask, who))
    return { type: 'notice', notice: 'votedAlready', disposition: { type: 'already', askId }, ask };
  const unfit = unfitPlace(ask, entry);
  if (unfit !== undefined) return unfit;
  if (isUnwritten(entry)) return nothingWritten(ask);
  if (isOutdated(entry, ask)) return { type: 'notice', disposition: { type: 'outdated', askId }, ask };
  if (entry.type === 'cancel')
    return { type: 'close', ask, as: 'cancelled', ...definedFields({ reason: entry.reason, drawn: entry.drawn }) };
  if (entry.type === 'undeliverable') return readingOfLoss(ask, entry);
  if (entry.type === 'expire') return { type: 'close', ask, as: 'expired' };
  if (entry.type === 'decline')
    return { type: 'close', ask, as: 'declined', ...definedFields({ reason: entry.reason, drawn: entry.drawn }) };
  if (entry.type === 'remind' || entry.type === 'escalate') return { type: entry.type, ask };
  if (entry.type === 'hand-over')
    return readingOfHandOver(ask, entryId, entry, {
      by: who ?? entry.by,
      to: to === undefined ? entry.to : to,
      language,
    });
  if (entry.type === 'show') {
    // one that waits behind another is shown when its turn comes
    return ask.shown
      ? { type: 'copy', ask, ...definedFields({ channel: entry.channel }) }
      : { type: 'notice', disposition: { type: 'control', askId }, ask };
  }
  const isTyped = entry.type === 'message' && !isPressed(entry);
  if (isTyped && !isOption(ask, entry.text) && isDeclineIn(language(who?.locale), entry.text))
    return { type: 'close', ask, as: 'declined' };
  return { type: 'reply', ask, how: howOf(entry), entry };
}

/** Entries by which a person says something about an ask: they must be somebody who may answer it. */
const personal: ReadonlySet<Entry['type']> = new Set(['message', 'answer', 'decline', 'hand-over']);

/** A question that reached nobody goes to the next step of its escalation at once; without one, its ask is over. */
function readingOfLoss(ask: Ask, { copy }: UndeliverableEntry): Reading {
  if (copy === undefined) return { type: 'close', ask, as: 'undeliverable' };
  const after = afterLoss(withPlaceLost(ask, copy));
  if (after === 'ends') return { type: 'close', ask, as: 'undeliverable' };
  return after === 'escalates' ? { type: 'escalate', ask, copy } : { type: 'lose', ask, copy };
}

function readingOfHandOver(
  ask: Ask,
  entryId: string,
  { reason, place, ownPlace, to: given, isUnknown }: HandOverEntry,
  named: {
    readonly by: Participant;
    readonly to: Participant | null;
    readonly language: NonNullable<MatchContext['language']>;
  },
): Reading {
  const { by, language } = named;
  const refused = (why: (wording: Wording) => string): Reading => {
    const problem = why(language(by.locale ?? ask.locale).wording);
    return { type: 'notice', disposition: { type: 'invalid', askId: ask.id, problem }, ask };
  };
  if (named.to === null) return refused(unknownReceiver(ask, by, given));
  // an `identify` that says nothing of tenants has not made anybody's unknown
  const to = { ...named.to, ...definedFields({ tenant: named.to.tenant ?? given.tenant }) };
  const why = handOverProblem(ask, by, to, isUnknown);
  if (why !== undefined) return refused(why);
  const request = { entry: entryId, by, to, ...definedFields({ reason, place }) };
  return { type: 'hand-over', ask, request, ...definedFields({ ownPlace }) };
}

/**
 * Its author was shown something else than the ask is now. It is compared where the entry is read, because an entry before it in
 * the queue may have changed the ask: nobody decides what they have not seen.
 */
function isOutdated(entry: Entry, ask: Ask): boolean {
  const drawn = drawnFor(entry);
  return drawn !== undefined && drawn !== drawnDigest(ask);
}

/**
 * The reading of what came from where the ask cannot be decided, though its author may answer: where the question cannot be shown in full,
 * because nobody decides what they have not seen; and where its author is proved by the address alone, unless the ask allows it. Undefined for anywhere else.
 */
function unfitPlace(ask: Ask, entry: Entry): Reading | undefined {
  if (entry.type !== 'message') return undefined;
  const { longest, proof } = entry.place;
  const isCutOff = longest !== undefined && shownLength(ask) > longest;
  if (!isCutOff && (proof === undefined || ask.mail === 'decide')) return undefined;
  const notice = isCutOff ? 'notShown' : 'notByMail';
  return { type: 'notice', notice, disposition: { type: 'not-authorised', askId: ask.id }, ask };
}

/** Nobody wrote it, so it cannot be an answer: a program sent it, or a person sent a file and no words. */
function isUnwritten(entry: Entry): boolean {
  if (entry.type !== 'message') return false;
  return entry.automated === true || entry.wordless === true || entry.place.trigger === true;
}

/**
 * It was recorded before the question was shown, or written before that and came late, so it is an answer to something else: nobody
 * consents to what they have not seen. A question whose time was over when its turn came was never shown.
 */
function isOlderThan(ask: Ask, queued: Queued): boolean {
  const { shown, shownIn } = ask;
  const { revision } = queued;
  return (
    !shown || (shownIn !== undefined && revision !== undefined && revision < shownIn) || isWrittenBefore(ask, queued)
  );
}

function isWrittenBefore({ askedAt, shownAt = askedAt }: Ask, { at, entry }: Queued): boolean {
  if (entry.type !== 'message') return false;
  const { sentAt = shownAt, age = 0 } = entry;
  const isLate = age > cameAtOnce && at - age + cameAtOnce < shownAt;
  return isLate || sentAt + clockDifference < shownAt;
}

/** The open question that a message came too late for, by when it was written alone: where clocks differ, that is a mistake. */
export function missedByTime(conversation: Conversation, queued: Queued): Ask | undefined {
  const head = headFor(conversation, queued);
  const isOpen = head?.status === 'pending' && head.shown;
  return isOpen && isWrittenBefore(head, queued) ? head : undefined;
}

/** The open ask that a reply did not count for although its author may be one who may answer: their tenant is not known. */
export function missedByTenant(
  conversation: Conversation,
  queued: Queued,
  reading: Reading,
  who: Participant | undefined,
): Ask | undefined {
  const { entry } = queued;
  if (who === undefined || who.tenant !== undefined || !personal.has(entry.type) || isUnwritten(entry))
    return undefined;
  const ask =
    reading.type === 'ordinary' ? headFor(conversation, queued) : reading.type === 'notice' ? reading.ask : undefined;
  const place = entry.type === 'message' ? entry.place : undefined;
  const isRefused = ask?.status === 'pending' && ask.tenant !== undefined && !mayAnswer(ask, who, place);
  return isRefused && mightAnswer(ask, who, place) ? ask : undefined;
}

/** What took no longer came at once, in ms: platforms round to seconds, and the store's clock may be set. */
const cameAtOnce = 1_000;

/** By how much the clock of a platform may be behind ours, in ms. */
const clockDifference = 60_000;

/**
 * It was recorded while the sensitive question was shown and not over, so it was meant as its answer: sent twice, or too late.
 * What is recorded after the answer to a question that a turn waits for is not, because that turn may take long.
 */
function isWrittenFor(
  { ask, endedIn }: SensitiveTrace,
  queued: Queued,
  entry: MessageEntry,
  who: Participant | undefined,
): boolean {
  const { revision, at } = queued;
  if (!ask.shown || endedIn === undefined || revision === undefined || revision >= endedIn) return false;
  if (ask.waitsIn !== undefined && at > (ask.decision?.at ?? 0)) return false;
  return !isOlderThan(ask, queued) && mightAnswer(ask, who, entry.place);
}

/** The reading of what whoever may answer has sent without a word of their own. */
function nothingWritten(ask: Ask): Reading {
  return { type: 'notice', notice: 'nothingWritten', disposition: { type: 'not-authorised', askId: ask.id }, ask };
}

/** The reading of a reply to an ask that has ended. */
function overReading(ask: Ask): Reading {
  const { id: askId, status } = ask;
  const notice = overNotice(ask) ?? 'already';
  return { type: 'notice', notice, disposition: { type: status === 'expired' ? 'late' : 'already', askId }, ask };
}

/** The reading of a message that names no ask: a reply to the head if its author may answer, else an ordinary message. */
function plainReading(
  conversation: Conversation,
  queued: Queued,
  entry: MessageEntry,
  who: Participant | undefined,
  { granted, parked, language = inEnglish }: MatchContext,
): Reading {
  // one that is proved by its address alone may be an old one, written to somebody else, and sent again to us
  if (entry.place.proof !== undefined || (isUnwritten(entry) && entry.wordless !== true)) return { type: 'ordinary' };
  const { late } = conversation;
  const isLate = late !== undefined && !isOlderThan(late, queued) && mayAnswer(late, who, entry.place, granted);
  if (parked?.ordinary) return isLate && !late.sensitive ? { type: 'ordinary', lateFor: late } : { type: 'ordinary' };
  const head = headFor(conversation, queued);
  const isForHead =
    head?.status === 'pending' &&
    !isExpiredAt(head, queued.at) &&
    (entry.prepared === true || !isOlderThan(head, queued)) &&
    mayAnswer(head, who, entry.place, granted) &&
    !hasVoted(head, who);
  if (isForHead) {
    const unfit = unfitPlace(head, entry);
    if (unfit !== undefined) return unfit;
    if (isUnwritten(entry)) return nothingWritten(head);
    if (entry.choice !== undefined || isOption(head, entry.text))
      return { type: 'reply', ask: head, how: howOf(entry), entry };
    if (isDeclineIn(language(who?.locale), entry.text)) return { type: 'close', ask: head, as: 'declined' };
    if (!isCommand(entry.text)) return { type: 'reply', ask: head, how: 'typed', entry };
  }
  if (isUnwritten(entry)) return { type: 'ordinary' };
  const secret = conversation.sensitiveTraces?.find((trace) => isWrittenFor(trace, queued, entry, who))?.ask;
  if (secret !== undefined) return overReading(secret);
  if (isLate && late.sensitive) return overReading(late); // no agent or model is given what may be the answer
  return isLate ? { type: 'ordinary', lateFor: late } : { type: 'ordinary' };
}
