/**
 * The time of the stores that take it from this machine.
 */
import type { Clock } from '../machine/clock.js';

/**
 * The machine's clock, but never back, neither in this process nor in a file. If the clock was set back, or is behind the file, time goes
 * on from where it was at its own pace: leases and deadlines still run out.
 */
export class Time {
  private readonly clock: Clock;
  /** The last time that was returned, and when that was by the monotonic clock. */
  private shown = 0;
  private at = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The time now; `last` is the latest time stored in a file. */
  now(last = 0): number {
    const elapsed = this.clock.elapsed();
    const since = Math.floor(this.shown + Math.max(0, elapsed - this.at));
    const now = Math.max(this.clock.now(), last, since);
    if (now === since) return now;
    this.shown = now;
    this.at = elapsed;
    return now;
  }
}
