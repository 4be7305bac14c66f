/**
 * A door to the store: so many are inside at once, and the others wait in line. All of a burst at once would be more than a
 * store answers in time, and the steps of turns that run would stand behind it.
 * Replies to open questions go ahead of what is new: people who were asked do not stand behind a burst, and fewer
 * conversations are half done at a time, which is less to keep.
 */
import { nextTick } from 'node:process';
import { AgentError } from '../core/errors.js';
import { type AdmittedWork, CountedLine, Line, QueuedCall } from './admission-queue.js';
import type { RegistryContext } from './context.js';
import { retried } from './context.js';
import { Notifier } from './notifier.js';

/** Enough to keep a store busy. More would only wait there, and cost every garbage collection meanwhile. */
const atOnce = 72;
/** After so many that went ahead, one of the others is let in that has waited for longer. */
const aheadInARow = 8;

export class Admission {
  readonly #context: () => RegistryContext;
  #inside = 0;
  /** Let in, and not there yet. */
  #coming = 0;
  readonly #ahead = new Line();
  readonly #line = new CountedLine();
  #inARow = 0;
  #opens = false;
  readonly #empty = new Notifier();

  constructor(context: () => RegistryContext) {
    this.#context = context;
  }

  /** Does the work, which goes through the door, now or after what came before. Within a conversation nothing is overtaken. */
  enter<T>(work: () => Promise<T>, conversationId?: string): Promise<T> {
    const isOpen = this.#inside < atOnce && this.#coming === 0; // whoever is let in goes first
    if (isOpen && this.#isEmpty()) return work();
    const turn = new Promise<AdmittedWork>((resolve) => {
      this.#add(new QueuedCall(this.#context().clock.elapsed(), conversationId, work, resolve));
    });
    // with what the caller has in its async context, which is no business of others
    return turn.then(this.#begin as (work: AdmittedWork) => Promise<T>); // what it is let in with is its own work
  }

  readonly #begin = (work: AdmittedWork): Promise<unknown> => {
    this.#coming -= 1;
    const before = this.#inside;
    try {
      return work();
    } finally {
      if (this.#inside === before) this.#look(); // it may never go through
    }
  };

  /** Makes a step of the store as `persistently` does. */
  through<T, R>(step: string, limit: number, work: () => Promise<T>, done: (result: T) => R): Promise<R> {
    this.#inside += 1;
    const left = (result: T): R => {
      this.#left();
      return done(result);
    };
    return retried(this.#context(), step, limit, work, left, this.#failed);
  }

  /** Settles when nobody waits in line. */
  async empty(): Promise<void> {
    if (!this.#isEmpty()) await this.#empty.next();
  }

  /** Sends away whoever waits in line. */
  close(reason: unknown): void {
    this.#sendAway(reason, Number.POSITIVE_INFINITY);
  }

  #isEmpty(): boolean {
    return this.#ahead.first === undefined && this.#line.first === undefined;
  }

  #add(waiting: QueuedCall): void {
    const { conversationId } = waiting;
    const isAhead =
      conversationId !== undefined && !this.#line.has(conversationId) && this.#context().documents.has(conversationId);
    (isAhead ? this.#ahead : this.#line).add(waiting);
  }

  #next(): QueuedCall | undefined {
    const [ahead, other] = [this.#ahead.first, this.#line.first];
    const isOthers =
      ahead === undefined || (this.#inARow >= aheadInARow && other !== undefined && other.since < ahead.since);
    this.#inARow = isOthers ? 0 : this.#inARow + 1;
    return (isOthers ? this.#line : this.#ahead).next();
  }

  /** Sends away whoever waits since then or for longer. */
  #sendAway(reason: unknown, since: number): void {
    if (this.#isEmpty()) return;
    for (const line of [this.#ahead, this.#line]) {
      while (line.first !== undefined && line.first.since <= since) line.next()?.sendAway(reason);
    }
    this.#notify();
  }

  readonly #failed = (error: unknown, began: number): void => {
    // who has waited all the time that the store was tried need not try it too
    if (error instanceof AgentError && error.code === 'store-unavailable') this.#sendAway(error, began);
    this.#left();
  };

  #left(): void {
    this.#inside -= 1;
    this.#look();
  }

  readonly #look = (): void => {
    if (this.#opens || this.#isEmpty()) return;
    this.#opens = true;
    // those who leave together are followed by as many together: they share their calls to the store
    nextTick(() => this.#open());
  };

  #open(): void {
    this.#opens = false;
    for (let room = atOnce - this.#inside - this.#coming; room > 0; room -= 1) {
      const waiting = this.#next();
      if (waiting === undefined) break;
      this.#coming += 1;
      waiting.letIn();
    }
    this.#notify();
  }

  #notify(): void {
    if (this.#isEmpty()) this.#empty.notify();
  }
}
