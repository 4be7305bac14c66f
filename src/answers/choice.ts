/**
 * One of several options. Read as a pressed control, an option's id, its exact label in any case, or its number.
 * Several options at once, or anything that is not an option, is refused, never guessed.
 */
import { AgentError } from '../core/errors.js';
import type { Json } from '../core/json.js';
import type { AnswerType, Choice, Parsed, Question } from '../core/question.js';
import { folded, isBlank } from '../core/text.js';
import { checkedQuestion } from './question.js';
import { refusal } from './refusal.js';

interface ChoiceData {
  readonly choices: readonly Choice[];
}

/** The option that a reply names, if it names exactly one. */
export function optionNamed(choices: readonly Choice[], reply: string): Choice | undefined {
  const exact = choices.find((choice) => choice.id === reply.trim());
  if (exact !== undefined) return exact;
  const words = folded(reply);
  const labelled = choices.filter((choice) => folded(choice.label) === words);
  if (labelled.length > 0) return labelled.length === 1 ? labelled[0] : undefined;
  return /^\d{1,4}$/.test(words) ? choices[Number(words) - 1] : undefined;
}

export const choiceType: AnswerType<string, ChoiceData> = {
  kind: 'choice',
  shape: ({ choices }) => ({ type: 'choices', choices, many: false }),
  parse: (reply, { choices }): Parsed<string> => {
    const option = optionNamed(choices, reply);
    if (option !== undefined) return { ok: true, value: option.id };
    return refusal('not-valid', (wording) => wording.pickOne(choices.map((choice) => choice.label)));
  },
};

/** One option's label is the other's id: a reply would name both. */
function crossed(one: Choice, other: Choice): boolean {
  return folded(one.label) === folded(other.id);
}

/**
 * A question with a list of options. The handler gets the chosen one: its text, or its id where options have ids.
 *
 * @example
 * choice('Which size?', ['small', 'large'])
 * choice('Where to?', [{ id: 'eu', label: 'Europe' }, { id: 'us', label: 'United States' }])
 */
export function choice<const C extends string | Choice>(
  question: string,
  options: readonly C[],
): Question<C extends Choice ? C['id'] : C> {
  if (!Array.isArray(options) || options.length === 0) {
    throw new AgentError('bad-option', `choice(${JSON.stringify(question)}) needs at least one option.`);
  }
  const choices = options.map(
    (option: string | Choice): Choice =>
      typeof option === 'string' ? { id: option, label: option } : { id: option.id, label: option.label },
  );
  for (const [i, option] of choices.entries()) {
    const name = `choice(${JSON.stringify(question)}): option ${i + 1}`;
    if (typeof option.label !== 'string' || isBlank(option.label))
      throw new AgentError('bad-option', `${name} has a blank label.`);
    if (typeof option.id !== 'string' || option.id === '')
      throw new AgentError('bad-option', `${name} has a blank id.`);
    const twin = choices
      .slice(0, i)
      .find(
        (other) =>
          other.id === option.id ||
          folded(other.label) === folded(option.label) ||
          crossed(other, option) ||
          crossed(option, other),
      );
    if (twin !== undefined) {
      throw new AgentError(
        'bad-option',
        `${name} (${JSON.stringify(option.label)}) is the same as an earlier one. Give each its own id and label.`,
      );
    }
  }
  const data = { choices } as unknown as Json; // plain strings only, checked above
  // an answer is one of the ids given here, which is what the union names
  return checkedQuestion<string, ChoiceData>({ text: question, type: choiceType, data }) as unknown as Question<
    C extends Choice ? C['id'] : C
  >;
}
