/**
 * Limits concurrent store calls to 72; the rest queue in order. All calls of a burst at once would be more than a store answers
 * in time, and the saves of running turns would queue behind them.
 * Replies to open asks go ahead of new messages, bounded: people who were asked do not wait for a burst, and fewer
 * conversations are half done at a time. A conversation has at most one call queued: the dispatcher records its entries one
 * after the other.
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
  readonly #ended = new Notifier();

  constructor(context: () => RegistryContext) {
    this.#context = context;
  }

  /** Runs the work now if there is a place, else after the calls that came before. */
  async run<T>(work: () => Promise<T>, conversationId?: string): Promise<T> {
    const queued = this.queue(conversationId);
    if (queued !== undefined) await queued;
    const began = this.begin();
    try {
      return await work();
    } catch (error) {
      this.failed(began, error);
      throw error;
    } finally {
      this.end();
    }
  }

  /** Settles when a call has its place; undefined if it has one now. Whoever has a place calls `begin()` at once, and `end()`. */
  queue(conversationId?: string): Promise<void> | undefined {
    // a call that has its place and did not start yet goes first: it may be of the same conversation
    if (this.#running < concurrent && this.#starting === 0 && this.#isEmpty()) return undefined;
    return new Promise<void>((start, reject) => this.#enqueue(conversationId, start, reject)).then(() => {
      this.#starting -= 1;
    });
  }

  /** A call begins: it counts, so that fewer of the others run beside it. Returns when that was. */
  begin(): number {
    this.#running += 1;
    return this.#context().clock.elapsed();
  }

  end(): void {
    this.#running -= 1;
    this.#scheduleFill();
    this.#tellIdle();
  }

  /** Calls that have waited for as long as the store was tried need not try it again. */
  failed(began: number, error: unknown): void {
    if (isUnavailable(error)) this.#rejectSince(began, error);
  }

  /** Settles when no call is queued or under way: until then a claim may still come. */
  async idle(): Promise<void> {
    while (!this.#isIdle()) await this.#ended.next();
  }

  /** Rejects all queued calls. */
  close(reason: unknown): void {
    this.#rejectSince(Number.POSITIVE_INFINITY, reason);
  }

  #enqueue(conversationId: string | undefined, start: () => void, reject: (reason: unknown) => void): void {
    const { clock, askedHere } = this.#context();
    const isAhead = conversationId !== undefined && askedHere.has(conversationId);
    const queue = isAhead ? this.#ahead : this.#others;
    queue.add({ since: clock.elapsed(), start, reject, next: undefined });
  }

  #isIdle(): boolean {
    return this.#running + this.#starting === 0 && this.#isEmpty();
  }

  #tellIdle(): void {
    if (this.#isIdle()) this.#ended.notify();
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
    this.#tellIdle();
  }
}

/** First in, first out: a linked list, for a burst may be very long. */
class CallQueue {
  first: QueuedCall | undefined;
  #last: QueuedCall | undefined;

  add(call: QueuedCall): void {
    if (this.#last === undefined) this.first = call;
    else this.#last.next = call;
    this.#last = call;
  }

  /** Removes the first. */
  next(): QueuedCall | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.first = first.next;
    if (this.first === undefined) this.#last = undefined;
    return first;
  }
}
