/**
 * Yes or no. An empty reply is neither, and neither is a yes with a condition.
 */

import type { AnswerType, Choice, Parsed, Question, ReplyContext } from '../core/ask/answer-type.js';
import { checkOptions, expecting, optional } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { folded, isBlank } from '../core/text.js';
import { english } from '../core/wording/english.js';
import { checkedQuestion } from './question.js';
import type { OptionList, OptionRead } from './reading/match-option.js';
import { exactOption, optionList, readOption } from './reading/match-option.js';
import { refusal } from './reading/refusal.js';
import { asksBack, isFriendly, plain, typedReply, vocabularyFor } from './reading/typed-reply.js';

type ConfirmData = { readonly yes: string; readonly no: string };

const options = (data: ConfirmData): readonly Choice[] => [
  { id: 'yes', label: data.yes },
  { id: 'no', label: data.no },
];

export const confirmType: AnswerType<boolean, ConfirmData> = {
  kind: 'confirm',
  shape: (data) => ({ type: 'choices', choices: options(data), many: false }),
  parse: (reply, data, _locale, context): Parsed<boolean> => {
    const list = optionList(options(data), context);
    const exact = exactOption(reply, list);
    if (exact !== undefined) return { ok: true, value: exact.id === 'yes' };
    const meant = reply.trim().length > list.maxLength ? undefined : meaning(reply, context);
    if (typeof meant === 'boolean' && !isContradicted(reply, meant, data, context)) return { ok: true, value: meant };
    const read: OptionRead = meant === undefined ? readLabel(reply, list) : { why: 'not-understood' };
    if ('option' in read) return { ok: true, value: read.option.id === 'yes' };
    return refusal(read.why, (wording) => read.say?.(wording, wording.yesOrNo()) ?? wording.yesOrNo());
  },
  accept: (value): Parsed<boolean> => {
    if (typeof value === 'boolean') return { ok: true, value };
    if (value === 'yes' || value === 'no') return { ok: true, value: value === 'yes' };
    return refusal('not-valid', (wording) => wording.yesOrNo());
  },
};

/** What words and emoji mean, if they agree; 'both' if they contradict each other. */
function meaning(reply: string, context: ReplyContext | undefined): boolean | 'both' | undefined {
  const { yes, no } = vocabularyFor(context);
  const whole = plain(reply);
  if (asksBack(whole)) return undefined;
  const sides = new Set<boolean | undefined>();
  for (const [picture] of whole.matchAll(/\p{Extended_Pictographic}/gu)) {
    if (yes.has(picture) || no.has(picture)) sides.add(yes.has(picture));
    else if (!isFriendly(picture)) return undefined;
  }
  const words = whole.replace(/\p{Extended_Pictographic}/gu, ' ').trim();
  if (words !== '') sides.add(wordsMean(words, context));
  return sides.size > 1 ? 'both' : [...sides][0];
}

function wordsMean(words: string, context: ReplyContext | undefined): boolean | undefined {
  const { stages, vocabulary } = typedReply(words, context);
  for (const stage of stages) {
    const phrase = stage.replace(/[\s,;:.!]+/g, ' ').trim();
    if (vocabulary.yes.has(phrase)) return true;
    if (vocabulary.no.has(phrase)) return false;
    if (vocabulary.vague.has(phrase)) return undefined;
  }
  return undefined;
}

/**
 * True if the reply begins the label of the opposite answer: "never" is no, unless the label for yes is "Never
 * again".
 */
function isContradicted(reply: string, meant: boolean, data: ConfirmData, context: ReplyContext | undefined): boolean {
  const opposite = `${plain(meant ? data.no : data.yes).replace(/[,;:.!]/g, ' ')} `;
  return typedReply(reply, context).stages.some((stage) => opposite.startsWith(`${stage} `));
}

/** Reads a label or a position. A number counts only alone: "I want 2" does not answer "Shall I order three?". */
function readLabel(reply: string, list: OptionList): OptionRead {
  const { whole, bare, leads, vocabulary } = typedReply(reply.slice(0, list.maxLength), list.context);
  const isNumber = vocabulary.numbers.has(bare) || (leads.length > 0 && /^#?\d+$/.test(bare));
  return isNumber && !asksBack(whole) ? { why: 'not-understood' } : readOption(reply, list);
}

const label = expecting<string>(
  'a string that people can read and type',
  (value) => typeof value === 'string' && !isBlank(value) && folded(value) !== '',
);
const rules = { yes: optional(label, 'Yes'), no: optional(label, 'No') };

/**
 * A question answered with yes or no. The handler gets a boolean, so a "no" can never be taken for a truthy string.
 *
 * @example
 * confirm('Refund order 12345?', { yes: 'Refund', no: 'Keep' })
 */
export function confirm(
  question: string,
  labels: { readonly yes?: string; readonly no?: string } = {},
): Question<boolean> {
  const data: ConfirmData = checkOptions('confirm()', labels, rules, "{ yes: 'Pay', no: 'Wait' }");
  const [yes, no] = [folded(data.yes), folded(data.no)];
  const { words } = english;
  if (yes === no || words.no.includes(yes) || words.yes.includes(no)) {
    throw new AgentError(
      'bad-option',
      `confirm(): the labels ${JSON.stringify(data.yes)} for yes and ${JSON.stringify(data.no)} for no cannot be told apart, or say the opposite. Swap them, or give each its own words.`,
    );
  }
  return checkedQuestion({ text: question, type: confirmType, data });
}
