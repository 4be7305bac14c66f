/**
 * The options of calls that wait for an answer, their check, and how a turn that waits reads the replies.
 */
import type { AnswerType } from '../../core/ask/answer-type.js';
import {
  boolean,
  type CheckedOptions,
  checkOptions,
  instance,
  longestTimer,
  milliseconds,
  type OptionRule,
  type OptionRules,
  optional,
} from '../../core/check-options.js';
import type { AnswerCheck } from './answer-check.js';

/** How long to wait, and what happens to the ask afterwards. */
export interface WaitOptions {
  /**
   * How long to wait, in ms. `Infinity` waits for ever.
   *
   * @default 600_000
   */
  readonly timeout?: number;
  /**
   * True: the ask stays open after the timeout, and the outcome is `waiting`. False: it is cancelled. `wait()` keeps it by itself.
   *
   * @default false
   */
  readonly keep?: boolean;
  /** Ends the wait. The ask is cancelled, unless `keep` is true. */
  readonly signal?: AbortSignal;
  /**
   * Whether the call keeps the process alive while it waits. With false Node may exit before the outcome, with exit code 0. A call inside a
   * turn keeps no process alive.
   *
   * @default true
   */
  readonly keepAlive?: boolean;
}

/** How a turn that waits reads the replies to its ask. */
export interface ReplyReader {
  readonly type: AnswerType<unknown>;
  readonly judge: (question: string, reply: string) => Promise<boolean>;
  readonly check?: AnswerCheck<unknown> | undefined;
}

const limit = milliseconds({ max: Number.POSITIVE_INFINITY, note: 'Infinity to wait for ever' });

/** A rule for a timeout. A timeout that is too long for a timer never ends. */
const timeoutRule: OptionRule<number> = (value, name) => {
  const timeout = limit(value, name);
  return timeout > longestTimer ? Number.POSITIVE_INFINITY : timeout;
};

const rules = {
  timeout: optional(timeoutRule, 600_000),
  keep: optional(boolean(), false),
  signal: optional(instance(AbortSignal, 'an AbortSignal')),
  keepAlive: optional(boolean(), true),
} satisfies OptionRules<WaitOptions>;

/** The options of a wait, with their defaults. */
export type CheckedWait = CheckedOptions<typeof rules>;

export function checkedWait(options: WaitOptions, call = 'askAndWait()'): CheckedWait {
  return checkOptions(call, options, rules, '{ timeout: 5000 }');
}
