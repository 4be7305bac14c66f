/**
 * A door to the store: so many are inside at once, and the others wait in line. All of a burst at once would be more than a
 * store answers in time, and the steps of turns that run would stand behind it.
 */
import { AsyncResource } from 'node:async_hooks';
import { AgentError } from '../core/errors.js';
import { Bell } from './bell.js';
import type { House } from './house.js';
import { persistently } from './house.js';

/** Enough to keep a store busy. More would only wait there, and cost every garbage collection meanwhile. */
const atOnce = 72;

interface Waiting {
  readonly since: number;
  readonly begin: () => void;
  readonly reject: (error: unknown) => void;
  next: Waiting | undefined;
}

export class Door {
  readonly #house: () => House;
  #inside = 0;
  #first: Waiting | undefined;
  #last: Waiting | undefined;
  #opens = false;
  readonly #empty = new Bell();

  constructor(house: () => House) {
    this.#house = house;
  }

  /** Does the work, which goes through the door, now or after what came before. */
  enter<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < atOnce && this.#first === undefined) return work();
    return new Promise<T>((resolve, reject) => {
      const here = new AsyncResource('askback.line'); // what the caller has in its async context is no business of others
      const begin = (): void => {
        try {
          const working = here.runInAsyncScope(work);
          resolve(working);
          void working.then(this.#look, this.#look); // it may have ended without going through
        } catch (error) {
          reject(error);
        }
      };
      this.#add({ since: this.#house().clock.elapsed(), begin, reject, next: undefined });
    });
  }

  /** Makes a step of the store as `persistently` does. */
  through<T, R>(step: string, limit: number, work: () => Promise<T>, done: (result: T) => R): Promise<R> {
    this.#inside += 1;
    const left = (result: T): R => {
      this.#left();
      return done(result);
    };
    return persistently(this.#house(), step, limit, work, left, this.#failed);
  }

  /** Settles when nobody waits in line. */
  async empty(): Promise<void> {
    if (this.#first !== undefined) await this.#empty.rung();
  }

  /** Sends away whoever waits in line. */
  close(reason: unknown): void {
    while (this.#first !== undefined) this.#next()?.reject(reason);
  }

  #add(waiting: Waiting): void {
    if (this.#last === undefined) this.#first = waiting;
    else this.#last.next = waiting;
    this.#last = waiting;
  }

  #next(): Waiting | undefined {
    const waiting = this.#first;
    if (waiting === undefined) return undefined;
    this.#first = waiting.next;
    waiting.next = undefined;
    if (this.#first === undefined) {
      this.#last = undefined;
      this.#empty.ring();
    }
    return waiting;
  }

  readonly #failed = (error: unknown, began: number): void => {
    if (error instanceof AgentError && error.code === 'store-unavailable') {
      // who has waited all the time that the store was tried need not try it too
      while (this.#first !== undefined && this.#first.since <= began) this.#next()?.reject(error);
    }
    this.#left();
  };

  #left(): void {
    this.#inside -= 1;
    this.#look();
  }

  readonly #look = (): void => {
    if (this.#opens || this.#first === undefined) return;
    this.#opens = true;
    // those who leave together are followed by as many together: they share their calls to the store
    process.nextTick(() => this.#open());
  };

  #open(): void {
    this.#opens = false;
    for (let room = atOnce - this.#inside; room > 0; room -= 1) this.#next()?.begin();
  }
}
