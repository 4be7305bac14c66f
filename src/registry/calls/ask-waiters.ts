/**
 * Waiters for the end of an ask, and what is known of one that is not open yet.
 */
import type { Ask } from '../../core/ask/ask.js';
import type { Failure } from '../../core/errors.js';
import { readOutcome } from '../../core/format/document.js';
import type { RegistryContext } from '../context.js';
import { stoppedError } from '../context.js';
import type { SleepingTurns } from '../lease/sleeping-turns.js';
import { Watch } from '../watch.js';
import type { AskLookup } from './lookup.js';

export interface Found {
  readonly ask: Ask;
  readonly conversationId: string;
}

/** The ask was not opened, and never will be. */
export interface RefusedAsk {
  readonly failure: Failure;
}

/** What is known of an ask: itself; that it was refused, given up before it was opened, or is gone; null for one that is not opened yet. */
type Looked = Found | RefusedAsk | 'never-asked' | 'erased' | null;

/** An ask that was recorded to be opened, and may still be queued. */
export interface QueuedAsk {
  readonly conversationId: string;
  readonly entryId: string;
}

export class AskWaiters {
  readonly #context: RegistryContext;
  readonly #asks: AskLookup;
  readonly #sleeping: SleepingTurns;
  readonly #watch: Watch<Looked>;

  constructor(context: RegistryContext, asks: AskLookup, sleeping: SleepingTurns) {
    this.#context = context;
    this.#asks = asks;
    this.#sleeping = sleeping;
    this.#watch = new Watch(context, { every: 5_000, each: 2 }, stoppedError);
  }

  /**
   * The ask once it is over, and what is known of it after `timeout` ms. Each signal ends the wait; `queued` is where the ask may still be
   * queued. A turn that waits for it sleeps meanwhile. Rejects when the registry is stopped.
   */
  wait(
    askId: string,
    timeout: number,
    signals: readonly (AbortSignal | undefined)[],
    queued: QueuedAsk | undefined,
  ): Promise<Looked | undefined> {
    const turn = this.#sleeping.addCaller(this.#context);
    const look = (isLast: boolean): Promise<Looked | undefined> => this.#look(askId, queued, isLast);
    return this.#watch.until(askId, { look, timeout, signals, turn, isLater: queued !== undefined });
  }

  /** Undefined while the ask is open or not opened yet. When the time of the wait is over, the ask as it is then. */
  async #look(askId: string, queued: QueuedAsk | undefined, isLast: boolean): Promise<Looked | undefined> {
    const found = await this.#known(askId, queued);
    const isOpen = found === null || (typeof found === 'object' && 'ask' in found && found.ask.status === 'pending');
    return isOpen && !isLast ? undefined : found;
  }

  async #known(askId: string, queued: QueuedAsk | undefined): Promise<Looked> {
    const found = await this.#asks.find(askId);
    if (found !== null) return found;
    if (queued !== undefined) {
      const state = await this.#context.store.conversation(queued.conversationId);
      if (state?.queue.some(({ id }) => id === queued.entryId)) return null;
      const outcome = await this.#context.store.outcome(queued.conversationId, queued.entryId);
      const disposition = outcome === null ? undefined : readOutcome(outcome).disposition;
      if (disposition?.type === 'failed') return { failure: disposition.failure };
      if (disposition?.type === 'ignored') return 'never-asked';
    }
    return (await this.#asks.find(askId)) ?? 'erased'; // it may have been opened between the two looks
  }

  /** The ask may be over. */
  wake(askId: string): void {
    this.#watch.wake(askId);
  }

  /** Rejects every wait with `stopped`, those that begin later too. The asks stay as they are. */
  stop(): void {
    this.#watch.stop();
  }
}
