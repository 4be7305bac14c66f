/**
 * One of several options, or a free answer where `other` allows it. The reply may be a pressed control, a label, the number that is shown
 * with it, or its leading words; an approval is read by whole labels, a yes or a no. Several options at once are refused, never guessed.
 */

import type { AnswerType, Choice, Parsed, Question, ReplyContext } from '../core/ask/answer-type.js';
import { checkOptions, optional } from '../core/check-options.js';
import { definedFields } from '../core/defined-fields.js';
import { badOption } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { folded, isBlank, saysSomething } from '../core/text.js';
import { english } from '../core/wording/english.js';
import type { Wording } from '../core/wording/wording.js';
import { checkedOptions, checkedQuestion, labelRule, type OptionId } from './question.js';
import type { OptionList, OptionRead } from './reading/options.js';
import { exactOption, optionList, readOption } from './reading/options.js';
import { readParts } from './reading/parts.js';
import type { Unread } from './reading/reply.js';
import { notAnAnswer, nothing, refusal, refused } from './reading/reply.js';
import { readYesOrNo } from './reading/yes-or-no.js';

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
  shape: (data) => {
    const shape = { type: 'choices', choices: drawn(data), many: false } as const;
    return data.approval === true ? { ...shape, numbered: false } : shape; // a number approves nothing
  },
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
    if (data.other !== undefined && (context?.partial as { other?: unknown } | null | undefined)?.other === true)
      return ownAnswer(reply, data);
    const own = data.other === undefined ? undefined : afterLabel(reply, otherLabel(data.other));
    if (own !== undefined && isBlank(own)) return writeOwn;
    const read = data.approval === true ? approvalIn(reply, data, context) : readOption(reply, list);
    if ('option' in read) return chosen(read.option, data);
    if (own !== undefined && notAnAnswer(reply) === undefined) return ownAnswer(own, data);
    return refused(several(reply, list) ?? read, pickOne(data));
  },
  accept: (value, data): Parsed<Chosen> => {
    const option = drawn(data).find((each) => each.id === value);
    if (option !== undefined) return chosen(option, data);
    if (data.other !== undefined && isOther(value)) return { ok: true, value };
    return refusal('not-valid', pickOne(data));
  },
};

/** The option "other" asks for an answer in the person's own words. */
const writeOwn: Parsed<never> = {
  ok: false,
  why: 'more',
  partial: { other: true },
  prompt: english.wording.typeOther(),
  say: (wording) => wording.typeOther(),
  shape: { type: 'text' },
};

function chosen(option: Choice, { other }: ChoiceData): Parsed<Chosen> {
  return other === undefined || option.id !== 'other' ? { ok: true, value: option.id } : writeOwn;
}

/** The option of an approval that a whole label, a yes or a no names. Neither ever means "for this session" by itself. */
function approvalIn(reply: string, { choices }: ChoiceData, context: ReplyContext | undefined): OptionRead {
  const labels = choices.map((each) => ({ ...each, yes: each.id !== 'deny' }));
  const said = readYesOrNo(reply, labels, context, true);
  if (!('yes' in said)) return said;
  const id = said.label ?? (said.yes ? 'once' : 'deny');
  const option = choices.find((each) => each.id === id);
  return option === undefined ? nothing : { option };
}

/** A free answer. The exact label of an option still means that option. */
function ownAnswer(reply: string, data: ChoiceData): Parsed<Chosen> {
  const option = exactOption(reply, drawn(data));
  if (option !== undefined) return chosen(option, data);
  if (!saysSomething(reply)) return refusal('not-understood', (wording) => wording.typeOther());
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
  if (notAnAnswer(reply) !== undefined) return undefined;
  const read = readParts(reply, list, list.vocabulary.and, list.vocabulary.or);
  if (!('named' in read) || read.named.length < 2) return undefined;
  return { why: 'not-valid', say: (wording, rest) => `${wording.onlyOne()} ${rest}` };
}

const pickOne = (data: ChoiceData) => (wording: Wording) => wording.pickOne(drawn(data).map(({ label }) => label));

function isTaken(choices: readonly Choice[], label: string): boolean {
  return choices.some((each) => folded(each.label) === folded(label));
}

function isOther(value: Json): value is { readonly other: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { other, ...more } = value as { readonly [key: string]: Json };
  return typeof other === 'string' && !isBlank(other) && Object.keys(more).length === 0;
}

const rules = { other: optional<string | true>((value, name) => value === true || labelRule(value, name)) };

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
  if (other !== undefined && (choices.some((each) => each.id === 'other') || isTaken(choices, otherLabel(other))))
    throw badOption(
      `${name}: other (${JSON.stringify(otherLabel(other))}) is also an option's id or label. Rename that option, or give other a label of its own.`,
    );
  return asked(question, { choices, ...definedFields({ other }) });
}

/** Asks a person to approve an action: deny, once or, where `session` allows it, for this session. The answer is the id of the option. */
export function approvalChoice(question: string, wording: Wording, session: boolean): Question<unknown> {
  const once = [
    { id: 'deny', label: wording.deny() },
    { id: 'once', label: wording.once() },
  ];
  const choices = session ? [...once, { id: 'session', label: wording.forSession() }] : once;
  return asked(question, { choices, approval: true });
}

function asked(text: string, data: ChoiceData): Question<never> {
  // an answer is one of the ids given, which is what the union of the signatures names; the data are plain strings, checked before
  return checkedQuestion<Chosen, ChoiceData>({
    text,
    type: choiceType,
    data: data as unknown as Json,
  }) as Question<never>;
}
