/**
 * What an entry is, decided before any agent runs: a reply to an ask, the end of one, a notice to its sender, or an
 * ordinary message. The answer itself is not read here.
 */

import { choicesOf } from '../ask/answer-type.js';
import type { Ask, Closed, Place } from '../ask/ask.js';
import { isExpiredAt, shapeOf } from '../ask/ask.js';
import { type NewVerdict, type OverNotice, overNotice } from '../ask/decision.js';
import { drawnDigest, shownLength, shownPartOf } from '../ask/drawn.js';
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
import type { Disposition, EndGiven, Entry, HandOverEntry, MessageEntry, NamingEntry, Queued } from './entry.js';
import { cancelsAll, drawnFor, isAboutParked, namedAskId, writtenAt } from './entry.js';
import { mayAnswer, mightAnswer } from './may-answer.js';
import { isPressed } from './reply-text.js';

/** What an entry is. */
export type Reading =
  /** How it came decides what a wrong answer costs: only typed text counts as an attempt. */
  | { readonly type: 'reply'; readonly ask: Ask; readonly how: 'typed' | 'control' | 'api'; readonly entry: Entry }
  | ({ readonly type: 'close'; readonly ask: Ask; readonly as: Closed } & Pick<EndGiven, 'reason' | 'drawn'>)
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
  const choices = choicesOf(shapeOf(ask));
  if (choices.length === 0) return false;
  const reply = folded(text);
  return choices.some((choice) => folded(choice.label) === reply);
}

/** The id of the ask that an entry names, if that ask is not in the document and has to be looked up first. */
export function askIdElsewhere(conversation: Conversation, entry: Entry): string | undefined {
  const askId = namedAskId(entry);
  return askId === undefined || namedAsk(conversation, askId) !== undefined ? undefined : askId;
}

/** The entry that is worked on. For an operator's retry that is the parked entry, as old as it was, under the id of the retry. */
export function subjectOf(
  conversation: Conversation,
  queued: Queued,
): { readonly queued: Queued; readonly parked?: Parked } {
  const parked = queued.entry.type === 'retry' ? parkedFor(conversation, queued.entry) : undefined;
  if (parked === undefined) return { queued };
  const { at, entry, revision } = parked.queued;
  const { revision: _, ...retry } = queued;
  return { queued: { ...retry, at, entry, ...definedFields({ revision }) }, parked };
}

/** The parked work that an entry ends; undefined if it ends none, or that is parked no more. */
export function parkedEndedBy(conversation: Conversation, entry: Entry): Parked | undefined {
  return entry.type === 'unpark' ? parkedFor(conversation, entry) : undefined;
}

function parkedFor({ parked }: Conversation, { parkedId }: { readonly parkedId: string }): Parked | undefined {
  return parked.find(({ id }) => id === parkedId);
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
  /** What typed words are to the question that is open, where its options or the author's code know better than the rules. */
  readonly sorting?: ReplySorting | undefined;
  /** To whom the entry hands an ask over, as `identify` named them; null if it knows nobody of that id. */
  readonly to?: Participant | null | undefined;
}

/** The same with the id of the entry and its author, as `identify` named them. */
type Given = MatchContext & { readonly id: string; readonly who: Participant | undefined };

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
  const askId = namedAskId(queued.entry);
  if (askId !== undefined) return [namedAsk(conversation, askId) ?? elsewhere].filter((ask) => ask !== undefined);
  return [headFor(conversation, queued), conversation.late].filter((ask) => ask !== undefined);
}

/** The ask that a plain message may answer: not what its own turn asked, which a re-run finds there. */
function headFor({ asks }: Conversation, { id }: Queued): Ask | undefined {
  return asks.find((ask) => ask.progress.waitsIn !== id);
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
    if (ended === undefined) return { type: 'notice', disposition: { type: 'ignored', why: 'no longer parked' } };
    return { type: 'notice', disposition: { type: 'control', ...definedFields({ askId: ended.ask?.id }) } };
  }
  if (entry.type === 'open') {
    const { ask, expiresIn } = entry;
    if (findAsk(conversation, ask.id) !== undefined)
      return { type: 'notice', disposition: { type: 'control', askId: ask.id } };
    const expiresAt = expiresIn === undefined ? ask.timing.expiresAt : queued.at + expiresIn;
    return { type: 'open', ask: { ...ask, timing: { ...ask.timing, askedAt: queued.at, expiresAt } } };
  }
  if (entry.type === 'say') return { type: 'say', place: entry.place, text: entry.text };
  if (cancelsAll(entry)) return { type: 'notice', disposition: { type: 'control' } };
  if (entry.type === 'message' && entry.oversize)
    return { type: 'notice', notice: 'tooLong', disposition: { type: 'ignored', why: 'too long' } };
  const askId = namedAskId(entry);
  const { elsewhere, parked, granted, language, sorting, to } = more;
  // named, not spread: docs/performance.md, what V8 does
  const given: Given = { elsewhere, parked, granted, language, sorting, to, id: queued.id, who };
  if (askId !== undefined) return namedReading(conversation, entry as NamingEntry, askId, given);
  return entry.type === 'message' ? plainReading(conversation, queued, entry, given) : { type: 'ordinary' };
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

function howOf(entry: Entry): 'typed' | 'control' | 'api' {
  if (entry.type !== 'message') return 'api';
  return isPressed(entry) ? 'control' : 'typed';
}

function namedAsk(conversation: Conversation, askId: string): Ask | undefined {
  return findAsk(conversation, askId) ?? conversation.parked.find((each) => each.ask?.id === askId)?.ask;
}

/** The reading of an entry that names an ask. */
function namedReading(conversation: Conversation, entry: NamingEntry, askId: string, given: Given): Reading {
  const { elsewhere, granted, who } = given;
  const ask = namedAsk(conversation, askId) ?? elsewhere;
  if (ask === undefined) {
    const disposition: Disposition = { type: 'ignored', why: 'unknown ask' };
    return { type: 'notice', disposition, ...(entry.type === 'message' ? { notice: 'unknownAsk' } : {}) };
  }
  const isByPerson = personal.has(entry.type);
  // whoever sees the question may know that it is over; what a program sends is no reply at all
  if (isByPerson && !mayAnswer(ask, who, writtenAt(entry), granted))
    return notice(ask, 'not-authorised', isUnwritten(entry) ? 'refused' : (overNotice(ask) ?? 'refused'));
  if (entry.type === 'use') return notice(ask, 'control');
  if (ask.status !== 'pending') return overReading(ask);
  if (isByPerson && hasVoted(ask, who)) return notice(ask, 'already', 'votedAlready');
  const why = unfitting(ask, entry);
  if (why !== undefined) return notice(ask, 'not-authorised', why);
  if (isOutdated(entry, ask)) return notice(ask, 'outdated');
  // each entry of the union goes to the reading of its own type
  return (readings[entry.type] as (ask: Ask, entry: Entry, given: Given) => Reading)(ask, entry, given);
}

/** Entries by which a person says something about an ask: they must be somebody who may answer it. */
const personal: ReadonlySet<Entry['type']> = new Set(['message', 'answer', 'decline', 'hand-over']);

/** What an entry is that names an open ask, once it is known that its author may say so. */
const readings: {
  readonly [T in Exclude<NamingEntry['type'], 'use'>]: (ask: Ask, entry: Entry & { type: T }, given: Given) => Reading;
} = {
  message: messageReading,
  answer: (ask, entry) => ({ type: 'reply', ask, how: 'api', entry }),
  decline: (ask, entry) => closing(ask, 'declined', entry),
  cancel: (ask, entry) => closing(ask, 'cancelled', entry),
  expire: (ask) => closing(ask, 'expired'),
  remind: (ask, { type }) => ({ type, ask }),
  escalate: (ask, { type }) => ({ type, ask }),
  'hand-over': readingOfHandOver,
  // one that waits behind another is shown when its turn comes
  show: (ask, { channel }) =>
    ask.progress.shown ? { type: 'copy', ask, ...definedFields({ channel }) } : notice(ask, 'control'),
  // a question that reached nobody goes to the next step of its escalation at once; without one, its ask is over
  undeliverable: (ask, { copy }) => {
    const after = copy === undefined ? 'ends' : afterLoss(withPlaceLost(ask, copy));
    if (copy === undefined || after === 'ends') return closing(ask, 'undeliverable');
    return { type: after === 'escalates' ? 'escalate' : 'lose', ask, copy };
  },
};

/** What an open ask is told by a message of somebody who may answer it. A command that names no ask is not for the ask. */
function messageReading(ask: Ask, entry: MessageEntry, given: Given): Reading {
  const how = howOf(entry);
  const isAnswer = how === 'control' || isOption(ask, entry.text);
  const sorting = isAnswer ? 'answer' : (given.sorting ?? sortedByRules(entry, given));
  if (sorting === 'decline') return closing(ask, 'declined');
  return sorting === 'other' ? { type: 'ordinary' } : { type: 'reply', ask, how, entry };
}

function sortedByRules({ text, askId }: MessageEntry, { who, language = inEnglish }: Given): ReplySorting {
  if (isDeclineIn(language(who?.locale), text)) return 'decline';
  return askId === undefined && isCommand(text) ? 'other' : 'answer';
}

function closing(ask: Ask, as: Closed, { reason, drawn }: EndGiven = {}): Reading {
  return { type: 'close', ask, as, ...definedFields({ reason, drawn }) };
}

/** Nothing runs for the ask. */
function notice(
  ask: Ask,
  became: 'control' | 'not-authorised' | 'already' | 'late' | 'outdated',
  told?: Notice,
): Reading {
  return { type: 'notice', disposition: { type: became, askId: ask.id }, ask, ...definedFields({ notice: told }) };
}

function readingOfHandOver(ask: Ask, entry: HandOverEntry, given: Given): Reading {
  const { id, who, language = inEnglish, to: named = entry.to } = given;
  const { reason, place, ownPlace, isUnknown } = entry;
  const by = who ?? entry.by;
  const refused = (why: (wording: Wording) => string): Reading => {
    const problem = why(language(by.locale ?? ask.question.locale).wording);
    return { type: 'notice', disposition: { type: 'invalid', askId: ask.id, problem }, ask };
  };
  if (named === null) return refused(unknownReceiver(ask, by, entry.to));
  // an `identify` that says nothing of tenants has not made anybody's unknown
  const to = { ...named, ...definedFields({ tenant: named.tenant ?? entry.to.tenant }) };
  const why = handOverProblem(ask, by, to, isUnknown);
  if (why !== undefined) return refused(why);
  const request = { entry: id, by, to, ...definedFields({ reason, place }) };
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
 * Why what came in is no answer although its author may give one. It came from where the ask cannot be decided: where the question cannot be
 * shown in full, because nobody decides what they have not seen, or where its author is proved by the address alone, unless the ask allows
 * it. Or its author wrote no word of their own.
 */
function unfitting(ask: Ask, entry: Entry): Notice | undefined {
  if (entry.type !== 'message') return undefined;
  const { longest, proof } = entry.place;
  if (longest !== undefined && shownLength(shownPartOf(ask)) > longest) return 'notShown';
  if (proof !== undefined && ask.audience.mail !== 'decide') return 'notByMail';
  return isUnwritten(entry) ? 'nothingWritten' : undefined;
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
  const { shown, shownIn = 0 } = ask.progress;
  const { revision = shownIn } = queued;
  return !shown || revision < shownIn || isWrittenBefore(ask, queued);
}

function isWrittenBefore({ timing: { askedAt, shownAt = askedAt } }: Ask, { at, entry }: Queued): boolean {
  if (entry.type !== 'message') return false;
  const { sentAt = shownAt } = entry;
  if (typeof sentAt === 'number') return sentAt + clockDifference < shownAt;
  return sentAt.age > cameAtOnce && at - sentAt.age + cameAtOnce < shownAt;
}

/** The open question that a message came too late for, by when it was written alone: where clocks differ, that is a mistake. */
export function missedByTime(conversation: Conversation, queued: Queued): Ask | undefined {
  const head = headFor(conversation, queued);
  const isOpen = head?.status === 'pending' && head.progress.shown;
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
  const place = writtenAt(entry);
  const isRefused = ask?.status === 'pending' && ask.audience.tenant !== undefined && !mayAnswer(ask, who, place);
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
  if (!ask.progress.shown || endedIn === undefined || revision === undefined || revision >= endedIn) return false;
  if (ask.progress.waitsIn !== undefined && at > (ask.decision?.at ?? 0)) return false;
  return !isOlderThan(ask, queued) && mightAnswer(ask, who, entry.place);
}

/** The reading of a reply to an ask that has ended. */
function overReading(ask: Ask): Reading {
  return notice(ask, ask.status === 'expired' ? 'late' : 'already', overNotice(ask) ?? 'already');
}

/** The reading of a message that names no ask: a reply to the head if its author may answer, else an ordinary message. */
function plainReading(conversation: Conversation, queued: Queued, entry: MessageEntry, given: Given): Reading {
  const { granted, parked, who } = given;
  // one that is proved by its address alone may be an old one, written to somebody else, and sent again to us
  if (entry.place.proof !== undefined || (isUnwritten(entry) && entry.wordless !== true)) return { type: 'ordinary' };
  const { late } = conversation;
  const isLate = late !== undefined && !isOlderThan(late, queued) && mayAnswer(late, who, entry.place, granted);
  const ordinary: Reading =
    isLate && !late.question.sensitive ? { type: 'ordinary', lateFor: late } : { type: 'ordinary' };
  if (parked?.ordinary) return ordinary;
  const head = headFor(conversation, queued);
  const isForHead =
    head?.status === 'pending' &&
    !isExpiredAt(head, queued.at) &&
    (entry.prepared === true || !isOlderThan(head, queued)) &&
    mayAnswer(head, who, entry.place, granted) &&
    !hasVoted(head, who);
  if (isForHead) {
    const why = unfitting(head, entry);
    if (why !== undefined) return notice(head, 'not-authorised', why);
    const read = messageReading(head, entry, given);
    if (read.type !== 'ordinary' || given.sorting !== undefined) return read; // who sorted it has said that it answers nothing
  }
  if (isUnwritten(entry)) return { type: 'ordinary' };
  const traced = conversation.sensitiveTraces?.find((trace) => isWrittenFor(trace, queued, entry, who))?.ask;
  const secret = traced ?? (isLate && late.question.sensitive ? late : undefined); // no agent or model is given what may be the answer
  return secret === undefined ? ordinary : overReading(secret);
}
