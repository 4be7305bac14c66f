/**
 * Callers that wait for the outcome of an entry or for the end of an ask, and what the hints between processes say to them. Each wait is one
 * of a `Watch`; what is looked up for it stands here.
 */
import { askWaitedForBy, finalEarlyOutcomeOf } from '../core/conversation/conversation.js';
import type { Disposition, EntryOutcome } from '../core/conversation/entry.js';
import type { Failure } from '../core/errors.js';
import { readConversation, readOutcome } from '../core/format/document.js';
import type { AskLookup, FoundAsk } from './calls/lookup.js';
import type { RegistryContext } from './context.js';
import { stoppedError } from './context.js';
import type { SleepingTurns } from './lease/sleeping-turns.js';
import type { Turn } from './turn/turn.js';
import { Watch } from './watch.js';

/** A hint names an entry. With this prefix it names an ask that was settled; no entry id begins with it. */
const askHintPrefix = 'over:';

/** With this prefix: an entry whose turn began to wait for a person. */
const waitsHintPrefix = 'waits:';

/** In a hint: an entry arrived for a leased conversation, whose turn may be waiting for it. */
export const arrivedHint = 'arrived:';

/** In a hint: something was saved that a channel is fetched from for: those who follow the conversation read on. */
export const savedHint = 'saved:';

export function askHint(askId: string): string {
  return `${askHintPrefix}${askId}`;
}

/** The turn of the entry waits for a person, so its outcome will not be known soon. */
export interface TurnWaits {
  /** The ask that it waits for. */
  readonly waitsFor: string;
  /** The number of the first history item that it could have written. */
  readonly saidFrom: number;
}

function waitsHint(entryId: string, waits: TurnWaits): string {
  return `${waitsHintPrefix}${JSON.stringify([entryId, waits])}`;
}

/** What a caller is told of its entry. */
export type Told = EntryOutcome | TurnWaits;

/** What became of the entry, if that is known. */
export function dispositionIn(told: Told | undefined): Disposition | undefined {
  return told !== undefined && 'disposition' in told ? told.disposition : undefined;
}

/** The ask was not opened, and never will be. */
export interface RefusedAsk {
  readonly failure: Failure;
}

/** What is known of an ask: itself; that it was refused, given up before it was opened, or is gone; null for one that is not opened yet. */
export type KnownAsk = FoundAsk | RefusedAsk | 'never-asked' | 'erased' | null;

/** An ask that was recorded to be opened, and may still be queued. */
export interface QueuedAsk {
  readonly conversationId: string;
  readonly entryId: string;
}

export class Waiters {
  readonly #context: RegistryContext;
  readonly #asks: AskLookup;
  readonly #sleeping: SleepingTurns;
  /** By conversation and entry. */
  readonly #outcomes: Watch<Told>;
  /** By the id of the ask. */
  readonly #ends: Watch<KnownAsk>;
  /** The entries whose turn waits for a person in this process, and for what. */
  readonly #turns = new Map<string, readonly TurnWaits[]>();

  constructor(context: RegistryContext, asks: AskLookup, sleeping: SleepingTurns) {
    [this.#context, this.#asks, this.#sleeping] = [context, asks, sleeping];
    this.#outcomes = new Watch(context, { every: 1_000, each: 2 });
    this.#ends = new Watch(context, { every: 5_000, each: 2 }, stoppedError);
  }

  /**
   * The outcome of the entry, or undefined after `timeout` ms; that its turn waits, as soon as it waits for a person. An entry that
   * was erased is `ignored`. A turn that waits for it sleeps meanwhile. The process lives until it is known.
   */
  outcome(conversationId: string, entryId: string, timeout: number): Promise<Told | undefined> {
    const key = keyOf(conversationId, entryId);
    const waits = this.#turns.get(key)?.[0];
    if (waits !== undefined) return Promise.resolve(waits);
    const turn = this.#sleeping.addCaller(this.#context);
    let isFirst = true;
    const look = async (isLast: boolean): Promise<Told | undefined> => {
      if (isLast) return undefined;
      const stored = isFirst ? this.#stored(conversationId, entryId) : this.stored(conversationId, entryId);
      isFirst = false;
      return stored;
    };
    return this.#context.hold.during(() => this.#outcomes.until(key, { look, timeout, turn }));
  }

  /**
   * What the store tells of an entry now, by one read as long as it is in the queue. There it may have been handled early, or its
   * turn may wait for a person, in another process. An entry that is not in the queue and has no outcome was erased.
   */
  async stored(conversationId: string, entryId: string): Promise<Told | undefined> {
    try {
      const state = await this.#context.store.conversation(conversationId);
      if (state?.queue.some(({ id }) => id === entryId)) {
        const document = readConversation(state.document, conversationId);
        const ask = askWaitedForBy(document, entryId);
        if (ask !== undefined) return { waitsFor: ask.id, saidFrom: ask.progress.waitsFrom ?? 0 };
        return finalEarlyOutcomeOf(document, entryId);
      }
      const outcome = await this.#context.store.outcome(conversationId, entryId);
      return outcome === null ? { disposition: { type: 'ignored', why: 'erased' } } : readOutcome(outcome);
    } catch {
      return undefined; // not known now
    }
  }

  /**
   * The ask once it is over, and what is known of it after `timeout` ms. Each signal ends the wait; `queued` is where the ask may still be
   * queued. A turn that waits for it sleeps meanwhile. Rejects when the registry is stopped.
   */
  end(
    askId: string,
    timeout: number,
    signals: readonly (AbortSignal | undefined)[],
    queued: QueuedAsk | undefined,
  ): Promise<KnownAsk | undefined> {
    const turn = this.#sleeping.addCaller(this.#context);
    const look = async (isLast: boolean): Promise<KnownAsk | undefined> => {
      const known = await this.#known(askId, queued);
      const isOpen = known === null || (typeof known === 'object' && 'ask' in known && known.ask.status === 'pending');
      return isOpen && !isLast ? undefined : known;
    };
    return this.#ends.until(askId, { look, timeout, signals, turn, isLater: queued !== undefined });
  }

  async #known(askId: string, queued: QueuedAsk | undefined): Promise<KnownAsk> {
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

  /** Wakes the callers that wait for this entry. */
  wake(conversationId: string, entryId: string, told?: Told): void {
    if (entryId.startsWith(askHintPrefix)) {
      this.wakeAsk(entryId.slice(askHintPrefix.length));
      return;
    }
    if (entryId.startsWith(waitsHintPrefix)) {
      const [id, waits] = JSON.parse(entryId.slice(waitsHintPrefix.length)) as [string, TurnWaits]; // written by waitsHint()
      this.wake(conversationId, id, waits);
      return;
    }
    if (!this.#outcomes.isIdle) this.#outcomes.wake(keyOf(conversationId, entryId), told);
  }

  /**
   * The turn begins to wait for a person, in its own conversation or in another one: that takes none of its time, and the callers that
   * wait for the outcome of its entry are told, in whichever process. Returns what ends the wait.
   */
  turnWaits({ conversationId, workId: entryId, lease, stop, isAwaitedElsewhere }: Turn, askId: string): () => void {
    stop.waits(true);
    const waits: TurnWaits = { waitsFor: askId, saidFrom: lease.historyBegan };
    const key = keyOf(conversationId, entryId);
    this.#turns.set(key, [...(this.#turns.get(key) ?? []), waits]);
    this.wake(conversationId, entryId, waits);
    if (isAwaitedElsewhere) this.#context.store.hint({ conversationId, entryId: waitsHint(entryId, waits) });
    return () => {
      const left = (this.#turns.get(key) ?? []).filter((each) => each !== waits);
      if (left.length === 0) this.#turns.delete(key);
      else this.#turns.set(key, left);
      stop.waits(false);
    };
  }

  /** Wakes the callers that wait for this ask: it was settled. */
  wakeAsk(askId: string): void {
    this.#ends.wake(askId);
  }

  /** A conversation was erased: those who wait for one of its asks or entries, here or elsewhere, look again. */
  erased(conversationId: string, askIds: readonly string[], entryIds: readonly string[]): void {
    for (const id of [...askIds.map(askHint), ...entryIds]) {
      this.wake(conversationId, id);
      this.#context.store.hint({ conversationId, entryId: id });
    }
  }

  get isStopped(): boolean {
    return this.#outcomes.isStopped;
  }

  /** Rejects every wait for an ask with `stopped`, those that begin later too. The asks stay as they are. */
  stopAsks(): void {
    this.#ends.stop();
  }

  /** Releases those who wait for an outcome: it is not known yet. */
  stop(): void {
    this.#outcomes.stop();
  }

  async #stored(conversationId: string, entryId: string): Promise<EntryOutcome | undefined> {
    const outcome = await this.#context.store.outcome(conversationId, entryId).catch(() => null);
    return outcome === null ? undefined : readOutcome(outcome);
  }
}

function keyOf(conversationId: string, entryId: string): string {
  return JSON.stringify([conversationId, entryId]);
}
