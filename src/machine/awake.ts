/**
 * Stays awake for an answer that will be there at once. A process that sleeps meanwhile finds its code gone from the
 * processor's caches, which costs it more than the waiting: so the event loop goes round instead, a moment long, and serves
 * whatever else happens as usual. Where answers take longer it is tried less and less.
 */
import { availableParallelism } from 'node:os';
import { systemClock } from './clock.js';

/** So long after a call it stays awake at most, in ms. */
const longest = 0.2;
/** So many calls it sleeps through at most before it tries again. */
const mostSkipped = 64;

/** What it needs of the machine. */
export interface Loop {
  /** Time in ms that never goes back. */
  elapsed(): number;
  /** Calls `work` when the event loop comes round. */
  round(work: () => void): void;
  /** True if whoever answers may run meanwhile: on the only processor there is, it would have to wait for us. */
  readonly shared: boolean;
}

const systemLoop: Loop = {
  elapsed: systemClock.elapsed,
  round: (work) => void setImmediate(work),
  shared: availableParallelism() > 1,
};

export class Awake {
  readonly #loop: Loop;
  readonly #wanted: boolean;
  readonly #look = (): void => this.#lookRound();
  #goes = false;
  #until = 0;
  /** Calls without an answer. */
  #underWay = 0;
  /** Calls to sleep through now, and after the next that is late. */
  #skip = 0;
  #skipNext = 1;

  constructor(wanted = true, loop = systemLoop) {
    this.#loop = loop;
    this.#wanted = wanted && loop.shared;
  }

  /** A call has left. */
  sent(): void {
    this.#underWay += 1;
    if (!this.#wanted) return;
    if (this.#skip > 0) {
      this.#skip -= 1;
      return;
    }
    this.#until = this.#loop.elapsed() + longest;
    if (this.#goes) return;
    this.#goes = true;
    this.#loop.round(this.#look);
  }

  /** One that had left was answered, or given up. */
  answered(): void {
    this.#underWay -= 1;
    if (this.#goes) this.#skipNext = 1;
  }

  #lookRound(): void {
    if (this.#underWay > 0 && this.#loop.elapsed() < this.#until) {
      this.#loop.round(this.#look);
      return;
    }
    this.#goes = false;
    if (this.#underWay === 0) return;
    this.#skip = this.#skipNext;
    this.#skipNext = Math.min(mostSkipped, 2 * this.#skipNext);
  }
}
