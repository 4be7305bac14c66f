/**
 * Repeats a store step while the store cannot be reached. A step carries its own token, so a repeat of one that had happened
 * changes nothing. Any other error is not retried.
 */
import { AgentError, failureOf } from '../core/errors.js';
import { sleep } from '../machine/clock.js';
import type { RegistryContext } from './context.js';

/** The back-off between attempts, in ms. The last one is used again. */
const pauses = [50, 200, 1_000, 3_000, 5_000];

/**
 * Runs the step until it succeeds, for at most `limit` ms. Nearly every step succeeds at once, so the first attempt has no
 * async frame of its own: on Node 20 each one costs every step of every turn (docs/performance.md).
 */
export function retried<T>(context: RegistryContext, step: string, limit: number, work: () => Promise<T>): Promise<T> {
  const until = context.clock.elapsed() + limit;
  return work().catch((error: unknown) => tryAgain(context, step, until, work, error));
}

/** The same after a first attempt that ended with `first`. `until`: how long it may go on, by the clock's elapsed time. */
export async function tryAgain<T>(
  context: RegistryContext,
  step: string,
  until: number,
  work: () => Promise<T>,
  first: unknown,
): Promise<T> {
  const { clock } = context;
  let error = first;
  for (let attempt = 0; ; attempt += 1) {
    context.emit('storeFailed', { step, failure: failureOf(error) });
    const pause = pauses[Math.min(attempt, pauses.length - 1)] as number; // the index is in range
    if (!isUnavailable(error) || clock.elapsed() + pause > until) throw error;
    await context.hold.during(() => sleep(clock, pause)); // somebody waits for this step: the timer alone would let Node end
    try {
      return await work();
    } catch (next) {
      error = next;
    }
  }
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof AgentError && error.code === 'store-unavailable';
}
