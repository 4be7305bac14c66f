/**
 * Several of the options. The reply is numbers, labels or both, separated by commas or "and". One part that names no
 * option, or one that was named before, refuses the whole reply, so that nothing is dropped silently.
 */

import type { AnswerType, Choice, Parsed, Question } from '../core/ask/answer-type.js';
import { checkOptions, integer, optional } from '../core/check-options.js';
import { badOption } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { isBlank } from '../core/text.js';
import type { Wording } from '../core/wording/wording.js';
import { checkedOptions, checkedQuestion, type OptionId } from './question.js';
import { optionList, readOption } from './reading/options.js';
import { readParts } from './reading/parts.js';
import { isWholly, notAnAnswer, refusal, refused } from './reading/reply.js';

type ChoicesData = Required<ChoicesLimits> & { readonly choices: readonly Choice[] };

export const choicesType: AnswerType<string[], ChoicesData> = {
  kind: 'choices',
  shape: ({ choices, max }) => {
    const limit = max < choices.length ? { max } : {};
    return { type: 'choices', choices, many: true, ...limit };
  },
  parse: (reply, data, _locale, context): Parsed<string[]> => {
    const list = optionList(data.choices, context);
    const whole = readOption(reply, list, 'labels');
    if ('option' in whole) return within([whole.option.id], data);
    const unclear = notAnAnswer(reply);
    if (unclear !== undefined) return refused(unclear, pickSeveral(data));
    if (data.min === 0 && (isBlank(reply) || isWholly('none', reply, context))) return { ok: true, value: [] };
    const read = readParts(reply, list, list.vocabulary.and);
    if (!('named' in read)) return refused(read, pickSeveral(data));
    return within(
      read.named.map(({ id }) => id),
      data,
    );
  },
  accept: (value, data): Parsed<string[]> => {
    const ids: readonly Json[] = Array.isArray(value) ? value : [value];
    const known = ids.filter((id): id is string => data.choices.some((option) => option.id === id));
    if (!Array.isArray(value) || known.length < ids.length) return refusal('not-valid', pickSeveral(data));
    return within([...new Set(known)], data);
  },
};

function within(ids: string[], data: ChoicesData): Parsed<string[]> {
  const fits = ids.length >= data.min && ids.length <= data.max;
  return fits ? { ok: true, value: ids } : refusal('not-valid', pickSeveral(data));
}

function pickSeveral({ choices, min, max }: ChoicesData): (wording: Wording) => string {
  const labels = choices.map(({ label }) => label);
  return (wording) => wording.pickSeveral(labels, min, max);
}

/** How many options `choices()` lets people pick. */
export interface ChoicesLimits {
  /**
   * The fewest that must be picked. With 0, "none" is an answer: an empty list.
   *
   * @default 1
   */
  readonly min?: number;
  /**
   * The most that may be picked.
   *
   * @default all of them
   */
  readonly max?: number;
}

/**
 * A question from which several options may be picked. The handler gets a list of the chosen ones, in the order in
 * which they were named: at least `min` (default 1; 0 allows none) and at most `max` (default: all).
 *
 * @example
 * import { agent, choices } from 'askback';
 *
 * const toppings = choices('Which toppings?', ['cheese', 'ham', 'olives'], { min: 0, max: 2 });
 * agent('pizza').question('toppings', toppings, { onAnswer: (picked) => `With ${picked.join(' and ')}.` });
 */
export function choices<const C extends string | Choice>(
  question: string,
  options: readonly C[],
  limits: ChoicesLimits = {},
): Question<OptionId<C>[]> {
  const name = `choices(${describe(question)})`;
  const checked = checkedOptions(name, options);
  const most = checked.length;
  const rules = {
    min: optional(integer({ min: 0, max: most }), 1),
    max: optional(integer({ min: 1, max: most }), most),
  };
  const { min, max } = checkOptions(name, limits, rules, '{ min: 0, max: 2 }');
  if (min > max) throw badOption(`${name}: min ${min} is more than max ${max}, so nothing could ever fit. Lower min.`);
  const data = { choices: checked, min, max } as unknown as Json; // strings and numbers, checked above; an interface has no index signature
  // an answer holds only the ids given here, and OptionId<C> is their union
  return checkedQuestion<string[], ChoicesData>({ text: question, type: choicesType, data }) as unknown as Question<
    OptionId<C>[]
  >;
}
