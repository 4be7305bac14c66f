/**
 * Limits concurrent store calls to 72; the rest queue in order. All calls of a burst at once would be more than a store answers
 * in time, and the saves of running turns would queue behind them.
 * Replies to open asks go ahead of new messages, bounded: people who were asked do not wait for a burst, and fewer
 * conversations are half done at a time. Within a conversation no call overtakes another.
 */
import { nextTick } from 'node:process';
import type { RegistryContext } from './context.js';
import { Notifier } from './notifier.js';
import { isUnavailable } from './retry.js';

/** Enough to keep a store busy. More would only wait there, in memory. */
const concurrent = 72;
/** After this many calls that went ahead, one of the others starts if it has waited for longer. */
const aheadInARow = 8;

/** A call that waits for its place. */
interface QueuedCall {
  readonly since: number;
  readonly conversationId: string | undefined;
  readonly start: () => void;
  readonly reject: (reason: unknown) => void;
  /** The call behind it. */
  next: QueuedCall | undefined;
}

export class Admission {
  readonly #context: () => RegistryContext;
  #running = 0;
  /** Calls that have their place and continue with the next microtask. */
  #starting = 0;
  /** Replies to open asks. */
  readonly #ahead = new CallQueue();
  readonly #others = new CallQueue();
  #inARow = 0;
  #isFillScheduled = false;
  readonly #emptied = new Notifier();

  constructor(context: () => RegistryContext) {
    this.#context = context;
  }

  /** Runs the work now if there is a place, else after the calls that came before. */
  run<T>(work: () => Promise<T>, conversationId?: string): Promise<T> {
    // a call that has its place and did not start yet goes first: it may be of the same conversation
    const isFree = this.#running < concurrent && this.#starting === 0 && this.#isEmpty();
    return isFree ? this.runNow(work) : this.#runQueued(work, conversationId);
  }

  async #runQueued<T>(work: () => Promise<T>, conversationId: string | undefined): Promise<T> {
    await new Promise<void>((start, reject) => this.#enqueue(conversationId, start, reject));
    this.#starting -= 1;
    return this.runNow(work);
  }

  /**
   * Runs the work without queueing: it counts, so that fewer of the others run beside it. No async frame: every message
   * passes here (docs/performance.md).
   */
  runNow<T>(work: () => Promise<T>): Promise<T> {
    const began = this.#context().clock.elapsed();
    this.#running += 1;
    return started(work).then(
      (result) => {
        this.#ended();
        return result;
      },
      (error: unknown) => {
        // calls that have waited for as long as the store was tried need not try it again
        if (isUnavailable(error)) this.#rejectSince(began, error);
        this.#ended();
        throw error;
      },
    );
  }

  #ended(): void {
    this.#running -= 1;
    this.#scheduleFill();
  }

  /** Settles when no call is queued. */
  async empty(): Promise<void> {
    if (!this.#isEmpty()) await this.#emptied.next();
  }

  /** Rejects all queued calls. */
  close(reason: unknown): void {
    this.#rejectSince(Number.POSITIVE_INFINITY, reason);
  }

  #enqueue(conversationId: string | undefined, start: () => void, reject: (reason: unknown) => void): void {
    const { clock, documents } = this.#context();
    const isAhead = conversationId !== undefined && documents.has(conversationId) && !this.#others.has(conversationId);
    const queue = isAhead ? this.#ahead : this.#others;
    queue.add({ since: clock.elapsed(), conversationId, start, reject, next: undefined });
  }

  #isEmpty(): boolean {
    return this.#ahead.first === undefined && this.#others.first === undefined;
  }

  /** Calls that end together are followed by as many together: the store can batch them. */
  #scheduleFill(): void {
    if (this.#isFillScheduled || this.#isEmpty()) return;
    this.#isFillScheduled = true;
    nextTick(() => {
      this.#isFillScheduled = false;
      this.#fill();
    });
  }

  #fill(): void {
    for (let free = concurrent - this.#running - this.#starting; free > 0; free -= 1) {
      const call = this.#next();
      if (call === undefined) break;
      this.#starting += 1;
      call.start();
    }
    if (this.#isEmpty()) this.#emptied.notify();
  }

  #next(): QueuedCall | undefined {
    const [ahead, other] = [this.#ahead.first, this.#others.first];
    const isOthers =
      ahead === undefined || (this.#inARow >= aheadInARow && other !== undefined && other.since < ahead.since);
    this.#inARow = isOthers ? 0 : this.#inARow + 1;
    return (isOthers ? this.#others : this.#ahead).next();
  }

  /** Rejects calls that were queued at this time or before. */
  #rejectSince(since: number, reason: unknown): void {
    if (this.#isEmpty()) return;
    for (const queue of [this.#ahead, this.#others]) {
      while (queue.first !== undefined && queue.first.since <= since) queue.next()?.reject(reason);
    }
    if (this.#isEmpty()) this.#emptied.notify();
  }
}

/** The promise of the work, also where it throws before it gives one. */
function started<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** First in, first out: a linked list, for a burst may be very long. Knows for which conversations a call is queued. */
class CallQueue {
  first: QueuedCall | undefined;
  #last: QueuedCall | undefined;
  readonly #perConversation = new Map<string, number>();

  add(call: QueuedCall): void {
    if (this.#last === undefined) this.first = call;
    else this.#last.next = call;
    this.#last = call;
    this.#count(call.conversationId, 1);
  }

  /** Removes the first. */
  next(): QueuedCall | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.first = first.next;
    if (this.first === undefined) this.#last = undefined;
    this.#count(first.conversationId, -1);
    return first;
  }

  has(conversationId: string): boolean {
    return this.#perConversation.has(conversationId);
  }

  #count(conversationId: string | undefined, change: number): void {
    if (conversationId === undefined) return;
    const calls = (this.#perConversation.get(conversationId) ?? 0) + change;
    if (calls === 0) this.#perConversation.delete(conversationId);
    else this.#perConversation.set(conversationId, calls);
  }
}
