/**
 * What an entry is, decided before any agent runs: a reply to an ask, the end of one, a notice to its sender, or an
 * ordinary message. Who may answer is decided here and nowhere else.
 */

import { choicesOf } from '../ask/answer-type.js';
import type { Ask, Closed, Place } from '../ask/ask.js';
import { isExpiredAt } from '../ask/ask.js';
import { hasVoted } from '../ask/votes.js';
import { canonical } from '../json.js';
import type { Participant } from '../participant.js';
import { folded, isCommand } from '../text.js';
import { english } from '../wording/english.js';
import type { Language } from '../wording/language.js';
import { vocabularyOf } from '../wording/language.js';
import type { Conversation, Parked } from './conversation.js';
import { earlyOutcomeOf, findAsk } from './conversation.js';
import type { Disposition, Entry, Queued } from './entry.js';

export type Reading =
  /** How it came decides what a wrong answer costs: only typed text counts as an attempt. */
  | { readonly type: 'reply'; readonly ask: Ask; readonly how: 'typed' | 'control' | 'api'; readonly entry: Entry }
  | { readonly type: 'close'; readonly ask: Ask; readonly as: Closed }
  | { readonly type: 'ordinary'; readonly lateFor?: Ask }
  | { readonly type: 'open'; readonly ask: Ask }
  | { readonly type: 'remind'; readonly ask: Ask }
  /** Nothing runs; the sender may be told. */
  | {
      readonly type: 'notice';
      readonly notice?: Notice;
      readonly disposition: Disposition;
      readonly ask?: Ask;
      /** A waiting turn has dealt with it before, out of line, and what it says is not remembered. */
      readonly hidden?: true;
    };

export type Notice = 'refused' | 'already' | 'late' | 'tooLong' | 'unknownAsk' | 'votedAlready';

/** What a plain message is to the question that is open. */
export type ReplySorting = 'answer' | 'decline' | 'other';

/**
 * May this person decide this ask, writing from this place? Over the API there is no place. `granted` names the asks
 * whose policy has said yes to this person.
 */
export function mayAnswer(
  ask: Ask,
  who: Participant | undefined,
  place: Place | undefined,
  granted: ReadonlySet<string> = new Set(),
): boolean {
  const { answerableBy, tenant } = ask;
  if (ask.quorum !== undefined && who === undefined) return false; // a vote has a name
  if (ask.excluded !== undefined && who?.id === ask.excluded) return false;
  if (typeof answerableBy === 'object' && 'roles' in answerableBy) {
    const here = tenant === undefined || who?.tenant === tenant;
    return here && (who?.roles?.some((role) => answerableBy.roles.includes(role)) ?? false);
  }
  if (typeof answerableBy === 'object' && !('policy' in answerableBy))
    return who !== undefined && answerableBy.includes(who.id);
  if (answerableBy !== 'asker') {
    const foreign = tenant !== undefined && who?.tenant !== undefined && who.tenant !== tenant;
    return !foreign && (answerableBy === 'anyone' || granted.has(ask.id));
  }
  if (ask.asker !== undefined) return who?.id === ask.asker;
  return (
    place !== undefined &&
    place.channel === ask.place.channel &&
    canonical(place.address) === canonical(ask.place.address)
  );
}

function hasVotedAlready(ask: Ask, who: Participant | undefined): boolean {
  return who !== undefined && hasVoted(ask, who);
}

/** The text is exactly one of the options, which wins over everything it might mean otherwise. */
export function isOption(ask: Ask, text: string): boolean {
  const choices = choicesOf(ask.shape);
  if (choices.length === 0) return false;
  const reply = folded(text);
  return choices.some((choice) => folded(choice.label) === reply || choice.id === text.trim());
}

/** The ask that an entry names and that is not in the document, so that its record must be looked up first. */
export function askIdElsewhere(conversation: Conversation, entry: Entry): string | undefined {
  const askId = 'askId' in entry ? entry.askId : undefined;
  if (askId === undefined || findAsk(conversation, askId) !== undefined) return undefined;
  return conversation.parked.some((parked) => parked.ask?.id === askId) ? undefined : askId;
}

/** What a holder really works on: for an operator's retry that is the parked entry, under the retry's own id. */
export function subjectOf(
  conversation: Conversation,
  queued: Queued,
): { readonly queued: Queued; readonly parked?: Parked } {
  const { entry } = queued;
  const parked = entry.type === 'retry' ? conversation.parked.find((each) => each.id === entry.parkedId) : undefined;
  return parked === undefined
    ? { queued }
    : { queued: { ...queued, at: parked.queued.at, entry: parked.queued.entry }, parked };
}

/** What reading an entry needs beside the document. */
export interface MatchContext {
  /** The settled ask that the entry names, if it was looked up. */
  readonly elsewhere?: Ask | undefined;
  /** The parked work that is tried again. */
  readonly parked?: Parked | undefined;
  /** The asks that a policy lets this person answer. */
  readonly granted?: ReadonlySet<string> | undefined;
  readonly isDecline?: ((text: string) => boolean) | undefined;
}

/** Words that call a question off, in English: what a reader without a language goes by. */
function declinesInEnglish(text: string): boolean {
  return isDeclineIn(english, text);
}

export function isDeclineIn(language: Language, text: string): boolean {
  return vocabularyOf(language.words, english.words).decline.has(folded(text));
}

/** The asks that an entry may turn out to be a reply to. */
export function asksAddressedBy(conversation: Conversation, entry: Entry, elsewhere: Ask | undefined): readonly Ask[] {
  const askId = 'askId' in entry ? entry.askId : undefined;
  if (askId !== undefined) {
    const ask = namedAsk(conversation, askId) ?? elsewhere;
    return ask === undefined ? [] : [ask];
  }
  return [conversation.asks[0], conversation.late].filter((ask) => ask !== undefined);
}

/** What a plain message is after all, if somebody knows better than the rules: `as` replaces their verdict. */
export function withSorting(reading: Reading, as: ReplySorting | undefined, entry: Entry): Reading {
  if (as === undefined || (reading.type !== 'reply' && reading.type !== 'close')) return reading;
  if (as === 'other') return { type: 'ordinary' };
  if (as === 'decline') return { type: 'close', ask: reading.ask, as: 'declined' };
  return { type: 'reply', ask: reading.ask, how: 'typed', entry };
}

/** `who` is the sender after `identify`. */
export function readingOf(
  conversation: Conversation,
  queued: Queued,
  who: Participant | undefined,
  more: MatchContext = {},
): Reading {
  const { entry } = queued;
  const heard = earlyOutcomeOf(conversation, queued.id);
  if (heard !== undefined) return { type: 'notice', ...heard };
  const begun = more.parked?.ask ?? conversation.asks.find((ask) => ask.decision?.entry === queued.id);
  if (begun !== undefined) return readingOfDecided(begun, entry);
  if (entry.type === 'retry') return { type: 'notice', disposition: { type: 'ignored', why: 'no longer parked' } };
  if (entry.type === 'open') {
    return findAsk(conversation, entry.ask.id) === undefined
      ? { type: 'open', ask: openedAsk(entry.ask, entry.expiresIn, queued.at) }
      : { type: 'notice', disposition: { type: 'control', askId: entry.ask.id } };
  }
  if (entry.type === 'cancel' && entry.askId === undefined) return { type: 'notice', disposition: { type: 'control' } };
  if (entry.type === 'message' && entry.oversize) {
    return { type: 'notice', notice: 'tooLong', disposition: { type: 'ignored', why: 'too long' } };
  }
  const askId = 'askId' in entry ? entry.askId : undefined;
  if (askId !== undefined) return namedReading(conversation, queued, askId, who, more);
  return entry.type === 'message' ? plainReading(conversation, queued, entry, who, more) : { type: 'ordinary' };
}

/** On a re-run: what this very entry has already decided. */
function readingOfDecided(ask: Ask, entry: Entry): Reading {
  if (ask.status === 'answered' || ask.status === 'exhausted') return { type: 'reply', ask, how: howOf(entry), entry };
  return { type: 'close', ask, as: ask.decision?.why ?? (ask.status as Closed) };
}

function openedAsk(ask: Ask, expiresIn: number | undefined, at: number): Ask {
  return { ...ask, askedAt: at, ...(expiresIn === undefined ? {} : { expiresAt: at + expiresIn }) };
}

function howOf(entry: Entry): 'typed' | 'control' | 'api' {
  if (entry.type !== 'message') return 'api';
  return entry.choice === undefined ? 'typed' : 'control';
}

function namedAsk(conversation: Conversation, askId: string): Ask | undefined {
  return findAsk(conversation, askId) ?? conversation.parked.find((each) => each.ask?.id === askId)?.ask;
}

function namedReading(
  conversation: Conversation,
  queued: Queued,
  askId: string,
  who: Participant | undefined,
  { elsewhere, granted, isDecline = declinesInEnglish }: MatchContext,
): Reading {
  const { entry } = queued;
  const place = entry.type === 'message' ? entry.place : undefined;
  const ask = namedAsk(conversation, askId) ?? elsewhere;
  const byHuman = entry.type === 'message' || entry.type === 'answer' || entry.type === 'decline';
  if (ask === undefined) {
    const notice = entry.type === 'message' ? 'unknownAsk' : undefined;
    return { type: 'notice', ...(notice ? { notice } : {}), disposition: { type: 'ignored', why: 'unknown ask' } };
  }
  if (
    byHuman &&
    (!mayAnswer(ask, who, place, granted) || (entry.type === 'message' && (entry.automated || entry.place.trigger)))
  ) {
    return { type: 'notice', notice: 'refused', disposition: { type: 'not-authorised', askId }, ask };
  }
  if (entry.type === 'use') return { type: 'notice', disposition: { type: 'control', askId }, ask };
  if (ask.status !== 'pending') {
    return ask.status === 'expired'
      ? { type: 'notice', notice: 'late', disposition: { type: 'late', askId }, ask }
      : { type: 'notice', notice: 'already', disposition: { type: 'superseded', askId }, ask };
  }
  if (byHuman && hasVotedAlready(ask, who))
    return { type: 'notice', notice: 'votedAlready', disposition: { type: 'superseded', askId }, ask };
  if (entry.type === 'cancel') return { type: 'close', ask, as: 'cancelled' };
  if (entry.type === 'undeliverable') return { type: 'close', ask, as: 'undeliverable' };
  if (entry.type === 'expire') return { type: 'close', ask, as: 'expired' };
  if (entry.type === 'decline') return { type: 'close', ask, as: 'declined' };
  if (entry.type === 'remind') return { type: 'remind', ask };
  if (entry.type === 'message' && entry.choice === undefined && !isOption(ask, entry.text) && isDecline(entry.text)) {
    return { type: 'close', ask, as: 'declined' };
  }
  return { type: 'reply', ask, how: howOf(entry), entry };
}

function plainReading(
  conversation: Conversation,
  queued: Queued,
  entry: Entry & { type: 'message' },
  who: Participant | undefined,
  { granted, isDecline = declinesInEnglish }: MatchContext,
): Reading {
  const head = conversation.asks.find((ask) => ask.waitsIn !== queued.id); // what it waits for is not for itself
  const human = !entry.automated && !entry.place.trigger;
  if (
    human &&
    head?.status === 'pending' &&
    !isExpiredAt(head, queued.at) &&
    mayAnswer(head, who, entry.place, granted) &&
    !hasVotedAlready(head, who)
  ) {
    if (entry.choice !== undefined || isOption(head, entry.text))
      return { type: 'reply', ask: head, how: howOf(entry), entry };
    if (isDecline(entry.text)) return { type: 'close', ask: head, as: 'declined' };
    if (!isCommand(entry.text)) return { type: 'reply', ask: head, how: 'typed', entry };
  }
  const late = conversation.late;
  return human && late !== undefined && mayAnswer(late, who, entry.place, granted)
    ? { type: 'ordinary', lateFor: late }
    : { type: 'ordinary' };
}
