/**
 * Yes or no, in words or by the author's labels. Neither is an empty reply, a number or a yes with a condition.
 */

import type { AnswerType, Choice, Parsed, Question } from '../core/ask/answer-type.js';
import { checkOptions, optional } from '../core/check-options.js';
import { definedFields } from '../core/defined-fields.js';
import { badOption } from '../core/errors.js';
import { folded } from '../core/text.js';
import { english } from '../core/wording/english.js';
import { builtInLanguages } from '../core/wording/languages.js';
import type { Wording } from '../core/wording/wording.js';
import { checkedQuestion, labelRule } from './question.js';
import { refusal, refused } from './reading/reply.js';
import { readYesOrNo } from './reading/yes-or-no.js';

/** A label that is left out is that of the person's language, and is stored once it is asked. */
type ConfirmData = ConfirmLabels & {
  /** It approves an action: "approve" and "deny" are answers, too, and whoever answers is told what they have done. */
  readonly approval?: true;
};

const labelsOf = ({ yes, no }: ConfirmData, wording: Wording = english.wording): Required<ConfirmLabels> => {
  const all = { yes: yes ?? wording.yes(), no: no ?? wording.no() };
  // the author's label may be the language's own word for the other answer
  return areApart(all) ? all : { yes: yes ?? english.wording.yes(), no: no ?? english.wording.no() };
};

/** Whether the labels can be told apart, and neither is the word for the other answer in a language that every registry knows. */
function areApart(labels: Required<ConfirmLabels>): boolean {
  const [yes, no] = [folded(labels.yes), folded(labels.no)];
  return yes !== no && !builtInLanguages.some(({ words }) => words.no.includes(yes) || words.yes.includes(no));
}

const options = (data: ConfirmData): readonly Choice[] => {
  const { yes, no } = labelsOf(data);
  return [
    { id: 'yes', label: yes },
    { id: 'no', label: no },
  ];
};

export const confirmType: AnswerType<boolean, ConfirmData> = {
  kind: 'confirm',
  shape: (data) => ({ type: 'choices', choices: options(data), many: false, numbered: false }), // a number says neither
  worded: (data, wording) => ({ ...data, ...labelsOf(data, wording) }),
  told: (yes, { approval }, wording) => {
    if (approval !== true) return undefined;
    return yes ? wording.approved(undefined) : wording.denied();
  },
  parse: (reply, data, _locale, context): Parsed<boolean> => {
    const labels = options(data).map((option) => ({ ...option, yes: option.id === 'yes' }));
    const said = readYesOrNo(reply, labels, context, data.approval === true);
    if ('yes' in said) return { ok: true, value: said.yes };
    return refused(said, (wording) => wording.yesOrNo());
  },
  accept: (value): Parsed<boolean> => {
    if (typeof value === 'boolean') return { ok: true, value };
    if (value === 'yes' || value === 'no') return { ok: true, value: value === 'yes' };
    return refusal('not-valid', (wording) => wording.yesOrNo());
  },
};

const rules = { yes: optional(labelRule), no: optional(labelRule) };

/** The labels of the two answers to `confirm()`. */
export interface ConfirmLabels {
  /**
   * The label that means yes, such as `'Pay'`. A typed "yes" means it too.
   *
   * @default "Yes" in the language of whoever is asked
   */
  readonly yes?: string;
  /**
   * The label that means no, such as `'Wait'`. A typed "no" means it too.
   *
   * @default "No" in the language of whoever is asked
   */
  readonly no?: string;
}

/**
 * A question answered with yes or no. Labels that are left out are in the language of whoever is asked. The handler gets a boolean, so a "no" can never be taken for a truthy string.
 *
 * @example
 * import { agent, confirm } from 'askback';
 *
 * agent('shop').question('sure', confirm('Refund 48 EUR?'), { onAnswer: (yes) => (yes ? 'Refunded.' : 'Kept.') });
 */
export function confirm(question: string, labels: ConfirmLabels = {}): Question<boolean> {
  const data = definedFields(checkOptions('confirm()', labels, rules, "{ yes: 'Pay', no: 'Wait' }"));
  const { yes, no } = labelsOf(data);
  if (!areApart({ yes, no }))
    throw badOption(
      `confirm(): the labels ${JSON.stringify(yes)} for yes and ${JSON.stringify(no)} for no cannot be told apart, or say the opposite. Swap them, or give each its own words.`,
    );
  return checkedQuestion({ text: question, type: confirmType, data });
}

/** Asks a person to approve or deny an action. The answer is a boolean. */
export function approvalConfirm(question: string, wording: Wording): Question<boolean> {
  const data = { yes: wording.approve(), no: wording.deny(), approval: true } as const;
  return checkedQuestion({ text: question, type: confirmType, data });
}
