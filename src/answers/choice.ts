/**
 * One of several options, or a free answer where `other` allows it. The reply may be a pressed control, an id, a
 * label, a position in the list, or the start of a label; an approval is read by fewer of these. Several options at once are refused, never guessed.
 */

import type { AnswerType, Choice, Parsed, Question, ReplyContext } from '../core/ask/answer-type.js';
import { checkOptions, optional } from '../core/check-options.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { folded, isBlank } from '../core/text.js';
import { english } from '../core/wording/english.js';
import { checkedQuestion } from './question.js';
import type { OptionList, Unread } from './reading/match-option.js';
import {
  exactOption,
  namedOption,
  optionList,
  partsOf,
  readExplicitOption,
  readOption,
} from './reading/match-option.js';
import type { OptionId } from './reading/option-labels.js';
import { badOption, checkedLabel, checkedOptions } from './reading/option-labels.js';
import { refusal } from './reading/refusal.js';
import { yesOrNoIn } from './reading/whole-replies.js';

interface ChoiceData {
  readonly choices: readonly Choice[];
  /** The label of the control for a free answer; true for that of the person's language, which is stored once it is asked. */
  readonly other?: string | true;
  /** It approves an action: "yes" is its option `once`, "no" its `deny`, and whoever answers is told what they have done. */
  readonly approval?: true;
}

type Chosen = string | { readonly other: string };

const drawn = ({ choices, other }: ChoiceData): readonly Choice[] =>
  other === undefined ? choices : [...choices, { id: 'other', label: otherLabel(other) }];

const otherLabel = (other: string | true): string => (other === true ? english.wording.other() : other);

export const choiceType: AnswerType<Chosen, ChoiceData> = {
  kind: 'choice',
  shape: (data) => ({ type: 'choices', choices: drawn(data), many: false }),
  worded: (data, wording) => {
    const own = wording.other();
    const other = data.other === true && !isTaken(data.choices, own) ? { other: own } : {};
    return { ...data, ...other } as unknown as Json; // strings, checked when the question was made
  },
  told: (value, { approval }, wording) => {
    if (approval !== true) return undefined;
    return value === 'once' || value === 'session' ? wording.approved(value) : wording.denied();
  },
  parse: (reply, data, _locale, context): Parsed<Chosen> => {
    const list = optionList(drawn(data), context);
    if (data.other !== undefined && asksForOther(context)) return ownAnswer(reply, data, list);
    const named = namedOption(reply, list);
    if ('option' in named) return chosen(named.option, data);
    const meant = data.approval === true && reply.length <= list.maxLength ? approvedBy(reply, context) : undefined;
    if (meant !== undefined) return { ok: true, value: meant };
    const own =
      data.other === undefined || named.say !== undefined ? undefined : afterLabel(reply, otherLabel(data.other));
    if (own !== undefined) return ownAnswer(own, data, list);
    const readOne = data.approval === true ? readExplicitOption : readOption;
    const read = several(reply, list) ?? readOne(reply, list);
    return 'option' in read ? chosen(read.option, data) : refused(read, data);
  },
  accept: (value, data): Parsed<Chosen> => {
    const option = drawn(data).find((each) => each.id === value);
    if (option !== undefined) return chosen(option, data);
    if (data.other !== undefined && isOther(value)) return { ok: true, value };
    return refused({ why: 'not-valid' }, data);
  },
};

function chosen(option: Choice, { other }: ChoiceData): Parsed<Chosen> {
  if (other === undefined || option.id !== 'other') return { ok: true, value: option.id };
  return {
    ok: false,
    why: 'more',
    partial: { other: true },
    prompt: english.wording.typeOther(),
    say: (wording) => wording.typeOther(),
    shape: { type: 'text' },
  };
}

/** The option of an approval that a yes or a no means. */
function approvedBy(reply: string, context: ReplyContext | undefined): 'once' | 'deny' | undefined {
  const meant = yesOrNoIn(reply, context, { approval: true });
  return typeof meant === 'boolean' ? (meant ? 'once' : 'deny') : undefined;
}

/** A free answer. The exact label of an option still means that option. */
function ownAnswer(reply: string, data: ChoiceData, list: OptionList): Parsed<Chosen> {
  const option = exactOption(reply, list);
  if (option !== undefined) return chosen(option, data);
  if (isBlank(reply)) return refusal('not-understood', (wording) => wording.typeOther());
  return { ok: true, value: { other: reply.trim() } };
}

/** The free answer behind its label: "green" of "Other: green". */
function afterLabel(reply: string, label: string): string | undefined {
  const colon = /[:：]/u.exec(reply.slice(0, 2 * label.length + 20));
  if (colon === null) return undefined;
  const before = folded(reply.slice(0, colon.index));
  return before === folded(label) || before === 'other' ? reply.slice(colon.index + 1) : undefined;
}

/** The refusal of a reply that names several options; undefined if it does not. */
function several(reply: string, list: OptionList): Unread | undefined {
  if (reply.length > list.maxLength) return undefined;
  const parts = partsOf(reply, list, list.vocabulary.or);
  if (parts.length < 2 || parts.length > list.items.length + 1) return undefined;
  const reads = parts.map(({ from, to }) => readOption(reply.slice(from, to), list));
  const named = new Set(reads.map((read) => ('option' in read ? read.option : undefined)));
  if (named.has(undefined) || named.size < 2) return undefined;
  return { why: 'not-valid', say: (wording, rest) => `${wording.onlyOne()} ${rest}` };
}

function refused(read: Unread, data: ChoiceData): Parsed<never> {
  const labels = drawn(data).map((each) => each.label);
  return refusal(read.why, (wording) => read.say?.(wording, wording.pickOne(labels)) ?? wording.pickOne(labels));
}

function isTaken(choices: readonly Choice[], label: string): boolean {
  return choices.some((each) => [each.id, each.label].some((own) => folded(own) === folded(label)));
}

function asksForOther(context: ReplyContext | undefined): boolean {
  return (context?.partial as { other?: unknown } | null | undefined)?.other === true;
}

function isOther(value: Json): value is { readonly other: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { other, ...more } = value as { readonly [key: string]: Json };
  return typeof other === 'string' && !isBlank(other) && Object.keys(more).length === 0;
}

const rules = { other: optional((value, name) => (value === true ? value : checkedLabel(name, value))) };

/** What `choice()` lets people do beside picking an option. */
export interface ChoiceOptions {
  /**
   * Lets people write an answer of their own, which the handler gets as `{ other: 'their words' }`. A string is the label of
   * that control; true gives it "Other" in the language of whoever is asked.
   *
   * @default only the options can be picked
   */
  readonly other: true | string;
}

/**
 * A question with a list of options. The handler gets the chosen one: its text, or its id where options have ids.
 * With `other` people may also write an answer of their own, which the handler gets as `{ other: 'their words' }`.
 *
 * @example
 * import { agent, choice } from 'askback';
 *
 * agent('shop').question('size', choice('Which size?', ['S', 'M', 'L']), { onAnswer: (size) => `${size} it is.` });
 */
export function choice<const C extends string | Choice>(
  question: string,
  options: readonly C[],
  more?: { readonly [K in keyof ChoiceOptions]?: undefined },
): Question<OptionId<C>>;
export function choice<const C extends string | Choice>(
  question: string,
  options: readonly C[],
  more: ChoiceOptions,
): Question<OptionId<C> | { readonly other: string }>;
export function choice(
  question: string,
  options: readonly (string | Choice)[],
  more: { readonly [K in keyof ChoiceOptions]?: ChoiceOptions[K] | undefined } = {},
): Question<never> {
  const name = `choice(${describe(question)})`;
  const { other } = checkOptions(name, more, rules, '{ other: true }');
  const choices = checkedOptions(name, options);
  if (other === undefined) return asked(question, { choices });
  if (choices.some((each) => each.id === 'other') || isTaken(choices, otherLabel(other))) {
    throw badOption(
      `${name}: other (${JSON.stringify(otherLabel(other))}) is also an option's id or label. Rename that option, or give other a label of its own.`,
    );
  }
  return asked(question, { choices, other });
}

function asked(text: string, data: ChoiceData): Question<never> {
  // an answer is one of the ids given, which is what the union of the signatures names
  return checkedQuestion<Chosen, ChoiceData>({
    text,
    type: choiceType,
    data: data as unknown as Json, // plain strings, checked above
  }) as Question<never>;
}
