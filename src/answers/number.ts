/**
 * A number, typed in digits or as a word up to twenty. Nothing is rounded, converted or picked out of a sentence:
 * ranges, units, currencies and estimates are asked again. Only the noun that the question counts may stand behind it.
 */

import type { AnswerType, Parsed, Question, ReplyContext } from '../core/ask/answer-type.js';
import { boolean, checkOptions, finite, optional } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { replyWords } from '../core/reply-words.js';
import { english } from '../core/wording/english.js';
import { grouped } from '../core/wording/grouped.js';
import { checkedQuestion } from './question.js';
import { type DecimalMarks, decimalMarksFor, groupMarkFor } from './reading/locale-formats.js';
import { type NumberText, readNumberText } from './reading/number-text.js';
import { answersOf, denies, legible, notAnAnswer, readableReply, refusal, type TypedReply } from './reading/reply.js';

interface NumberData {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
  readonly example: number;
}

/** The text without the noun that the question counts: "4 people" to "How many people?". A question with a choice counts several. */
function withoutNoun(said: string, { vocabulary }: TypedReply, question: string): string | undefined {
  const asked = replyWords(question.replace(/['’¿]/g, ' '));
  const { counts, and, or } = vocabulary;
  const at = asked.words.findIndex((_, i) => counts.endAt(asked, i) !== undefined);
  const noun = asked.words[counts.endAt(asked, Math.max(at, 0)) ?? -1]?.text.replace(/[?？]$/, '') ?? '';
  if (at < 0 || noun.length < 3 || !said.endsWith(` ${noun}`)) return undefined;
  const isSeveral = /[,/(]/.test(question) || asked.words.some(({ text }) => and.has(text) || or.has(text));
  return isSeveral ? undefined : said.slice(0, -noun.length - 1);
}

/** ",5" is a half, and a unit mark behind a number is inches, unless the number is quoted. */
const commaFirst = /(?:^|\D),\d/;
const unitMark = /\d["'”“](?!\d)/u;
const openingQuote = /["'”“„][-+−]?\d/u;
/** Two numbers side by side, which folding would join to one with a thousands separator. */
const twoNumbers = /\p{Nd}\s{2,}\p{Nd}/u;

function readNumber(
  reply: TypedReply,
  typed: string,
  locale: string | undefined,
  context: ReplyContext | undefined,
): NumberText | undefined {
  const { text, vocabulary } = reply;
  if (twoNumbers.test(typed) || commaFirst.test(text) || (unitMark.test(text) && !openingQuote.test(text)))
    return undefined;
  const question = context?.question ?? '';
  const texts = [...answersOf(reply, vocabulary.beforeNumber)];
  for (const said of [...texts, ...texts.flatMap((text) => withoutNoun(text, reply, question) ?? [])]) {
    const word = vocabulary.numbers.get(said);
    if (word !== undefined) return { type: 'number', value: word };
    // asking the runtime takes 0.1 ms, and digits without a mark mean the same everywhere
    const marks = /[.,]/.test(said) ? marksOf(locale, context) : marksOf(undefined, context);
    const read = readNumberText(said, marks, locale !== undefined);
    if (read !== undefined) return read;
  }
  return undefined;
}

export const numberType: AnswerType<number, NumberData> = {
  kind: 'number',
  shape: () => ({ type: 'text', input: 'number' }),
  parse: (reply, data, locale, context) => {
    const shown = asWritten(locale, context);
    const again = (example: number): Parsed<never> =>
      refusal('not-understood', (wording) => wording.needNumber(shown(example)));
    const text = legible(reply);
    if (text === undefined) return again(data.example);
    const refused = notAnAnswer(reply);
    if (refused?.say !== undefined) return refusal('not-understood', (wording) => wording.askedBack());
    if (refused !== undefined) return again(data.example);
    const words = readableReply(text, context);
    const read = readNumber(words, text, locale, context);
    if (read?.type === 'number') return fitting(read.value, data, locale, context);
    if (read?.type === 'either') {
      const { values } = read;
      return refusal('not-understood', (wording) => wording.ambiguous(values.map(shown)));
    }
    if (read?.type === 'foreign') return again(problemWith(read.value, data) === undefined ? read.value : data.example);
    if (/\d/.test(words.text) && denies(words)) return refusal('not-understood', (wording) => wording.sayWhich());
    return again(data.example);
  },
  accept: (value, data, context) => {
    if (typeof value === 'number' && Number.isFinite(value)) return fitting(value, data, undefined, context);
    return refusal('not-understood', (wording) => wording.needNumber(asWritten(undefined, context)(data.example)));
  },
};

function marksOf(locale: string | undefined, context: ReplyContext | undefined): DecimalMarks {
  const language = context?.language ?? english;
  return decimalMarksFor(locale, { locale: language.locale, decimal: language.words.decimal });
}

/**
 * A number in this person's notation, in a form that can be typed back: 1.2340, because 1.234 may be read as a
 * thousand.
 */
function asWritten(locale: string | undefined, context: ReplyContext | undefined): (value: number) => string {
  return (value) => {
    const { own } = marksOf(locale, context);
    const text = String(value);
    return (/^-?[1-9]\d{0,2}\.\d{3}$/.test(text) ? `${text}0` : text).replace('.', own);
  };
}

/** The same with its thousands apart, from five digits on: 2026 may be a year. */
function asLimit(locale: string | undefined, context: ReplyContext | undefined): (value: number) => string {
  const shown = asWritten(locale, context);
  const group = groupMarkFor(locale, (context?.language ?? english).locale, marksOf(locale, context));
  return (value) => grouped(shown(value), group);
}

function problemWith(value: number, { min, max, integer }: Omit<NumberData, 'example'>): 'range' | 'whole' | undefined {
  if (integer === true && !Number.isSafeInteger(value)) return 'whole';
  return value < (min ?? value) || value > (max ?? value) ? 'range' : undefined;
}

function fitting(
  value: number,
  data: NumberData,
  locale: string | undefined,
  context: ReplyContext | undefined,
): Parsed<number> {
  const problem = problemWith(value, data);
  if (problem === undefined) return { ok: true, value: value === 0 ? 0 : value }; // JSON has no minus zero
  if (problem === 'whole')
    return refusal('not-valid', (wording) => wording.needWhole(asWritten(locale, context)(data.example)));
  const shown = asLimit(locale, context);
  const [least, most] = [data.min, data.max].map((limit) => (limit === undefined ? undefined : shown(limit)));
  return refusal('not-valid', (wording) => wording.outOfRange(least, most));
}

const rules = {
  min: optional(finite()),
  max: optional(finite()),
  integer: optional(boolean()),
  example: optional(finite()),
};

/** Which numbers `number()` accepts. */
export interface NumberOptions {
  /**
   * The smallest number that is accepted.
   *
   * @default no limit
   */
  readonly min?: number;
  /**
   * The largest number that is accepted.
   *
   * @default no limit
   */
  readonly max?: number;
  /**
   * True if only whole numbers are accepted. Nothing is rounded: 2.5 is asked again.
   *
   * @default false
   */
  readonly integer?: boolean;
  /**
   * Shown when a reply was not understood. It must itself be accepted.
   *
   * @default one that fits
   */
  readonly example?: number;
}

/**
 * A question answered with a number. The handler gets a number that lies between `min` and `max`, both included. How
 * thousands and decimals are read follows the person's language and country; where that leaves two meanings, it is asked again.
 *
 * @example
 * import { agent, number } from 'askback';
 *
 * agent('shop').question('amount', number('How many?', { min: 1, max: 10, integer: true }), { onAnswer: (n) => `${n} of them.` });
 */
export function number(question: string, options: NumberOptions = {}): Question<number> {
  const checked = checkOptions('number()', options, rules, '{ min: 1, integer: true }');
  const { min, max, integer, example } = checked;
  const data: NumberData = { ...checked, example: example ?? fittingExample(min, max, integer === true) };
  if (problemWith(data.example, data) === undefined) {
    return checkedQuestion({ text: question, type: numberType, data: { ...data } satisfies Json });
  }
  if (example !== undefined) {
    throw new AgentError('bad-option', `number(): example must itself be an accepted answer, got ${example}.`);
  }
  const which = integer === true ? 'whole number' : 'number';
  throw new AgentError(
    'bad-option',
    `number(): min and max must have a ${which} between them, got min ${describe(min)} and max ${describe(max)}.`,
  );
}

function fittingExample(min: number | undefined, max: number | undefined, whole: boolean): number {
  if (min !== undefined) return whole ? Math.ceil(min) : min;
  if (max !== undefined) return whole ? Math.floor(max) : max;
  return 42;
}
