/**
 * A reply made ready for reading: its words, the vocabulary of the person's language, and what may stand around an answer. Says what is no
 * answer whatever its words are: a question, a sentence without its end.
 */
import type { Parsed, ReplyContext } from '../../core/ask/answer-type.js';
import type { ReplyWords } from '../../core/reply-words.js';
import {
  answersIn,
  asksBack,
  friendlyEmoji,
  hidesText,
  isUnfinished,
  Phrases,
  replyWords,
  textOf,
} from '../../core/reply-words.js';
import { withoutControls } from '../../core/text.js';
import { english } from '../../core/wording/english.js';
import type { Vocabulary } from '../../core/wording/language.js';
import { vocabularyOf } from '../../core/wording/language.js';
import type { Wording } from '../../core/wording/wording.js';

export interface TypedReply extends ReplyWords {
  readonly vocabulary: Vocabulary;
  /** Courtesy before an answer, and a greeting or thanks with the name of the agent that asks. */
  readonly before: Phrases;
  /** The same after an answer. */
  readonly after: Phrases;
}

/** Why a reply has no value. Without `say` only `rest` is said, which names what is valid. */
export interface Unread {
  readonly why: 'not-understood' | 'not-valid';
  readonly say?: (wording: Wording, rest: string) => string;
}

/** A reply that gives no value. */
export type Refused = Extract<Parsed<never>, { problem: string }>;

/** Builds the refusal of a reply, with a sentence of the wording table. For the built-in answer types. */
export function refusal(why: 'not-understood' | 'not-valid', say: (wording: Wording) => string): Refused {
  return { ok: false, why, problem: say(english.wording), say };
}

/** The refusal of a reply that was not read; `rest` names what is valid. */
export function refused({ why, say }: Unread, rest: (wording: Wording) => string): Parsed<never> {
  return refusal(why, (wording) => say?.(wording, rest(wording)) ?? rest(wording));
}

export const nothing: Unread = { why: 'not-understood' };

export function vocabularyFor(context: ReplyContext | undefined): Vocabulary {
  return vocabularyOf((context?.language ?? english).words, english.words);
}

export function readableReply(reply: string, context: ReplyContext | undefined): TypedReply {
  const vocabulary = vocabularyFor(context);
  const { before, after, thanks, greetings } = vocabulary;
  const words = { ...replyWords(reply), vocabulary };
  const name = context?.agentName ?? '';
  if (name === '' || !reply.includes(name)) return { ...words, before, after };
  // only as the program gave it, and only beside a greeting or thanks: "5 max" does not address the agent Max
  const named = (phrases: Phrases) => [...phrases].flatMap((each) => [`${each} ${name}`, `${each}, ${name}`]);
  const thanked = named(thanks);
  const greeted = new Phrases([...before, ...thanked, ...named(greetings)]);
  return { ...words, before: greeted, after: new Phrases([...after, ...thanked]) };
}

/** The refusal of what is no answer whatever its words are; undefined for everything else. */
export function notAnAnswer(reply: string): Unread | undefined {
  if (reply.length > 4_000) return nothing; // an exact label may be as long
  if (asksBack(reply)) return { why: 'not-understood', say: (wording, rest) => `${wording.askedBack()} ${rest}` };
  return hidesText(reply) || isUnfinished(withoutControls(reply)) ? nothing : undefined;
}

/** What may be the answer itself: the whole reply, then with less and less around it. */
export function* answersOf(
  reply: TypedReply,
  before: Phrases = reply.before,
  isAnswer?: (text: string) => boolean,
): Generator<string> {
  for (const { from, to } of answersIn(reply, before, reply.after, isAnswer)) yield textOf(reply, from, to);
}

/** Whether the reply is one of these phrases, and nothing else but courtesy. */
export function isWholly(list: 'none' | 'skip', reply: string, context: ReplyContext | undefined): boolean {
  const words = readableReply(reply, context);
  return [...answersOf(words)].some((text) => words.vocabulary[list].has(text));
}

/** Nothing stands around it that could be left out. */
const plainWord = /^[a-z\d]{1,200}$/i;

/** A longer text has more than courtesy around what a pattern matches. */
const longestTyped = 200;

/** The same as it was typed, for a text in which each character matters. Nothing that limits or questions the answer is left out. */
export function textsOf(reply: string, context: ReplyContext | undefined): readonly [string, ...string[]] {
  const typed = reply.trim();
  if (plainWord.test(typed) || typed.length > longestTyped) return [typed];
  const sentence = typed.replace(/[.!]+$/, '');
  const words = readableReply(sentence, context);
  // folding may change the length of a text, and then a place in it is none in what was typed
  if (notAnAnswer(typed) !== undefined || words.text.length !== sentence.length) return [typed];
  const found = [...answersIn(words, words.vocabulary.beforeNumber, words.after)].map(({ from, to }) =>
    sentence.slice(words.words[from]?.from, words.words[to - 1]?.to),
  );
  return [typed, ...new Set([...found, ...found.map((text) => text.replace(/^#\s?/, ''))])];
}

/** True if a word of the reply limits or denies what stands beside it. */
export function denies({ words, vocabulary }: TypedReply): boolean {
  return words.some(({ text }) => vocabulary.not.has(text));
}

/** What people write before it without changing it, beside words for "and". */
const beforeWhy = new Set(['but', 'sorry', 'ok', 'okay', 'aber', 'mais', 'pero']);

/** Whether the reply asks what the answer is needed for, and says nothing else. */
export function asksWhy(reply: string, context: ReplyContext | undefined): boolean {
  if (reply.length > 120) return false; // longer than any question of the list
  const words = readableReply(reply.replace(/[?？¿!¡…]+/g, ' '), context);
  const { why, and } = words.vocabulary;
  for (const text of answersOf(words)) {
    const said = replyWords(text);
    const first = said.words[0]?.text ?? '';
    if (why.has(text) || ((beforeWhy.has(first) || and.has(first)) && why.has(textOf(said, 1)))) return true;
  }
  return false;
}

const emoji = /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?/gu;
/** Line breaks and keycap digits: "1" and "234" on two lines are not 1 234. */
const lineBreaks = /[\t\n\r\u2028\u2029]+|\ufe0f?\u20e3/gu;
/**
 * Control characters, superscripts and fractions (folding makes plain digits of them), direction overrides, and emoji
 * such as a heavy minus.
 */
const deceptive = /[\p{Cc}\p{No}\p{Extended_Pictographic}\u202a-\u202e\u2066-\u2069]/u;

/** The reply on one line and without friendly emoji; undefined if it is too long or deceptive. */
function legible(reply: string): string | undefined {
  if (reply.length > 400) return undefined; // longer than any number, date or address
  const text = reply
    .trim()
    .replace(lineBreaks, ', ')
    .replace(emoji, (picture) => (friendlyEmoji.includes([...picture][0] ?? '') ? ', ' : picture));
  // a long dash before a number may be a minus
  return deceptive.test(text) || /—\s*[\p{L}\p{N}]/u.test(text) ? undefined : text;
}

/** Reads an answer in which one character matters. What `read` gives no meaning is refused with what is needed. */
export function readExactly<T>(
  reply: string,
  context: ReplyContext | undefined,
  needs: (wording: Wording) => string,
  read: (words: TypedReply, text: string) => Parsed<T> | undefined,
): Parsed<T> {
  const text = legible(reply);
  const unread = notAnAnswer(reply);
  if (text !== undefined && unread?.say !== undefined)
    return refusal('not-understood', (wording) => wording.askedBack());
  const parsed = text === undefined || unread !== undefined ? undefined : read(readableReply(text, context), text);
  return parsed ?? refusal('not-understood', needs);
}

/** The refusal of a reply with a digit that says what is not wanted; undefined for any other. */
export function deniedAnswer(words: TypedReply): Parsed<never> | undefined {
  if (!/\d/.test(words.text) || !denies(words)) return undefined;
  return refusal('not-understood', (wording) => wording.sayWhich());
}
