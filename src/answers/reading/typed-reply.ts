/**
 * A reply as a person typed it, made ready for reading: one form for each character, and without the words around an
 * answer that do not change it. Nothing here decides what a reply means.
 */

import type { ReplyContext } from '../../core/ask/answer-type.js';
import { folded } from '../../core/text.js';
import { english } from '../../core/wording/english.js';
import type { Vocabulary } from '../../core/wording/language.js';
import { vocabularyOf } from '../../core/wording/language.js';

export interface TypedReply {
  /** The whole reply, for comparing. */
  readonly whole: string;
  /** The same without polite words, marks and pictures around it. */
  readonly bare: string;
  /** From the whole to the bare text, with one thing less each. */
  readonly stages: readonly string[];
  /** The words that stood before the bare text. */
  readonly leads: readonly string[];
  readonly vocabulary: Vocabulary;
}

/** Longer replies are not searched for polite words: no typed answer is that long, and the search must stay cheap. */
const searched = 400;

export function typedReply(reply: string, heard: ReplyContext | undefined): TypedReply {
  const vocabulary = vocabularyFor(heard);
  const whole = plain(reply);
  return whole.length > searched
    ? { whole, bare: whole, stages: [whole], leads: [], vocabulary }
    : { whole, ...stripped(whole, vocabulary), vocabulary };
}

export function vocabularyFor(heard: ReplyContext | undefined): Vocabulary {
  return vocabularyOf((heard?.language ?? english).words, english.words);
}

/** For comparing: as `folded`, and a picture or a digit in a box is the same in every colour. */
export function plain(text: string): string {
  return folded(text).replace(/[\ufe0e\ufe0f\u20e3]|\p{Emoji_Modifier}/gu, '');
}

const before = new Set('"\'“”„«»‹›「」([*_`,;:');
const after = new Set('"\'“”„«»‹›「」)]*_`,;:.!');

/** Pictures that add nothing. Every other one may doubt, deny or mock what stands beside it. */
const friendly = new Set('🙂😊😀😃😄😁😉☺🥰😍🤗😇🥳🙏👌👍✅✔☑💪🎉🚀❤♥💚💙👋🤝⭐✨💯');

export function isFriendly(picture: string): boolean {
  return friendly.has(picture);
}

/** Takes off, one at a time, what stands around an answer; what is nothing else stays as it is. */
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

/** What stands after goes before what stands before: "please wait, thanks" may be "please wait". */
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

/** A reply that asks something back is never taken for an answer. In Greek a question ends with a semicolon. */
export function asksBack(whole: string): boolean {
  return /[?？¿؟՞፧‽]/u.test(whole) || /\p{Script=Greek};/u.test(whole);
}

/** The words of a reply, without the marks between them. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}\p{M}'&+/-]+/u).filter((word) => word !== '');
}

/** One of the phrases stands in the text as whole words. */
export function says(text: string, phrases: ReadonlySet<string>): boolean {
  const padded = ` ${wordsOf(text).join(' ')} `;
  for (const phrase of phrases) if (padded.includes(` ${phrase} `)) return true;
  return false;
}
