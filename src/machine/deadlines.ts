/**
 * Many deadlines of the same duration on one timer. Most are cancelled long before they pass, and a timer for each
 * would cost more than many of the calls it guards.
 */
import { isPromiseLike } from '../core/promise.js';
import type { Clock } from './clock.js';

/** Cancelled deadlines are removed from the queue once there are this many. */
const compactAt = 64;

export class Deadline {
  readonly at: number;
  readonly #deadlines: Deadlines;
  /** Called when the deadline passes; undefined once it has passed or was cancelled. */
  onPassed: (() => void) | undefined;

  constructor(deadlines: Deadlines, at: number, onPassed: () => void) {
    this.#deadlines = deadlines;
    this.at = at;
    this.onPassed = onPassed;
  }

  /** Returns false if it has passed or was cancelled before. */
  cancel(): boolean {
    if (this.onPassed === undefined) return false;
    this.onPassed = undefined;
    this.#deadlines.noteCancelled();
    return true;
  }
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #ms: number;
  /** Ordered by time, because all have the same duration. */
  #queue: Deadline[] = [];
  #cancelled = 0;
  #isArmed = false;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Calls `onPassed` after the duration, unless the deadline is cancelled before. */
  set(onPassed: () => void): Deadline {
    const deadline = new Deadline(this, this.#clock.elapsed() + this.#ms, onPassed);
    this.#queue.push(deadline);
    if (!this.#isArmed) this.#arm(this.#ms);
    return deadline;
  }

  /**
   * What the call gives; rejects with `late()` if that takes longer than the duration. `missed` gets what it gives afterwards. A call may give no
   * promise.
   */
  limit<T>(call: () => T | PromiseLike<T>, late: () => Error, missed?: (result: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const deadline = this.set(() => {
        isLate = true;
        reject(late());
      });
      const done = (result: T): void => {
        if (isLate) missed?.(result);
        deadline.cancel();
        resolve(result); // changes nothing once it was rejected
      };
      const calling = call();
      if (!isPromiseLike(calling)) done(calling);
      else
        calling.then(done, (error: Error) => {
          deadline.cancel();
          reject(error);
        });
    });
  }

  /** Counts a cancelled deadline, and removes them all once they are half of the queue. */
  noteCancelled(): void {
    this.#cancelled += 1;
    if (this.#cancelled < compactAt || this.#cancelled * 2 < this.#queue.length) return;
    this.#queue = this.#queue.filter(({ onPassed }) => onPassed !== undefined);
    this.#cancelled = 0;
  }

  #arm(ms: number): void {
    this.#isArmed = true;
    this.#clock.after(ms, () => {
      this.#isArmed = false;
      this.#runDue();
    });
  }

  #runDue(): void {
    const now = this.#clock.elapsed();
    const open = this.#queue.filter(({ onPassed }) => onPassed !== undefined);
    const due = open.filter(({ at }) => at <= now);
    this.#queue = open.slice(due.length);
    this.#cancelled = 0;
    const next = this.#queue[0];
    if (next !== undefined) this.#arm(Math.max(1, Math.ceil(next.at - now)));
    for (const deadline of due) {
      const { onPassed } = deadline;
      deadline.onPassed = undefined;
      onPassed?.();
    }
  }
}
