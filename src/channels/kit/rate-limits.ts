/**
 * Rate limits of a platform that says how long to wait. A limited call is not sent before that time; a short wait is waited for, and a
 * long one is left to the outbox. It makes no call by itself.
 */
import { type Clock, sleep } from '../../machine/clock.js';

/** How long a call that sends something waits for a rate limit by itself, in ms. */
const patientWait = 5_000;

/** The call was not sent, or was refused, because the platform wants a pause. */
export class RateLimited extends Error {
  /** Until when, in the clock's elapsed ms. */
  readonly until: number;

  constructor(message: string, until: number) {
    super(message);
    this.until = until;
  }
}

export class RateLimits {
  readonly #clock: Clock;
  readonly #platform: string;
  /** Until when a kind of call is not sent, in the clock's elapsed ms. */
  readonly #until = new Map<string, number>();

  /** `platform` is for errors. */
  constructor(clock: Clock, platform: string) {
    this.#clock = clock;
    this.#platform = platform;
  }

  /** Throws while calls of this kind are limited. `method` is for the error. */
  assertFree(kind: string, method: string): void {
    const until = this.#until.get(kind) ?? 0;
    if (until > this.#clock.elapsed()) throw this.#limited(method, until);
    this.#until.delete(kind);
  }

  /** Notes that the platform wants a pause of `wait` ms. Returns the error of the call. */
  note(kind: string, method: string, wait: number): RateLimited {
    const until = this.#clock.elapsed() + wait;
    this.#until.set(kind, until);
    return this.#limited(method, until);
  }

  /** Makes a call, and once more after a short pause that the platform wants. */
  async patiently<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      const wait = error.until - this.#clock.elapsed();
      if (wait > patientWait) throw error;
      await sleep(this.#clock, Math.max(0, wait));
      return await call();
    }
  }

  #limited(method: string, until: number): RateLimited {
    const seconds = Math.ceil(Math.round(until - this.#clock.elapsed()) / 1_000); // a sum of floats is not exact
    return new RateLimited(`${this.#platform} limits ${method}: it is called again after ${seconds} s.`, until);
  }
}
