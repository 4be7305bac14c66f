/**
 * Normalises a typed reply: one form for each character, and without the words around an answer that do not change
 * it. Never decides what a reply means.
 */

import type { ReplyContext } from '../../core/ask/answer-type.js';
import { folded } from '../../core/text.js';
import { english } from '../../core/wording/english.js';
import type { Vocabulary } from '../../core/wording/language.js';
import { vocabularyOf } from '../../core/wording/language.js';

export interface TypedReply {
  /** The whole reply, folded for comparison. */
  readonly whole: string;
  /** The same without polite words, punctuation and emoji around it. */
  readonly bare: string;
  /** The steps from `whole` to `bare`, each with one thing less. */
  readonly stages: readonly string[];
  /** The words that were stripped before the bare text. */
  readonly leads: readonly string[];
  readonly vocabulary: Vocabulary;
}

/** Longer replies are not stripped: no typed answer is that long, and the search must stay cheap. */
const maxStripped = 400;

export function typedReply(reply: string, context: ReplyContext | undefined): TypedReply {
  const vocabulary = vocabularyFor(context);
  const whole = plain(reply);
  return whole.length > maxStripped
    ? { whole, bare: whole, stages: [whole], leads: [], vocabulary }
    : { whole, ...stripped(whole, vocabulary), vocabulary };
}

export function vocabularyFor(context: ReplyContext | undefined): Vocabulary {
  return vocabularyOf((context?.language ?? english).words, english.words);
}

/** Folds for comparison, and ignores skin tones, emoji variants and keycaps. */
export function plain(text: string): string {
  return folded(text).replace(/[\ufe0e\ufe0f\u20e3]|\p{Emoji_Modifier}/gu, '');
}

const before = new Set('"\'“”„«»‹›「」([*_`,;:');
const after = new Set('"\'“”„«»‹›「」)]*_`,;:.!');

/** Emoji that add nothing. Any other may question or deny the words beside it. */
const friendly = new Set('🙂😊😀😃😄😁😉☺🥰😍🤗😇🥳🙏👌👍✅✔☑💪🎉🚀❤♥💚💙👋🤝⭐✨💯');

export function isFriendly(picture: string): boolean {
  return friendly.has(picture);
}

/** Strips what surrounds an answer, one thing at a time. A reply of nothing else stays as it is. */
function stripped(whole: string, vocabulary: Vocabulary): Pick<TypedReply, 'bare' | 'stages' | 'leads'> {
  const stages = [whole];
  const leads: string[] = [];
  let left = whole;
  for (let rounds = 0; rounds < 12; rounds += 1) {
    const next = stripOne(left, vocabulary);
    if (next === undefined) break;
    left = next.left;
    stages.push(left);
    if (next.lead !== undefined) leads.push(next.lead);
  }
  return { bare: left, stages, leads };
}

/** Strips the end before the start: "please wait, thanks" may mean "please wait". */
function stripOne(text: string, vocabulary: Vocabulary): { left: string; lead?: string } | undefined {
  for (const [starts, ends] of [
    [before, after],
    [friendly, friendly],
  ] as const) {
    const left = stripMarks(text, starts, ends);
    if (left !== text && left !== '') return { left };
  }
  const tail = vocabulary.after.find((word) => endsWithWord(text, word));
  if (tail !== undefined) return { left: text.slice(0, -tail.length).trimEnd() };
  const lead = vocabulary.before.find((word) => startsWithWord(text, word));
  return lead === undefined ? undefined : { left: text.slice(lead.length).trimStart(), lead };
}

function stripMarks(text: string, starts: ReadonlySet<string>, ends: ReadonlySet<string>): string {
  const marks = [...text];
  let [from, to] = [0, marks.length];
  while (from < to && starts.has(marks[from] as string)) from += 1;
  while (to > from && ends.has(marks[to - 1] as string)) to -= 1;
  return marks.slice(from, to).join('').trim();
}

function startsWithWord(text: string, word: string): boolean {
  return text.length > word.length && text.startsWith(word) && !/[\p{L}\p{N}\p{M}'-]/u.test(text[word.length] ?? '');
}

function endsWithWord(text: string, word: string): boolean {
  const start = text.length - word.length;
  return start > 0 && text.endsWith(word) && !/[\p{L}\p{N}\p{M}'-]/u.test(text[start - 1] ?? '');
}

/** True for a question: a reply that asks back is never an answer. A Greek question ends with a semicolon. */
export function asksBack(whole: string): boolean {
  return /[?？¿؟՞፧‽]/u.test(whole) || /\p{Script=Greek};/u.test(whole);
}

/** The words of a reply, without punctuation. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}\p{M}'&+/-]+/u).filter((word) => word !== '');
}

/** True if one of the phrases occurs in the text as whole words. */
export function says(text: string, phrases: ReadonlySet<string>): boolean {
  const padded = ` ${wordsOf(text).join(' ')} `;
  for (const phrase of phrases) if (padded.includes(` ${phrase} `)) return true;
  return false;
}
