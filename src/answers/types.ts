/**
 * The answer types that questions asked inline may have. Other types belong to a declared question, which carries its own.
 */
import type { AnswerType } from '../core/question.js';
import { choiceType } from './choice.js';
import { confirmType } from './confirm.js';
import { textType } from './text.js';

const builtIn = new Map(
  [textType, choiceType, confirmType].map((type) => [type.kind, type as unknown as AnswerType<unknown>]),
);

export function builtInType(kind: string): AnswerType<unknown> | undefined {
  return builtIn.get(kind);
}
