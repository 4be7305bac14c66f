/**
 * Checks the options of a question when it is declared: each can be shown, typed and told apart from the others.
 */

import type { Choice } from '../../core/ask/answer-type.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import { folded, isBlank } from '../../core/text.js';

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
  if (typeof option !== 'string' && (typeof option !== 'object' || option === null || Array.isArray(option))) {
    throw badOption(`${name} must be a string or { id, label }, got ${describe(option)}.`);
  }
  const { id, label } = typeof option === 'string' ? { id: option, label: option } : (option as Partial<Choice>);
  checkedLabel(`${name}: the label`, label);
  if (typeof id !== 'string' || isBlank(id) || id !== id.trim()) {
    throw badOption(`${name}: the id must be a string without blanks around it, got ${describe(id)}.`);
  }
  return { id, label: label as string };
}

/** A label must contain something that people can type: punctuation at the end of a reply is not compared. */
export function checkedLabel(name: string, label: unknown): string {
  if (typeof label === 'string' && !isBlank(label) && folded(label) !== '') return label;
  throw badOption(`${name} must be a string that people can read and type, got a blank one: ${describe(label)}.`);
}

export function badOption(message: string): AgentError {
  return new AgentError('bad-option', message);
}
