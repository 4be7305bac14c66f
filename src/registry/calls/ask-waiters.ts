/**
 * Waiters for the end of an ask. They are woken at once if it ends in this process, by a hint if it ends in another, and by
 * polling in case the hint was lost. All of them share one timer and bounded polls.
 */
import type { Ask } from '../../core/ask/ask.js';
import type { Failure } from '../../core/errors.js';
import { failureOf } from '../../core/errors.js';
import { readOutcome } from '../../core/format/document.js';
import { onAbort } from '../../machine/on-abort.js';
import type { RegistryContext } from '../context.js';
import { stoppedError } from '../context.js';
import type { TurnWait } from '../lease/sleeping-turns.js';
import type { AskLookup } from './lookup.js';

/** Every waiter is polled once in this time, in ms; more slowly if there are many. */
const pollEvery = 5_000;
const pollPerWaiter = 2;
const atOnce = 100;

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

interface WaitParts {
  /** Each of them ends the wait. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** Where the ask may still be queued. */
  readonly queued?: QueuedAsk | undefined;
  /** The turn that waits. It sleeps, except while the ask is looked up. */
  readonly turn?: TurnWait | undefined;
}

interface Waiter {
  readonly askId: string;
  /** Settles the wait if the ask is over. */
  readonly check: () => Promise<void>;
  /** Ends the wait with an error. */
  readonly fail: (error: unknown) => void;
}

export class AskWaiters {
  readonly #context: RegistryContext;
  readonly #asks: AskLookup;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #size = 0;
  #isStopped = false;
  #cancelPoll: (() => void) | undefined;

  constructor(context: RegistryContext, asks: AskLookup) {
    this.#context = context;
    this.#asks = asks;
  }

  /**
   * The ask once it is over, and what is known of it after `timeout` ms. Rejects when the registry is stopped.
   */
  wait(askId: string, timeout: number, { signals = [], queued, turn }: WaitParts = {}): Promise<Looked> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        turn?.ends();
        cancel();
        ignoreAbort();
        this.#remove(waiter);
      };
      const finish = (found: Looked): void => {
        end();
        resolve(found);
      };
      const fail = (error: unknown): void => {
        end();
        reject(error as Error);
      };
      const check = async (): Promise<void> => {
        turn?.sleeps(false); // at once: whoever waits until nothing runs must not overlook it
        try {
          const found = await this.#look(askId, queued);
          const isOpen =
            found !== null && typeof found === 'object' && 'ask' in found && found.ask.status === 'pending';
          if (found !== null && !isOpen) finish(found);
        } finally {
          turn?.sleeps(true); // unless its wait has ended
        }
      };
      const waiter: Waiter = { askId, check, fail };
      const overdue = (): void => {
        turn?.sleeps(false);
        this.#look(askId, queued).then(finish, fail);
      };
      const cancel = Number.isFinite(timeout) ? this.#context.clock.after(timeout, overdue) : () => {};
      this.#add(waiter); // before the first look-up: what ends from here on wakes it
      const ignoreAbort = onAbort(fail, ...signals);
      const aborted = signals.find((signal) => signal?.aborted);
      if (this.#isStopped) fail(stoppedError(askId));
      else if (aborted !== undefined) fail(aborted.reason);
      else if (queued === undefined) check().catch((error: unknown) => this.#failed(error));
      else turn?.sleeps(true);
    });
  }

  async #look(askId: string, queued: QueuedAsk | undefined): Promise<Looked> {
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
    for (const waiter of this.#waiting.get(askId) ?? []) waiter.check().catch((error: unknown) => this.#failed(error));
  }

  /** Rejects every wait with `stopped`, those that begin later too. The asks stay as they are. */
  stop(): void {
    this.#isStopped = true;
    for (const set of [...this.#waiting.values()]) for (const { askId, fail } of [...set]) fail(stoppedError(askId));
  }

  #add(waiter: Waiter): void {
    const set = this.#waiting.get(waiter.askId) ?? new Set();
    this.#waiting.set(waiter.askId, set.add(waiter));
    this.#size += 1;
    this.#cancelPoll ??= this.#pollLater();
  }

  #remove(waiter: Waiter): void {
    const set = this.#waiting.get(waiter.askId);
    if (set?.delete(waiter) !== true) return;
    this.#size -= 1;
    if (set.size === 0) this.#waiting.delete(waiter.askId);
    if (this.#size > 0) return;
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }

  #pollLater(): () => void {
    return this.#context.clock.after(Math.max(pollEvery, this.#size * pollPerWaiter), () => {
      void this.#poll().finally(() => {
        this.#cancelPoll = this.#size > 0 ? this.#pollLater() : undefined;
      });
    });
  }

  async #poll(): Promise<void> {
    const all = [...this.#waiting.values()].flatMap((set) => [...set]);
    for (let start = 0; start < all.length; start += atOnce) {
      const looks = all.slice(start, start + atOnce).map((waiter) => waiter.check());
      const results = await Promise.allSettled(looks);
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) return this.#failed(failed.reason); // the store is in trouble: the next round looks again
    }
  }

  #failed(error: unknown): void {
    this.#context.logger.warn('An ask that somebody waits for could not be looked up; the next look tries again', {
      failure: failureOf(error),
    });
  }
}
