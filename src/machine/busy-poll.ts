/**
 * Busy-polls the event loop for up to 0.2 ms after a call to a server that answers at once. A process that sleeps
 * instead loses its code from the CPU caches, which costs more than the wait. Other events are served as usual. After
 * a poll that ended without an answer, further polls are skipped with back-off.
 */
import { availableParallelism } from 'node:os';
import { OptimisticBackoff } from '../core/optimistic-backoff.js';
import { systemClock } from './clock.js';

/** The longest poll after a call, in ms. */
const maxPollMs = 0.2;

/** The parts of the machine that polling needs; a test replaces them. */
export interface EventLoop {
  /** Monotonic time in ms. */
  elapsed(): number;
  /** Calls `work` in the next round of the event loop. */
  immediate(work: () => void): void;
  /** False on a single core: there polling would keep the server from running. */
  readonly hasSpareCore: boolean;
}

const systemLoop: EventLoop = {
  elapsed: systemClock.elapsed,
  immediate: (work) => void setImmediate(work),
  hasSpareCore: availableParallelism() > 1,
};

export class BusyPoll {
  readonly #loop: EventLoop;
  readonly #enabled: boolean;
  readonly #poll = (): void => this.#pollOnce();
  #isPolling = false;
  #until = 0;
  /** Calls that were sent and are not answered yet. */
  #inFlight = 0;
  /** Skips polls after one that ended without an answer. */
  readonly #backoff = new OptimisticBackoff();

  constructor(wanted = true, loop = systemLoop) {
    this.#loop = loop;
    this.#enabled = wanted && loop.hasSpareCore;
  }

  /** A call was sent. */
  sent(): void {
    this.#inFlight += 1;
    if (!this.#enabled || !this.#backoff.shouldTry()) return;
    this.#until = this.#loop.elapsed() + maxPollMs;
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.#loop.immediate(this.#poll);
  }

  /** A call was answered or given up. */
  answered(): void {
    this.#inFlight -= 1;
    if (this.#isPolling) this.#backoff.record(true);
  }

  #pollOnce(): void {
    if (this.#inFlight > 0 && this.#loop.elapsed() < this.#until) {
      this.#loop.immediate(this.#poll);
      return;
    }
    this.#isPolling = false;
    if (this.#inFlight > 0) this.#backoff.record(false);
  }
}
