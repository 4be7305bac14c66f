/**
 * Those who wait to learn what became of an entry: told at once if it was handled here, by a hint if elsewhere, and by
 * looking now and then in case the hint was lost.
 */
import type { Disposition } from '../core/conversation/entry.js';
import { readOutcome } from '../core/format/document.js';
import type { Clock } from '../machine/clock.js';
import type { Store } from '../stores/port.js';

const look = 1_000;

/** A hint names an entry; one about the end of an ask names it so. No entry has such an id. */
const askHintPrefix = 'over:';

/** In a hint: something came in for a conversation that is held, whose holder may wait for it. */
export const arrivedHint = 'arrived:';

export function askHint(askId: string): string {
  return `${askHintPrefix}${askId}`;
}

/** Told what became of the entry, or (without it) that it is worth another look. */
type Wake = (disposition?: Disposition | typeof unknown) => void;

/** Nobody can say soon what becomes of the entry: its turn waits for a person. */
const unknown = Symbol('unknown');

export class OutcomeWaiters {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<Wake>>();
  readonly #asks: { wake(askId: string): void } | undefined;
  #stopped = false;

  constructor(store: Store, clock: Clock, asks?: { wake(askId: string): void }) {
    this.#store = store;
    this.#asks = asks;
    this.#clock = clock;
  }

  /** What became of the entry, or undefined when `patience` ms are over. */
  async disposition(conversationId: string, entryId: string, patience: number): Promise<Disposition | undefined> {
    const until = this.#clock.elapsed() + patience;
    for (;;) {
      const change = this.#change(conversationId, entryId, Math.min(look, until - this.#clock.elapsed()));
      const known = await Promise.race([change, this.#looked(conversationId, entryId)]);
      const disposition = known ?? (await change);
      if (disposition === unknown) return undefined;
      if (disposition !== undefined || this.#stopped || this.#clock.elapsed() >= until) return disposition;
    }
  }

  /** Wakes whoever waits for this entry. */
  wake(conversationId: string, entryId: string, disposition?: Disposition): void {
    if (entryId.startsWith(askHintPrefix)) {
      this.wakeAsk(entryId.slice(askHintPrefix.length));
      return;
    }
    if (this.#waiting.size === 0) return;
    for (const wake of this.#waiting.get(keyOf(conversationId, entryId)) ?? []) wake(disposition);
  }

  /** Whoever waits for this entry is told that it is not known yet. */
  letGo(conversationId: string, entryId: string): void {
    for (const wake of this.#waiting.get(keyOf(conversationId, entryId)) ?? []) wake(unknown);
  }

  /** An ask is over that somebody may wait for. */
  wakeAsk(askId: string): void {
    this.#asks?.wake(askId);
  }

  /** Nobody waits any longer: whoever did is told that it is not known yet. */
  stop(): void {
    this.#stopped = true;
    for (const set of this.#waiting.values()) for (const wake of set) wake();
  }

  async #looked(conversationId: string, entryId: string): Promise<Disposition | undefined> {
    const outcome = await this.#store.outcome(conversationId, entryId).catch(() => null);
    return outcome === null ? undefined : readOutcome(outcome);
  }

  /** Settles when somebody wakes the entry, at the latest after `ms`. */
  #change(conversationId: string, entryId: string, ms: number): Promise<Disposition | typeof unknown | undefined> {
    const key = keyOf(conversationId, entryId);
    const set = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, set);
    return new Promise((resolve) => {
      const wake: Wake = (disposition) => {
        cancel();
        set.delete(wake);
        if (set.size === 0 && this.#waiting.get(key) === set) this.#waiting.delete(key);
        resolve(disposition);
      };
      const cancel = this.#clock.after(ms, () => wake());
      set.add(wake);
    });
  }
}

function keyOf(conversationId: string, entryId: string): string {
  return JSON.stringify([conversationId, entryId]);
}
