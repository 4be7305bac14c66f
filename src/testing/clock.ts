/**
 * A fake clock that moves only by `advance()`. Timers fire in order, and the work that they start is awaited.
 */
import type { Clock } from '../machine/clock.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  #timers: Timer[] = [];
  readonly #start: number;

  /** The start time. Default: a fixed day, so that tests are the same every day. */
  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#now = start;
    this.#start = start;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now - this.#start;
  }

  after(ms: number, work: () => void): () => void {
    this.#order += 1;
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Advances the time by `ms`. After each timer, `settle` is awaited before time goes on. */
  async advance(ms: number, settle: () => Promise<void> = async () => {}): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#now = Math.max(this.#now, next.at);
      next.work();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #next(end: number): Timer | undefined {
    return this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}
