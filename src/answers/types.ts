/**
 * The answer types that questions asked inline may have. Other types belong to a declared question, which carries its own.
 */
import type { AnswerType } from '../core/question.js';
import { choiceType } from './choice.js';
import { confirmType } from './confirm.js';
import { textType } from './text.js';

// each reads the data that its own constructor made; a map of all of them cannot say so
const builtIn = new Map(
  [textType, choiceType, confirmType].map((type) => [type.kind, type as unknown as AnswerType<unknown>]),
);

export function builtInType(kind: string): AnswerType<unknown> | undefined {
  return builtIn.get(kind);
}
