/**
 * The answer types of the package, by kind. A type from elsewhere belongs to a declared question, which carries it.
 */
import type { AnswerType, Question } from '../core/ask/answer-type.js';
import { choiceType } from './choice.js';
import { choicesType } from './choices.js';
import { confirmType } from './confirm.js';
import { dateType } from './date.js';
import { emailType } from './email.js';
import { numberType } from './number.js';
import { textType } from './text.js';

// each reads the data that its own constructor made; a map of all of them cannot say so
const builtIn = new Map(
  [textType, choiceType, choicesType, confirmType, numberType, dateType, emailType].map((type) => [
    type.kind,
    type as unknown as AnswerType<unknown>,
  ]),
);

export function builtInType(kind: string): AnswerType<unknown> | undefined {
  return builtIn.get(kind);
}

/** Questions whose answer is a text can be asked without being declared: nothing of their type can be lost. */
export function isInline(question: Question<never>): boolean {
  const { kind } = question.type;
  if (builtIn.get(kind) !== (question.type as unknown)) return false;
  if (kind === 'choice') return !Object.hasOwn(question.data as object, 'other');
  return kind === 'text' || kind === 'email' || kind === 'date';
}
