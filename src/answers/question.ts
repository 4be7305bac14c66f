/**
 * Checks every question: it has a text that people can read, and an answer type.
 */

import type { AnswerType, Question } from '../core/ask/answer-type.js';
import { readable } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';
import { isBlank } from '../core/text.js';

interface GivenQuestion<T, D> {
  text: string;
  type: AnswerType<T, D>;
  data: Question<T>['data'];
}

export function checkedQuestion<T, D>(question: GivenQuestion<T, D>): Question<T> {
  return readable('A question', 'bad-option', () => readQuestion(question));
}

function readQuestion<T, D>(question: GivenQuestion<T, D>): Question<T> {
  const asked: Partial<typeof question> | null | undefined = question;
  if (typeof asked?.text !== 'string' || isBlank(asked.text)) {
    if (typeof asked === 'string') {
      const written = JSON.stringify(asked);
      throw new AgentError(
        'bad-option',
        `A question is made by a function such as text(${written}) or confirm(${written}), got the string ${written}.`,
      );
    }
    const got = describe(typeof asked === 'object' ? asked?.text : asked);
    throw new AgentError('bad-option', `A question needs a string that people can read, got ${got}.`);
  }
  if (typeof question.type?.kind !== 'string' || question.type.kind === '') {
    throw new AgentError(
      'bad-option',
      `The question ${JSON.stringify(question.text)} has no answer type with a \`kind\`.`,
    );
  }
  return question as Question<T>;
}

/** The question's answer type. The question's data belongs to this type. */
export function typeOf<T>(question: Question<T>): AnswerType<T> {
  return question.type as unknown as AnswerType<T>; // the same constructor made the data and chose the type
}
