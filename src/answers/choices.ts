/**
 * Several of the options. The reply is numbers, labels or both, separated by commas or "and". One part that names no
 * option refuses the whole reply, so that nothing is dropped silently.
 */

import type { AnswerType, Choice, Parsed, Question } from '../core/ask/answer-type.js';
import { checkOptions, integer, optional } from '../core/check-options.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { isBlank } from '../core/text.js';
import type { Wording } from '../core/wording/wording.js';
import { checkedQuestion } from './question.js';
import type { OptionList, Unread } from './reading/match-option.js';
import { namedOption, optionList, partsOf, readOption } from './reading/match-option.js';
import type { OptionId } from './reading/option-labels.js';
import { badOption, checkedOptions } from './reading/option-labels.js';
import { refusal } from './reading/refusal.js';
import { typedReply } from './reading/typed-reply.js';

interface ChoicesData {
  readonly choices: readonly Choice[];
  readonly min: number;
  readonly max: number;
}

export const choicesType: AnswerType<string[], ChoicesData> = {
  kind: 'choices',
  shape: ({ choices, max }) => {
    const limit = max < choices.length ? { max } : {};
    return { type: 'choices', choices, many: true, ...limit };
  },
  parse: (reply, data, _locale, context): Parsed<string[]> => {
    const list = optionList(data.choices, context);
    const whole = namedOption(reply, list);
    if ('option' in whole) return within([whole.option.id], data);
    if (data.min === 0 && (isBlank(reply) || picksNone(reply, list))) return { ok: true, value: [] };
    if (whole.say !== undefined || reply.length > 2 * list.maxLength) return refused(whole, data);
    const read = readParts(reply, list);
    if ('named' in read) return within([...new Set(read.named.map((option) => option.id))], data);
    const bare = readParts(typedReply(reply, context).bare, list);
    return 'named' in bare ? within([...new Set(bare.named.map((option) => option.id))], data) : refused(read, data);
  },
  accept: (value, data): Parsed<string[]> => {
    if (!Array.isArray(value)) return refused({ why: 'not-valid' }, data);
    const ids: readonly Json[] = value;
    const known = ids.filter((id): id is string => data.choices.some((option) => option.id === id));
    return known.length === ids.length ? within([...new Set(known)], data) : refused({ why: 'not-valid' }, data);
  },
};

function picksNone(reply: string, list: OptionList): boolean {
  return (
    reply.length <= list.maxLength &&
    typedReply(reply, list.context).stages.some((stage) => list.vocabulary.none.has(stage))
  );
}

function within(ids: string[], data: ChoicesData): Parsed<string[]> {
  return ids.length >= data.min && ids.length <= data.max
    ? { ok: true, value: ids }
    : refused({ why: 'not-valid' }, data);
}

function refused(read: Unread, { choices, min, max }: ChoicesData): Parsed<never> {
  const labels = choices.map((option) => option.label);
  const rest = (wording: Wording) => wording.pickSeveral(labels, min, max);
  return refusal(read.why, (wording) => read.say?.(wording, rest(wording)) ?? rest(wording));
}

type NamedOptions = { readonly named: readonly Choice[] } | Unread;

/**
 * Tries every way to split the reply so that each piece names an option, because a label may contain a comma or an
 * "and". Two splits that lead to different options are refused.
 */
function readParts(reply: string, list: OptionList): NamedOptions {
  const parts = partsOf(reply, list);
  if (parts.length > 4 * list.items.length + 20) return { why: 'not-understood' };
  const widest = Math.max(...list.items.map(({ choice }) => partsOf(choice.label, list).length));
  let why: Unread = { why: 'not-understood' };
  const ways: (readonly (readonly Choice[])[])[] = [];
  ways[parts.length] = [[]];
  for (let i = parts.length - 1; i >= 0; i -= 1) {
    const found: (readonly Choice[])[] = [];
    for (let next = Math.min(i + widest, parts.length); next > i; next -= 1) {
      const piece = reply.slice(parts[i]?.from, parts[next - 1]?.to);
      const read = next === i + 1 ? readOption(piece, list) : namedOption(piece, list);
      if ('option' in read) found.push(...(ways[next] ?? []).map((rest) => [read.option, ...rest]));
      else if (next === i + 1 && (read.say !== undefined || read.why === 'not-valid')) why = read;
    }
    ways[i] = found.slice(0, 2);
  }
  const [way, another] = parts.length === 0 ? [] : (ways[0] ?? []);
  if (way === undefined) return why;
  if (another === undefined) return { named: way };
  const meanings = [way, another].map((options) => options.map((option) => option.label).join(' + '));
  return { why: 'not-understood', say: (wording) => wording.ambiguous(meanings) };
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
