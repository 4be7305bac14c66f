/**
 * The built-in answer types, by kind. A type from elsewhere is carried by the declared question that uses it.
 */
import type { AnswerType, Question } from '../core/ask/answer-type.js';
import { choiceType } from './choice.js';
import { choicesType } from './choices.js';
import { confirmType } from './confirm.js';
import { dateType } from './date.js';
import { emailType } from './email.js';
import { numberType } from './number.js';
import { FormReading } from './reading/form-reading.js';
import { textType } from './text.js';

// each type reads only the data of its own constructor, which a map of all types cannot express
const builtIn = new Map(
  [textType, choiceType, choicesType, confirmType, numberType, dateType, emailType].map((type) => [
    type.kind,
    type as unknown as AnswerType<unknown>,
  ]),
);

export function builtInType(kind: string): AnswerType<unknown> | undefined {
  return builtIn.get(kind);
}

const anyForm = new FormReading(builtInType) as unknown as AnswerType<unknown>; // reads the data that form() made

/** An answer type that needs no declaration: a built-in one, or a form of built-in ones. */
export function typeByKind(kind: string): AnswerType<unknown> | undefined {
  return kind === anyForm.kind ? anyForm : builtInType(kind);
}

/** True for questions that may be asked without being declared: their answer is a string, so no type is lost. */
export function isInline(question: Question<never>): boolean {
  const { kind } = question.type;
  if (builtIn.get(kind) !== (question.type as unknown)) return false; // the same object, whatever it reads
  if (kind === 'choice') return !Object.hasOwn(question.data as object, 'other'); // choice() made it
  return kind === 'text' || kind === 'email' || kind === 'date';
}
