/**
 * The machine's clock, timers and random ids: the only room that takes them. Everything else is given a `Clock`.
 */
import { v4 } from 'uuid';

export interface Clock {
  /** Wall time in ms. Only the memory and SQLite stores ask for it; Redis has a time of its own. */
  now(): number;
  /** Time in ms that never goes back, for measuring. */
  elapsed(): number;
  /** Calls `work` after `ms`. The timer does not keep the process alive. Returns what cancels it. */
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

/** An id that cannot be guessed. */
export const randomId = (): string => v4();

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Keeps the process alive until the function it returns is called: the timers of a `Clock` do not. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}

/** Lets everything that is ready to run do so, once. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
