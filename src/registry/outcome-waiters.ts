/**
 * Callers that wait for the outcome of an entry. They are woken at once if it was handled in this process, and by a hint if
 * in another one; they also poll the store, in case the hint was lost.
 */
import { earlyDispositionOf, isWaitingTurn } from '../core/conversation/conversation.js';
import type { Disposition } from '../core/conversation/entry.js';
import { readConversation, readOutcome } from '../core/format/document.js';
import type { Clock } from '../machine/clock.js';
import type { Store } from '../stores/port.js';
import type { TurnWait } from './lease/sleeping-turns.js';

const pollInterval = 1_000;

/** A hint names an entry. With this prefix it names an ask that was settled; no entry id begins with it. */
const askHintPrefix = 'over:';

/** With this prefix: an entry whose turn began to wait for a person. */
const waitsHintPrefix = 'waits:';

/** In a hint: an entry arrived for a leased conversation, whose turn may be waiting for it. */
export const arrivedHint = 'arrived:';

export function askHint(askId: string): string {
  return `${askHintPrefix}${askId}`;
}

/** Called with the outcome of the entry, or without one if the store has to be read again. */
type Wake = (disposition?: Disposition | typeof unknown) => void;

/** The outcome will not be known soon: the turn of the entry waits for a person. */
const unknown = Symbol('unknown');

export class OutcomeWaiters {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<Wake>>();
  /** The entries whose turn waits for a person in this process, and for how many at once. */
  readonly #turns = new Map<string, number>();
  readonly #asks: { wake(askId: string): void } | undefined;
  #stopped = false;

  constructor(store: Store, clock: Clock, asks?: { wake(askId: string): void }) {
    this.#store = store;
    this.#asks = asks;
    this.#clock = clock;
  }

  /**
   * The outcome of the entry, or undefined after `patience` ms, and as soon as its turn waits for a person. An entry that was
   * erased is `ignored`. A turn that waits for it sleeps meanwhile.
   */
  disposition(
    conversationId: string,
    entryId: string,
    patience: number,
    turn?: TurnWait,
  ): Promise<Disposition | undefined> {
    const disposition = this.#disposition(conversationId, entryId, patience, turn);
    return turn === undefined ? disposition : disposition.finally(() => turn.ends());
  }

  async #disposition(
    conversationId: string,
    entryId: string,
    patience: number,
    turn: TurnWait | undefined,
  ): Promise<Disposition | undefined> {
    if (this.#turns.has(keyOf(conversationId, entryId))) return undefined;
    const until = this.#clock.elapsed() + patience;
    for (let isFirst = true; ; isFirst = false) {
      const wait = Math.min(pollInterval, until - this.#clock.elapsed());
      const change = this.#change(conversationId, entryId, wait, () => turn?.sleeps(false));
      turn?.sleeps(true);
      const stored = isFirst ? this.#stored(conversationId, entryId) : this.#storedOrErased(conversationId, entryId);
      const first = await Promise.race([change, stored]);
      const disposition = first ?? (await change);
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
    if (entryId.startsWith(waitsHintPrefix)) {
      this.#letGo(keyOf(conversationId, entryId.slice(waitsHintPrefix.length)));
      return;
    }
    if (this.#waiting.size === 0) return;
    for (const wake of this.#waiting.get(keyOf(conversationId, entryId)) ?? []) wake(disposition);
  }

  /**
   * The turn of this entry begins to wait for a person, in its own conversation or in another one. Whoever waits for its outcome
   * is released, here and, with `isAwaitedElsewhere`, in another process. Returns what ends the wait.
   */
  turnWaits(conversationId: string, entryId: string, isAwaitedElsewhere: boolean): () => void {
    const key = keyOf(conversationId, entryId);
    this.#turns.set(key, (this.#turns.get(key) ?? 0) + 1);
    this.#letGo(key);
    if (isAwaitedElsewhere) this.#store.hint({ conversationId, entryId: `${waitsHintPrefix}${entryId}` });
    return () => {
      const left = (this.#turns.get(key) ?? 1) - 1;
      if (left === 0) this.#turns.delete(key);
      else this.#turns.set(key, left);
    };
  }

  #letGo(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake(unknown);
  }

  /** Wakes whoever waits for this ask: it was settled. */
  wakeAsk(askId: string): void {
    this.#asks?.wake(askId);
  }

  /** A conversation was erased: whoever waits for one of its asks or entries, here or elsewhere, looks. */
  erased(conversationId: string, askIds: readonly string[], entryIds: readonly string[]): void {
    for (const id of [...askIds.map(askHint), ...entryIds]) {
      this.wake(conversationId, id);
      this.#store.hint({ conversationId, entryId: id });
    }
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Releases all waiters: their outcomes are not known yet. */
  stop(): void {
    this.#stopped = true;
    for (const set of this.#waiting.values()) for (const wake of set) wake();
  }

  async #stored(conversationId: string, entryId: string): Promise<Disposition | undefined> {
    const outcome = await this.#store.outcome(conversationId, entryId).catch(() => null);
    return outcome === null ? undefined : readOutcome(outcome);
  }

  /**
   * The same, by one read as long as the entry is in the queue. There it may have been handled early, or its turn may wait for a
   * person, in another process. An entry that is not in the queue and has no outcome was erased.
   */
  async #storedOrErased(conversationId: string, entryId: string): Promise<Disposition | typeof unknown | undefined> {
    try {
      const state = await this.#store.conversation(conversationId);
      if (state?.queue.some(({ id }) => id === entryId)) {
        const document = readConversation(state.document, conversationId);
        return isWaitingTurn(document, entryId) ? unknown : earlyDispositionOf(document, entryId);
      }
      const outcome = await this.#store.outcome(conversationId, entryId);
      return outcome === null ? { type: 'ignored', why: 'erased' } : readOutcome(outcome);
    } catch {
      return undefined; // not known now
    }
  }

  /** Resolves when the entry is woken, at the latest after `ms`. `woken` is called in the same tick. */
  #change(
    conversationId: string,
    entryId: string,
    ms: number,
    woken: () => void,
  ): Promise<Disposition | typeof unknown | undefined> {
    const key = keyOf(conversationId, entryId);
    const set = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, set);
    return new Promise((resolve) => {
      const wake: Wake = (disposition) => {
        woken();
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
