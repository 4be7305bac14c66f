/**
 * The machine's clock, timers, random ids and secrets. No other room takes them; all others are given a `Clock`.
 */
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { v4 } from 'uuid';
import { having, type OptionRule } from '../core/check-options.js';

/** Time and timers. Everything that waits or dates something is given one, so that a test can move it. */
export interface Clock {
  /** Wall-clock time in ms. Only the memory and SQLite stores read it; Redis uses its server's time. */
  now(): number;
  /** Monotonic time in ms, for measuring durations. */
  elapsed(): number;
  /** Calls `work` after `ms`. The timer does not keep the process alive. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** For options: whatever is used as a clock. */
export const clockOption: OptionRule<Clock> = having('a clock', 'now', 'elapsed', 'after');

/** An id that cannot be guessed: a UUID of version 4. */
export const randomId = (): string => v4();

/** Random bytes for keys and tokens, from the system's cryptographic source. */
export const secretBytes = (count: number): Buffer => randomBytes(count);

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** What the work gives, or after `ms` what `late` gives or throws. The work goes on, and may fail unheard. */
export async function within<T>(clock: Clock, ms: number, work: T | PromiseLike<T>, late: () => T): Promise<T> {
  let cancel = (): void => {};
  const over = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    cancel();
  }
}

/** Keeps the process alive until the returned function is called. The timers of a `Clock` do not. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}

/** Keeps the process alive while calls are under way that end by themselves. With a clock of one's own nothing is held: its time may stand still. */
export class ProcessHold {
  readonly #isReal: boolean;
  #calls = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock) {
    this.#isReal = clock === systemClock;
  }

  begins(): void {
    this.#calls += 1;
    if (this.#calls > 1 || !this.#isReal) return;
    this.#timer ??= setInterval(() => {}, 2 ** 30);
    this.#timer.ref();
  }

  ends(): void {
    this.#calls -= 1;
    if (this.#calls === 0) this.#timer?.unref();
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.begins();
    try {
      return await work();
    } finally {
      this.ends();
    }
  }
}

/** Resolves after everything that is ready now has run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
