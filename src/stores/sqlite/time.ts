/**
 * Time in the SQLite store: a clock for a file that several processes share, and the wait of a step while another process has
 * the file locked.
 */
import { type Clock, keepAlive, sleep } from '../../machine/clock.js';
import { isBusy, storeError } from './errors.js';

/**
 * The machine's clock, but never back, neither in this process nor in the file. If the clock is behind the file, time goes
 * on from the file's time at its own pace: leases and deadlines still run out.
 */
export class Time {
  private readonly clock: Clock;
  /** The last time that was returned, and when that was by the monotonic clock. */
  private shown = 0;
  private at = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The time now; `last` is the latest time stored in the file. */
  now(last: number): number {
    const elapsed = this.clock.elapsed();
    const since = Math.floor(this.shown + Math.max(0, elapsed - this.at));
    const now = Math.max(this.clock.now(), last, since);
    if (now === since) return now;
    this.shown = now;
    this.at = elapsed;
    return now;
  }
}

/** A step fails if the file stays locked for this long, in ms. */
export const longestLock = 2_000;
const retryAfter = 15;

/** Waits before the next try, and keeps the process alive meanwhile. */
export async function waitForLock(clock: Clock): Promise<void> {
  const letGo = keepAlive();
  try {
    await sleep(clock, retryAfter);
  } finally {
    letGo();
  }
}

/** Tries work until no other process locks the file, for `longestLock` at most. */
export async function withoutLock<T>(clock: Clock, path: string, work: () => T): Promise<T> {
  const since = clock.elapsed();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || clock.elapsed() - since > longestLock) throw storeError(error, path);
    }
    await waitForLock(clock);
  }
}
