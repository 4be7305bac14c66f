/**
 * Every answer type that a process knows without having declared it: the built-in ones, and forms of them.
 */
import type { AnswerType } from '../core/ask/answer-type.js';
import { builtInType } from './built-in-types.js';
import { FormReading } from './form-reading.js';

const anyForm = new FormReading(new Map()) as unknown as AnswerType<unknown>; // reads the data that form() made

export function typeByKind(kind: string): AnswerType<unknown> | undefined {
  return kind === anyForm.kind ? anyForm : builtInType(kind);
}
