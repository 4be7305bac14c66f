/**
 * Stays awake for an answer that will be there at once. A process that sleeps meanwhile finds its code gone from the
 * processor's caches, which costs it more than the waiting: so the event loop goes round instead, a moment long, and serves
 * whatever else happens as usual. Where answers take longer it is tried less and less.
 */
import { availableParallelism } from 'node:os';
import { OptimisticBackoff } from '../core/optimistic-backoff.js';
import { systemClock } from './clock.js';

/** So long after a call it stays awake at most, in ms. */
const longest = 0.2;

/** What it needs of the machine. */
export interface EventLoop {
  /** Time in ms that never goes back. */
  elapsed(): number;
  /** Calls `work` when the event loop comes round. */
  round(work: () => void): void;
  /** True if whoever answers may run meanwhile: on the only processor there is, it would have to wait for us. */
  readonly shared: boolean;
}

const systemLoop: EventLoop = {
  elapsed: systemClock.elapsed,
  round: (work) => void setImmediate(work),
  shared: availableParallelism() > 1,
};

export class BusyPoll {
  readonly #loop: EventLoop;
  readonly #wanted: boolean;
  readonly #look = (): void => this.#lookRound();
  #goes = false;
  #until = 0;
  /** Calls without an answer. */
  #underWay = 0;
  /** Calls are slept through after one that was late. */
  readonly #luck = new OptimisticBackoff();

  constructor(wanted = true, loop = systemLoop) {
    this.#loop = loop;
    this.#wanted = wanted && loop.shared;
  }

  /** A call has left. */
  sent(): void {
    this.#underWay += 1;
    if (!this.#wanted || !this.#luck.shouldTry()) return;
    this.#until = this.#loop.elapsed() + longest;
    if (this.#goes) return;
    this.#goes = true;
    this.#loop.round(this.#look);
  }

  /** One that had left was answered, or given up. */
  answered(): void {
    this.#underWay -= 1;
    if (this.#goes) this.#luck.record(true);
  }

  #lookRound(): void {
    if (this.#underWay > 0 && this.#loop.elapsed() < this.#until) {
      this.#loop.round(this.#look);
      return;
    }
    this.#goes = false;
    if (this.#underWay > 0) this.#luck.record(false);
  }
}
