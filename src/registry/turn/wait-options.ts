/**
 * How long somebody waits for an answer, checked once.
 */
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';

/** How long to wait, and what happens to the ask when the patience is over. */
export interface WaitOptions {
  /** In ms. Default 600 000; `Infinity` waits for ever. */
  readonly timeout?: number;
  /** The ask stays open when the patience is over; the outcome is then `waiting`. Default: it is cancelled. */
  readonly keep?: boolean;
  readonly signal?: AbortSignal;
}

export interface CheckedWait {
  readonly timeout: number;
  readonly keep: boolean;
  readonly signal: AbortSignal | undefined;
}

const defaultTimeout = 600_000;
/** What a timer can hold, about 25 days. Longer is for ever. */
const longest = 2 ** 31 - 1;

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
  return { timeout: timeout > longest ? Number.POSITIVE_INFINITY : timeout, keep, signal };
}
