/**
 * Whose words may be the answer to a sensitive question, and so are quoted nowhere. Pure rules; when in doubt, words are hidden.
 */
import type { Ask } from '../ask/ask.js';
import type { Participant } from '../participant.js';
import { folded } from '../text.js';
import type { Conversation, Parked, SensitiveTrace } from './conversation.js';
import type { Queued } from './entry.js';
import { authorOf, writtenAt } from './entry.js';
import type { Reading } from './match-reply.js';
import { mightAnswer } from './may-answer.js';

/** For so long after a sensitive ask has ended, what people write may be its answer once more: sent twice, or too late. */
const afterwards = 60_000;

/** An entry, as far as it is read. */
export interface HeardWords {
  readonly document: Conversation;
  readonly subject: Queued;
  readonly parked: Parked | undefined;
  /** Absent if the work failed before it was read. */
  readonly reading?: Reading | { readonly type: 'unread' };
  readonly who?: Participant | undefined;
}

/** Whether the words of an entry may be the answer to a sensitive question. */
export function hidesWords({ document, subject, parked, reading, who }: HeardWords): boolean {
  if (parked?.hidden || parked?.ask?.question.sensitive) return true;
  if (reading === undefined || reading.type === 'unread')
    return document.asks.some((ask) => ask.question.sensitive) || (document.sensitiveTraces ?? []).length > 0;
  if (reading.type === 'notice' && (reading.hidden || reading.notice === 'unknownAsk')) return true;
  const ask = reading.type === 'ordinary' ? reading.lateFor : 'ask' in reading ? reading.ask : undefined;
  if (ask?.question.sensitive) return true;
  if (reading.type !== 'ordinary' && !isOlderThanQuestion(reading, subject)) return false; // the answer to another question
  const open = document.asks.filter(({ question, progress }) => question.sensitive && progress.shown);
  const ended = (document.sensitiveTraces ?? []).filter((trace) => trace.unanswered || isFresh(trace, subject.at));
  return [...open, ...ended.map((trace) => trace.ask)].some((each) => mightBeAnswered(each, subject, who));
}

/** It was written before the question was asked that it is read as a reply to: a sensitive answer sent twice may be that. */
function isOlderThanQuestion(reading: Reading, { at }: Queued): boolean {
  return reading.type === 'reply' && reading.how === 'typed' && at <= reading.ask.timing.askedAt;
}

/** The document after a message: where nobody had answered, the next thing that was written may have been the answer. */
export function withoutOldTraces(
  conversation: Conversation,
  subject: Queued,
  who: Participant | undefined,
): Conversation {
  const { sensitiveTraces: traces = [], ...rest } = conversation;
  if (traces.length === 0 || subject.entry.type !== 'message') return conversation;
  const left = traces.flatMap((trace): readonly SensitiveTrace[] => {
    const isBefore = subject.at <= trace.endedAt; // it waited in the queue while the ask was open
    if (isBefore || !mightBeAnswered(trace.ask, subject, who)) return [trace];
    const { unanswered: _, ...heard } = trace;
    return isFresh(trace, subject.at) ? [heard] : [];
  });
  return left.length === 0 ? rest : { ...rest, sensitiveTraces: left };
}

function isFresh({ endedAt }: SensitiveTrace, at: number): boolean {
  return at < endedAt + afterwards;
}

function mightBeAnswered(ask: Ask, { entry }: Queued, who: Participant | undefined): boolean {
  return mightAnswer(ask, who ?? authorOf(entry), writtenAt(entry));
}

/** Whether a text quotes what somebody has written, or one word of it that is not in the question itself. */
export function quotes(text: string, written: readonly string[], question: string): boolean {
  const whole = folded(text);
  const words = new Set(wordsOf(whole));
  const known = new Set(wordsOf(folded(question)));
  return written
    .flatMap((each) => wordsOf(folded(each)))
    .some((word) => !known.has(word) && (words.has(word) || (word.length > 2 && whole.includes(word))));
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
