/**
 * A person's answer as a string for a model, and what stands there without one.
 */
import type { PendingAsk } from '../core/ask/ask.js';
import { unanswered } from './model-texts.js';

/** What became of an ask. */
export function askResult({ status, reason, value, kind }: PendingAsk<unknown>): string {
  return status === 'answered' ? answerText(value, kind) : unanswered(status, reason);
}

/** A single answer as it is, several as JSON. */
function answerText(value: unknown, kind: string): string {
  if (kind === 'form') {
    const answers = Object.entries(value as Record<string, unknown>); // the value type of a form
    return JSON.stringify(Object.fromEntries(answers.map(([name, each]) => [name, freeAnswer(each)])));
  }
  const plain = freeAnswer(value);
  return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

/** A free answer to a choice is stored as `{ other }`. */
function freeAnswer(value: unknown): unknown {
  return (value as { other?: unknown } | null)?.other ?? value;
}
