/**
 * The options that both tools share, checked once where the tool is made. Nothing is asked here.
 */

import type { AskOptions } from '../core/ask/options.js';
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';

/** What of ask() an author may set for every question of a tool. */
export type ToolAskOptions = Pick<AskOptions, 'answerableBy' | 'context' | 'details' | 'maxRetries' | 'remindAfter'>;

const asking = ['answerableBy', 'context', 'details', 'maxRetries', 'remindAfter'] as const;

/** The asking options among all those given; an option that is neither of these nor of `own` is refused. */
export function askingOptions(options: object, own: readonly string[], what: string): ToolAskOptions {
  if (typeof options !== 'object' || options === null)
    throw new AgentError('bad-option', `${what} needs its options as an object, got ${describe(options)}.`);
  const known: readonly string[] = [...own, ...asking];
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !known.includes(name))
      throw new AgentError('bad-option', `${what}: the option ${name} is unknown. Known are ${known.join(', ')}.`);
  }
  const all = Object.entries(options).filter(([name, value]) => asking.includes(name as never) && value !== undefined);
  return Object.fromEntries(all) as ToolAskOptions;
}

export function checkedSpan(value: unknown, what: string): number {
  if (typeof value === 'number' && value > 0) return value;
  throw new AgentError('bad-option', `${what} must be a number of milliseconds above 0, got ${describe(value)}.`);
}

export function checkedCount(value: unknown, most: number, what: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most) return value as number;
  const range = most < Number.MAX_SAFE_INTEGER ? `from 1 to ${most}` : 'of at least 1';
  throw new AgentError('bad-option', `${what} must be a whole number ${range}, got ${describe(value)}.`);
}
