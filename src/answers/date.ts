/**
 * A day, or a day and a time, written in full. Local time without a zone; the author knows which place it is for.
 * Nothing is derived from the present date.
 */

import type { AnswerType, Parsed, Question } from '../core/ask/answer-type.js';
import { boolean, checkOptions, expecting, optional } from '../core/check-options.js';
import { definedFields } from '../core/defined-fields.js';
import { badOption } from '../core/errors.js';
import { english } from '../core/wording/english.js';
import type { Wording } from '../core/wording/wording.js';
import { checkedQuestion } from './question.js';
import type { Meanings } from './reading/calendar.js';
import { isDay, readDay } from './reading/calendar.js';
import { answersOf, deniedAnswer, readExactly, refusal } from './reading/reply.js';
import { readMoment } from './reading/time-of-day.js';

type DateData = DateOptions & { readonly time: boolean; readonly example: string };

export const dateType: AnswerType<string, DateData> = {
  kind: 'date',
  shape: ({ time }) => ({ type: 'text', input: time ? 'datetime' : 'date' }),
  parse: (reply, data, locale, context) =>
    readExactly(reply, context, needs(data), (words) => {
      const { vocabulary } = words;
      const reader = { vocabulary, language: (context?.language ?? english).locale, locale };
      for (const said of answersOf(words, vocabulary.beforeDate)) {
        const meanings: Meanings = data.time ? readMoment(said, reader) : readDay(said, reader);
        if (meanings === undefined) continue;
        const [value, ...others] = meanings;
        if (others.length > 0) return refusal('not-understood', (wording) => wording.ambiguous(meanings.map(shown)));
        return value === undefined ? refusal('not-valid', (wording) => wording.noSuchDate()) : fitting(value, data);
      }
      return deniedAnswer(words);
    }),
  accept: (value, data) => (isStored(value, data.time) ? fitting(value, data) : refusal('not-understood', needs(data))),
};

const needs = (data: DateData) => (wording: Wording) => wording.needDate(shown(data.example));

/** As people write it, in a form that they can type back. */
function shown(value: string): string {
  return value.replace('T', ' ');
}

function isStored(value: unknown, time: boolean): value is string {
  if (typeof value !== 'string') return false;
  return time ? /^.{10}T(?:[01]\d|2[0-3]):[0-5]\d$/.test(value) && isDay(value.slice(0, 10)) : isDay(value);
}

function isWithin(value: string, { min, max }: Pick<DateData, 'min' | 'max'>): boolean {
  return value >= (min ?? value) && value <= (max ?? value);
}

function fitting(value: string, data: DateData): Parsed<string> {
  if (isWithin(value, data)) return { ok: true, value };
  const [earliest, latest] = [data.min, data.max].map((limit) => (limit === undefined ? undefined : shown(limit)));
  return refusal('not-valid', (wording) => wording.outOfDates(earliest, latest));
}

const day = optional(expecting<string>('a real date as YYYY-MM-DD', (value) => isStored(value, false)));
const moment = optional(expecting<string>('a real date as YYYY-MM-DDTHH:MM', (value) => isStored(value, true)));
const rulesFor = (rule: typeof day) => ({ time: optional(boolean(), false), min: rule, max: rule, example: rule });
const [dayRules, momentRules] = [rulesFor(day), rulesFor(moment)];

/** Which dates `date()` accepts. Dates are `YYYY-MM-DD`, or with `time` `YYYY-MM-DDTHH:MM`. */
export interface DateOptions {
  /**
   * True to ask for a day and a time.
   *
   * @default false
   */
  readonly time?: boolean;
  /**
   * The earliest date that is accepted.
   *
   * @default no limit
   */
  readonly min?: string;
  /**
   * The latest date that is accepted.
   *
   * @default no limit
   */
  readonly max?: string;
  /**
   * Shown when a reply was not understood. It must itself be accepted.
   *
   * @default one that fits
   */
  readonly example?: string;
}

/**
 * A question answered with a day. The handler gets `YYYY-MM-DD`, or with `time` `YYYY-MM-DDTHH:MM`: local time of the
 * place it is about, without a zone. `min`, `max` (both included) and `example` have the same form.
 *
 * @example
 * import { agent, date } from 'askback';
 *
 * agent('travel').question('day', date('When do you arrive?', { min: '2026-01-01' }), { onAnswer: (day) => `On ${day}.` });
 */
export function date(question: string, options: DateOptions = {}): Question<string> {
  const rules = options?.time === true ? momentRules : dayRules;
  const { time, min, max, example } = checkOptions('date()', options, rules, '{ time: true }');
  const limits = definedFields({ min, max });
  if (min !== undefined && max !== undefined && min > max)
    throw badOption(`date(): min ${min} is after max ${max}, so nothing could ever fit.`);
  if (example !== undefined && !isWithin(example, limits))
    throw badOption(`date(): example must itself be an accepted answer, got ${example}.`);
  const data = { time, ...limits, example: example ?? min ?? max ?? (time ? '2027-03-25T14:30' : '2027-03-25') };
  return checkedQuestion({ text: question, type: dateType, data });
}
