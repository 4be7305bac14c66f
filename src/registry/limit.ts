/**
 * The time a turn may take, and the other reasons to stop it. What it still does afterwards counts for nothing.
 */
import { AgentError } from '../core/errors.js';
import type { Hold } from './hold.js';
import type { House } from './house.js';

/** Runs the work until it ends, its time is over, the conversation is lost, or this process wants to stop. */
export async function limited<T>(house: House, hold: Hold, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = house.settings.turnLimit;
  const controller = new AbortController();
  const { signal } = controller;
  const reasons = [hold.lost.signal, hold.interrupted.signal];
  const listeners = reasons.map((reason) => (): void => controller.abort(reason.reason));
  for (const [i, reason] of reasons.entries()) reason.addEventListener('abort', listeners[i] as () => void);
  const cancel = house.clock.after(limit, () => {
    const advice = 'Pass input.signal on to what you await.';
    controller.abort(
      new AgentError(
        'turn-limit',
        `The turn ran longer than ${limit} ms (settings.turnLimit) and was stopped. ${advice}`,
      ),
    );
  });
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    for (const reason of reasons) if (reason.aborted) controller.abort(reason.reason);
  });
  try {
    return await Promise.race([work(signal), stopped]);
  } finally {
    cancel();
    for (const [i, reason] of reasons.entries()) reason.removeEventListener('abort', listeners[i] as () => void);
  }
}
