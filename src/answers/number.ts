/**
 * A number, typed in digits or as a word up to twenty. Nothing is rounded, converted or picked out of a sentence:
 * ranges, units, currencies and estimates are asked again. Only the noun that the question counts may stand behind it.
 */

import type { AnswerType, Parsed, Question } from '../core/ask/answer-type.js';
import { boolean, checkOptions, finite, optional } from '../core/check-options.js';
import { badOption } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { replyWords } from '../core/reply-words.js';
import type { Wording } from '../core/wording/wording.js';
import { checkedQuestion } from './question.js';
import { Notation, type NumberText } from './reading/number-text.js';
import { answersOf, deniedAnswer, readExactly, refusal, type TypedReply } from './reading/reply.js';

type NumberData = NumberOptions & { readonly example: number };

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

function readNumber(reply: TypedReply, notation: Notation, question: string): NumberText | undefined {
  const { text, vocabulary } = reply;
  if (commaFirst.test(text) || (unitMark.test(text) && !openingQuote.test(text))) return undefined;
  const texts = [...answersOf(reply, vocabulary.beforeNumber)];
  for (const said of [...texts, ...texts.flatMap((text) => withoutNoun(text, reply, question) ?? [])]) {
    const word = vocabulary.numbers.get(said);
    const read = word === undefined ? notation.read(said) : ({ type: 'number', value: word } as const);
    if (read !== undefined) return read;
  }
  return undefined;
}

export const numberType: AnswerType<number, NumberData> = {
  kind: 'number',
  shape: () => ({ type: 'text', input: 'number' }),
  parse: (reply, data, locale, context) => {
    const notation = new Notation(locale, context);
    const needs = (example: number) => (wording: Wording) => wording.needNumber(notation.shown(example));
    return readExactly(reply, context, needs(data.example), (words, typed) => {
      const read = twoNumbers.test(typed) ? undefined : readNumber(words, notation, context?.question ?? '');
      if (read === undefined) return deniedAnswer(words);
      if (read.type === 'number') return fitting(read.value, data, notation);
      if (read.type === 'either')
        return refusal('not-understood', (wording) => wording.ambiguous(read.values.map(notation.shown)));
      return refusal('not-understood', needs(problemWith(read.value, data) === undefined ? read.value : data.example));
    });
  },
  accept: (value, data, context) => {
    const notation = new Notation(undefined, context);
    if (typeof value === 'number' && Number.isFinite(value)) return fitting(value, data, notation);
    return refusal('not-understood', (wording) => wording.needNumber(notation.shown(data.example)));
  },
};

function problemWith(value: number, { min, max, integer }: Omit<NumberData, 'example'>): 'range' | 'whole' | undefined {
  if (integer === true && !Number.isSafeInteger(value)) return 'whole';
  return value < (min ?? value) || value > (max ?? value) ? 'range' : undefined;
}

function fitting(value: number, data: NumberData, notation: Notation): Parsed<number> {
  const problem = problemWith(value, data);
  if (problem === undefined) return { ok: true, value: value === 0 ? 0 : value }; // JSON has no minus zero
  if (problem === 'whole') return refusal('not-valid', (wording) => wording.needWhole(notation.shown(data.example)));
  const [least, most] = [data.min, data.max].map((limit) => (limit === undefined ? undefined : notation.limit(limit)));
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
  if (problemWith(data.example, data) === undefined)
    return checkedQuestion({ text: question, type: numberType, data: { ...data } satisfies Json });
  if (example !== undefined) throw badOption(`number(): example must itself be an accepted answer, got ${example}.`);
  const which = integer === true ? 'whole number' : 'number';
  throw badOption(
    `number(): min and max must have a ${which} between them, got min ${describe(min)} and max ${describe(max)}.`,
  );
}

function fittingExample(min: number | undefined, max: number | undefined, whole: boolean): number {
  if (min !== undefined) return whole ? Math.ceil(min) : min;
  if (max !== undefined) return whole ? Math.floor(max) : max;
  return 42;
}
