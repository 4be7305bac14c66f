/**
 * How somebody waits for an answer: how long, checked once, and the port of a turn that waits in its own conversation.
 */
import type { AnswerType } from '../../core/ask/answer-type.js';
import type { Outcome } from '../../core/ask/outcome.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { NewAsk } from './new-ask.js';
import type { Handlers } from './question-handlers.js';

/** How long to wait, and what happens to the ask afterwards. */
export interface WaitOptions {
  /** In ms. Default 600 000; `Infinity` waits for ever. */
  readonly timeout?: number;
  /** True: the ask stays open after the timeout, and the outcome is `waiting`. Default: it is cancelled. */
  readonly keep?: boolean;
  readonly signal?: AbortSignal;
}

export interface CheckedWait {
  readonly timeout: number;
  readonly keep: boolean;
  readonly signal: AbortSignal | undefined;
}

/** How a turn that waits reads the replies to its ask. */
export interface ReplyReader {
  readonly type: AnswerType<unknown>;
  readonly judge: (question: string, reply: string) => Promise<boolean>;
  readonly check?: Handlers<unknown>['check'];
}

/** Waits for an answer inside a turn of the same conversation. */
export interface InTurnWait {
  wait<T>(request: NewAsk, wait: CheckedWait, reader: ReplyReader): Promise<Outcome<T>>;
}

const defaultTimeout = 600_000;
/** The longest delay of a timer, about 25 days. A longer timeout waits for ever. */
const longestTimer = 2 ** 31 - 1;

export function checkedWait(options: WaitOptions, call = 'askAndWait()'): CheckedWait {
  const { timeout = defaultTimeout, keep = false, signal } = options;
  if (typeof timeout !== 'number' || !(timeout > 0))
    throw new AgentError(
      'bad-option',
      `${call}: timeout must be a number of milliseconds above 0 (Infinity to wait for ever), got ${describe(timeout)}.`,
    );
  if (typeof keep !== 'boolean')
    throw new AgentError('bad-option', `${call}: keep must be true or false, got ${describe(keep)}.`);
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new AgentError('bad-option', `${call}: signal must be an AbortSignal, got ${describe(signal)}.`);
  return { timeout: timeout > longestTimer ? Number.POSITIVE_INFINITY : timeout, keep, signal };
}
