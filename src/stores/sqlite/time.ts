/**
 * The store's time: the machine's clock, but never back, neither in this process nor in the file.
 * If the clock is behind the file it goes on from the file's time at its own pace: leases and deadlines still run out.
 */
import type { Clock } from '../../machine/clock.js';

export class Time {
  private readonly clock: Clock;
  /** The time that was shown, and when that was by a clock that never goes back. */
  private shown = 0;
  private at = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The time now; `last` is the latest that the file knows. */
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
