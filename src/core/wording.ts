/**
 * Every sentence the library itself says to a person, in one table that can be replaced.
 */

import { AgentError } from './errors.js';
import type { Participant } from './participant.js';

/**
 * What the library says. Replace any of it with the registry's `wording` option.
 *
 * @example
 * new AgentRegistry({ agents, wording: { refused: () => 'Das darf nur jemand anderes beantworten.' } });
 */
export interface Wording {
  /** The reply was not understood; the question is asked again. */
  readonly notUnderstood: (question: string, problem: string) => string;
  /** The reply was understood and cannot be right; the question is asked again. */
  readonly notValid: (question: string, problem: string) => string;
  /** The last attempt failed and the step is skipped. */
  readonly skipped: () => string;
  readonly declined: () => string;
  /** Somebody who may not answer pressed a button or used a link. Says nothing about the ask. */
  readonly refused: () => string;
  readonly already: (by: Participant | undefined) => string;
  readonly late: () => string;
  readonly unknownAsk: () => string;
  readonly tooLong: () => string;
  /** A turn failed for good; a person has been told. */
  readonly failed: () => string;
  /** An answer by button that does not fit. */
  readonly invalid: (problem: string) => string;
  readonly pickOne: (labels: readonly string[]) => string;
  readonly pickHint: () => string;
  readonly yesOrNo: () => string;
  /** The reply is empty of words. */
  readonly needText: () => string;
  /** The reply has words, but was judged not to answer the question. */
  readonly unclear: () => string;
  readonly tooShort: (least: number) => string;
  readonly tooLongText: (most: number) => string;
  readonly wrongPattern: (example: string | undefined) => string;
}

export const english: Wording = {
  notUnderstood: (question, problem) => `Sorry, I did not understand that. ${problem}\n${question}`,
  notValid: (question, problem) => `${problem}\n${question}`,
  skipped: () => 'I could not read an answer, so I am skipping this step.',
  declined: () => 'All right, I will leave it.',
  refused: () => 'You cannot answer this.',
  already: (by) => (by?.name === undefined ? 'This was already answered.' : `This was already answered by ${by.name}.`),
  late: () => 'The time to answer this is over.',
  unknownAsk: () => 'This question is no longer open.',
  tooLong: () => 'That message is too long for me. Please send a shorter one.',
  failed: () => 'Something went wrong on our side. We have been told and will look into it.',
  invalid: (problem) => problem,
  pickOne: (labels) => `Please pick one of: ${labels.join(', ')}.`,
  pickHint: () => 'Reply with a number or a label.',
  yesOrNo: () => 'Please answer yes or no.',
  needText: () => 'Please write a few words.',
  unclear: () => 'Please answer the question.',
  tooShort: (least) => `Please write at least ${least} characters.`,
  tooLongText: (most) => `Please write at most ${most} characters.`,
  wrongPattern: (example) =>
    example === undefined
      ? 'That does not have the expected form.'
      : `That does not have the expected form, for example ${example}.`,
};

export function checkedWording(changes: Partial<Wording> = {}): Wording {
  for (const [name, value] of Object.entries(changes)) {
    if (!(name in english)) {
      throw new AgentError(
        'bad-option',
        `wording.${name} is unknown. Known sentences: ${Object.keys(english).join(', ')}.`,
      );
    }
    if (typeof value !== 'function') {
      throw new AgentError(
        'bad-option',
        `wording.${name} must be a function that returns the sentence, got ${typeof value}.`,
      );
    }
  }
  return { ...english, ...changes };
}
