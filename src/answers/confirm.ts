/**
 * Yes or no. "no" is an answer like any other; silence and an empty line are neither.
 */
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { AnswerType, Choice, Question } from '../core/question.js';
import { folded, isBlank } from '../core/text.js';
import { optionNamed } from './choice.js';
import { checkedQuestion } from './question.js';
import { refusal } from './refusal.js';

type ConfirmData = { readonly yes: string; readonly no: string };

const yesWords = new Set(['yes', 'y', 'yeah', 'yep', 'ok', 'okay', 'sure']);
const noWords = new Set(['no', 'n', 'nope']);

const options = (data: ConfirmData): readonly Choice[] => [
  { id: 'yes', label: data.yes },
  { id: 'no', label: data.no },
];

export const confirmType: AnswerType<boolean, ConfirmData> = {
  kind: 'confirm',
  shape: (data) => ({ type: 'choices', choices: options(data), many: false }),
  parse: (reply, data) => {
    const option = optionNamed(options(data), reply);
    if (option !== undefined) return { ok: true, value: option.id === 'yes' };
    const words = folded(reply);
    if (yesWords.has(words)) return { ok: true, value: true };
    if (noWords.has(words)) return { ok: true, value: false };
    return refusal('not-understood', (wording) => wording.yesOrNo());
  },
};

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
  const data: ConfirmData = { yes: labels.yes ?? 'Yes', no: labels.no ?? 'No' };
  for (const [name, label] of Object.entries(data)) {
    if (typeof label !== 'string' || isBlank(label)) {
      throw new AgentError(
        'bad-option',
        `confirm(): the label for ${name} must be a text that people can read, got ${describe(label)}.`,
      );
    }
  }
  const [yes, no] = [folded(data.yes), folded(data.no)];
  if (yes === no || noWords.has(yes) || yesWords.has(no)) {
    throw new AgentError(
      'bad-option',
      `confirm(): the labels ${JSON.stringify(data.yes)} for yes and ${JSON.stringify(data.no)} for no cannot be told apart, or say the opposite.`,
    );
  }
  return checkedQuestion({ text: question, type: confirmType, data });
}
