/**
 * A reply as words: one form for each character, without the marks around them, each with its place in the text. Says nothing of what
 * they mean.
 */
import { folded } from './text.js';

/** A word of a reply, and where it stands in the text. */
export interface Word {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** A text that was folded for comparison, and its words. A pictograph is a word of its own. */
export interface ReplyWords {
  readonly text: string;
  readonly words: readonly Word[];
}

/** Stands for a line break: no phrase and no label goes on behind it. */
const lineBreak = '⏎';

/** Folds for comparison, and ignores skin tones, emoji variants and keycaps. All minus signs are one, and "nº" is no "no". */
export function plain(text: string): string {
  if (/^[ -~]*$/.test(text)) return folded(text); // none of what follows is in it
  const marked = text
    .replace(/\bn\.?[º°]/giu, 'n.')
    .trim()
    .replace(/[\n\r\t\v\f\u2028\u2029]+/g, ` ${lineBreak} `);
  return folded(marked)
    .replace(/[\ufe0e\ufe0f\u20e3]|\p{Emoji_Modifier}/gu, '')
    .replaceAll('−', '-');
}

/** Emoji that add nothing. Any other may question or deny the words beside it. */
export const friendlyEmoji = [...'🙂😊😀😃😄😁☺🥰😍🤗🥳🙏👌👍✅✔☑💪🎉🚀❤♥💚💙🤝⭐✨💯'];

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/** A phrase as it is written, without its accents, and with its umlauts written out: people type all three. */
export function spellings(phrase: string): readonly string[] {
  const text = plain(phrase);
  if (/^[ -~]*$/.test(text)) return [text];
  const bare = text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC').replaceAll('ß', 'ss');
  const written = text.replace(/[äöüß]/g, (letter) => umlauts[letter] as string);
  return [...new Set([text, bare, written])];
}

/** Longer texts are no answer that is read by its words: they have none. */
const mostCharacters = 2_000;
const mostWords = 120;

const chunk = /\p{Extended_Pictographic}|[^\s\p{Extended_Pictographic}]+/gu;
/** Divides within a chunk, but not within a number: "yes,go" is two words, "1,000" and "10:00" are one. */
const inner = /(?<=[^\p{Nd},;:!])[,;:!]+(?=[^,;:!])|—+/gu;
/** Harmless marks alone. Any other that stands alone, such as a face or an empty box, may question or deny what is beside it. */
const harmless = new Set([',', '!', '!!', '!!!', '"', '“', '”', '„', '«', '»', ':)', ':-)', '(:', '=)', lineBreak]);
const quotesBefore = /^["“”„«¡]+/u;
const marksAfter = /["“”„«».,;:!]+$/u;
/** Marks that only count as quotation or emphasis if they stand on both sides. */
const pair = /^(['*_`]{1,2})(.+)\1$/su;

export function replyWords(reply: string): ReplyWords {
  const text = plain(reply);
  const words: Word[] = [];
  if (text.length > mostCharacters) return { text, words };
  for (const { 0: found, index } of text.matchAll(chunk)) {
    if (words.length > mostWords) return { text, words: [] };
    if (harmless.has(found) && !(index === 0 && /^[!»]/.test(found))) continue; // "! yes" may mean "not", and "» yes" is a quote
    let from = 0;
    const dividers = /[,;:!—]/.test(found) ? found.matchAll(inner) : [];
    for (const divider of [...dividers, { 0: '', index: found.length }]) {
      if (divider.index > from) words.push(trimmed(found.slice(from, divider.index), index + from));
      from = divider.index + divider[0].length;
    }
  }
  return { text, words };
}

/** The word without the marks around it; marks alone stay as they are. */
function trimmed(text: string, at: number): Word {
  const start = quotesBefore.exec(text)?.[0].length ?? 0;
  const end = text.length - (marksAfter.exec(text)?.[0].length ?? 0);
  if (start >= end) return { text, from: at, to: at + text.length };
  const word = text.slice(start, /^\d+\)$/.test(text.slice(start, end)) ? end - 1 : end);
  const [, mark = ''] = pair.exec(word) ?? [];
  const from = at + start + mark.length;
  return { text: word.slice(mark.length, word.length - mark.length), from, to: from + word.length - 2 * mark.length };
}

/** The text from the first to the last of these words. */
export function textOf({ text, words }: ReplyWords, from = 0, to = words.length): string {
  return from < to ? text.slice(words[from]?.from, words[to - 1]?.to) : '';
}

/** True for a question: a reply that asks back is never an answer. A Greek question ends with a semicolon. */
export function asksBack(reply: string): boolean {
  return /[?？¿؟՞፧‽\u037e]/u.test(reply) || /\p{Script=Greek};/u.test(reply);
}

/** True for a sentence that is not at its end: "yes …", "red,". */
export function isUnfinished(reply: string): boolean {
  return /[.。]\s*[.。]|[,、;:&+/–—−︙(«-](?:[\s.]|\ufe0f)*$/u.test(reply.normalize('NFKC').trim());
}

/** True for characters that hide or delete what stands beside them: of terminals, or that change the direction of writing. */
export function hidesText(reply: string): boolean {
  return /[^\P{Cc}\n\r\t]|[\u202a-\u202e\u2066-\u2069]/u.test(reply);
}

/** Phrases that are known, to be found in a reply: each stands there as it is written, with nothing between its words. */
export class Phrases implements Iterable<string> {
  readonly #known: ReadonlySet<string>;
  readonly #longest: number;

  constructor(phrases: Iterable<string>) {
    this.#known = new Set([...phrases].map((phrase) => textOf(replyWords(phrase))));
    this.#longest = Math.max(0, ...[...this.#known].map((phrase) => phrase.split(' ').length));
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#known.values();
  }

  has(text: string): boolean {
    return this.#known.has(text);
  }

  /** The end of the longest phrase that begins at this word; undefined if none does. */
  endAt(reply: ReplyWords, from: number): number | undefined {
    for (let to = Math.min(from + this.#longest, reply.words.length); to > from; to -= 1) {
      if (this.has(textOf(reply, from, to))) return to;
    }
    return undefined;
  }

  /** The start of the longest phrase that ends before this word; undefined if none does. */
  startBefore(reply: ReplyWords, to: number): number | undefined {
    for (let from = Math.max(to - this.#longest, 0); from < to; from += 1) {
      if (this.has(textOf(reply, from, to))) return from;
    }
    return undefined;
  }
}

/** What people write around an answer is short, and the readings of a reply must stay few. */
const mostAround = 6;

/**
 * The words that may be the answer itself, the whole reply first: without the phrases that may stand before it and after it, some of each. At least one
 * word is left. `isAnswer` tells what is an answer by itself here, such as the label "Thanks": that is never left out.
 */
export function* answersIn(
  reply: ReplyWords,
  before: Phrases,
  after: Phrases,
  isAnswer: (text: string) => boolean = () => false,
): Generator<{ readonly from: number; readonly to: number }> {
  const starts = steps(0, (at) => {
    const end = before.endAt(reply, at);
    return end === undefined || isAnswer(textOf(reply, at, end)) ? undefined : end;
  });
  const ends = steps(reply.words.length, (at) => {
    const start = after.startBefore(reply, at);
    return start === undefined || isAnswer(textOf(reply, start, at)) ? undefined : start;
  });
  for (const from of starts) for (const to of ends) if (from < to) yield { from, to };
}

function steps(first: number, next: (at: number) => number | undefined): readonly number[] {
  const all = [first];
  for (let at = next(first); at !== undefined && all.length <= mostAround; at = next(at)) all.push(at);
  return all;
}
