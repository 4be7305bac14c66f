/**
 * Checks questions when they are declared: each has a text that people can read, an answer type, and options that can be shown, typed and
 * told apart.
 */

import type { AnswerType, Choice, Question } from '../core/ask/answer-type.js';
import { expecting, readable, wrongOption } from '../core/check-options.js';
import { badOption } from '../core/errors.js';
import { describe } from '../core/ids.js';
import { folded, isBlank } from '../core/text.js';

type GivenQuestion<T, D> = Omit<Question<T>, 'type'> & { readonly type: AnswerType<T, D> };

export function checkedQuestion<T, D>(question: GivenQuestion<T, D>): Question<T> {
  return readable('A question', 'bad-option', () => readQuestion(question));
}

function readQuestion<T, D>(question: GivenQuestion<T, D>): Question<T> {
  const asked: Partial<typeof question> | null | undefined = question;
  if (typeof asked?.text !== 'string' || isBlank(asked.text)) {
    if (typeof asked === 'string') {
      const written = JSON.stringify(asked);
      throw badOption(
        `A question is made by a function such as text(${written}) or confirm(${written}), got the string ${written}.`,
      );
    }
    const got = describe(typeof asked === 'object' ? asked?.text : asked);
    throw badOption(`A question needs a string that people can read, got ${got}.`);
  }
  if (typeof question.type?.kind !== 'string' || question.type.kind === '') {
    throw badOption(`The question ${JSON.stringify(question.text)} has no answer type with a \`kind\`.`);
  }
  return question as Question<T>;
}

/** The question's answer type. The question's data belongs to this type. */
export function typeOf<T>(question: Question<T>): AnswerType<T> {
  return question.type as unknown as AnswerType<T>; // the same constructor made the data and chose the type
}

const mostOptions = 100;

/** The id of an option: its own, or the string itself. */
export type OptionId<C extends string | Choice> = C extends Choice ? C['id'] : C;

/** `name` is the call as its author wrote it: `choice("Which size?")`. */
export function checkedOptions(name: string, options: readonly (string | Choice)[]): readonly Choice[] {
  if (!Array.isArray(options) || options.length === 0) {
    throw badOption(
      `${name} needs a list of at least one option, got ${describe(options)}. Give it strings or { id, label }.`,
    );
  }
  if (options.length > mostOptions) {
    throw badOption(
      `${name} has ${options.length} options, at most ${mostOptions} can be drawn. Ask for a narrower choice first, or for free text.`,
    );
  }
  const choices = options.map((option: unknown, i) => checkedOption(`${name}: option ${i + 1}`, option));
  const [ids, labels] = [new Map<string, number>(), new Map<string, number>()];
  for (const [i, { id, label }] of choices.entries()) {
    const [idForm, labelForm] = [folded(id), folded(label)];
    const twin = ids.get(idForm) ?? labels.get(labelForm);
    if (twin !== undefined) {
      throw badOption(
        `${name}: option ${i + 1} (${JSON.stringify(label)}) has the id or the label of option ${twin + 1}, so an answer could name both. Give each its own id and label.`,
      );
    }
    ids.set(idForm, i);
    labels.set(labelForm, i);
  }
  return choices;
}

function checkedOption(name: string, option: unknown): Choice {
  if (typeof option !== 'string' && (typeof option !== 'object' || option === null || Array.isArray(option)))
    throw wrongOption(name, 'a string or { id, label }', option);
  const { id, label } = typeof option === 'string' ? { id: option, label: option } : (option as Partial<Choice>);
  const shown = labelRule(label, `${name}: the label`);
  if (typeof id !== 'string' || isBlank(id) || id !== id.trim())
    throw wrongOption(`${name}: the id`, 'a string without blanks around it', id);
  return { id, label: shown };
}

/** A label must contain something that people can type: punctuation at the end of a reply is not compared. */
export const labelRule = expecting<string>(
  'a string that people can read and type',
  (label) => typeof label === 'string' && !isBlank(label) && folded(label) !== '',
);
