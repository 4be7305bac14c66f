/**
 * Finds an answer type that needs no declaration: a built-in one, or a form of built-in ones.
 */
import type { AnswerType } from '../core/ask/answer-type.js';
import { builtInType } from './built-in-types.js';
import { FormReading } from './reading/form-reading.js';

const anyForm = new FormReading(new Map()) as unknown as AnswerType<unknown>; // reads the data that form() made

export function typeByKind(kind: string): AnswerType<unknown> | undefined {
  return kind === anyForm.kind ? anyForm : builtInType(kind);
}
