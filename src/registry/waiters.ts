/**
 * Those who wait to learn what became of an entry: told at once if it was handled here, by a hint if elsewhere, and by
 * looking now and then in case the hint was lost.
 */
import type { Disposition } from '../core/entry.js';
import type { Clock } from '../machine/clock.js';
import type { Store } from '../stores/port.js';

const look = 1_000;

export class Waiters {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** What became of the entry, or undefined when `patience` ms are over. */
  async disposition(conversationId: string, entryId: string, patience: number): Promise<Disposition | undefined> {
    const until = this.#clock.elapsed() + patience;
    for (;;) {
      const change = this.#change(conversationId, entryId);
      const outcome = await this.#store.outcome(conversationId, entryId).catch(() => null);
      const left = until - this.#clock.elapsed();
      if (outcome !== null || left <= 0) {
        change.cancel();
        return outcome === null ? undefined : (JSON.parse(outcome) as Disposition);
      }
      await Promise.race([change.happened, this.#pause(Math.min(look, left), change.cancel)]);
    }
  }

  /** Wakes whoever waits for this entry. */
  wake(conversationId: string, entryId: string): void {
    for (const wake of this.#waiting.get(keyOf(conversationId, entryId)) ?? []) wake();
  }

  #change(conversationId: string, entryId: string): { happened: Promise<void>; cancel: () => void } {
    const key = keyOf(conversationId, entryId);
    const set = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, set);
    const { promise: happened, resolve } = withResolvers();
    const wake = (): void => {
      set.delete(wake);
      if (set.size === 0 && this.#waiting.get(key) === set) this.#waiting.delete(key);
      resolve();
    };
    set.add(wake);
    return { happened, cancel: wake };
  }

  #pause(ms: number, then: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, () => {
        then();
        resolve();
      });
    });
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function keyOf(conversationId: string, entryId: string): string {
  return JSON.stringify([conversationId, entryId]);
}
