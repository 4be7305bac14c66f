/**
 * The browser's clock, timers and randomness. The other modules of this room never ask the browser for them directly.
 */

export const now = (): number => Date.now();

/** Returns a number from 0 to 1. */
export const random = (): number => Math.random();

/** Returns 32 random hexadecimal digits. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Runs the work once after `ms`. Returns the timer, for `clearTimeout`. */
export const after = (ms: number, work: () => void): number => setTimeout(work, ms);

/** Runs the work every `ms`. Returns the timer, for `clearInterval`. */
export const every = (ms: number, work: () => void): number => setInterval(work, ms);

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => after(ms, resolve));

/**
 * Waits between tries: twice as long each time, up to 15 s. The length is random, so that pages which lost the same server do not come
 * back at the same moment.
 */
export class Backoff {
  readonly #first: number;
  #next: number;

  constructor(first: number) {
    this.#first = first;
    this.#next = first;
  }

  /** Begins again with the shortest wait. */
  reset(): void {
    this.#next = this.#first;
  }

  /** Waits, about `least` ms or longer. */
  wait(least = 0): Promise<void> {
    const ms = Math.max(this.#next, least) * (0.5 + random());
    this.#next = Math.min(this.#next * 2, 15_000);
    return sleep(ms);
  }
}
