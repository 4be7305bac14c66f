/**
 * How somebody waits for an answer: how long, checked once, and the port of a turn that waits in its own conversation.
 */
import type { AnswerType } from '../../core/ask/answer-type.js';
import {
  boolean,
  checkOptions,
  instance,
  longestTimer,
  milliseconds,
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

export interface CheckedWait {
  readonly timeout: number;
  readonly keep: boolean;
  readonly signal: AbortSignal | undefined;
  readonly keepAlive: boolean;
}

/** How a turn that waits reads the replies to its ask. */
export interface ReplyReader {
  readonly type: AnswerType<unknown>;
  readonly judge: (question: string, reply: string) => Promise<boolean>;
  readonly check?: AnswerCheck<unknown> | undefined;
}

const rules = {
  timeout: optional(milliseconds({ max: Number.POSITIVE_INFINITY, note: 'Infinity to wait for ever' }), 600_000),
  keep: optional(boolean(), false),
  signal: optional(instance(AbortSignal, 'an AbortSignal')),
  keepAlive: optional(boolean(), true),
} satisfies OptionRules<WaitOptions>;

/** A timeout that is longer than a timer can be waits for ever. */
export function checkedWait(options: WaitOptions, call = 'askAndWait()'): CheckedWait {
  const { timeout, keep, signal, keepAlive } = checkOptions(call, options, rules, '{ timeout: 5000 }');
  return { timeout: timeout > longestTimer ? Number.POSITIVE_INFINITY : timeout, keep, signal, keepAlive };
}
