/**
 * Whether to try what may be in vain: while it goes well, always; after each time that it did not, it is left out, twice as
 * often as the time before.
 */

/** So often it is left out at most before it is tried again. */
const most = 64;

export class OptimisticBackoff {
  #left = 0;
  #next = 1;

  shouldTry(): boolean {
    if (this.#left === 0) return true;
    this.#left -= 1;
    return false;
  }

  record(good: boolean): void {
    if (good) {
      this.#next = 1;
      return;
    }
    this.#left = this.#next;
    this.#next = Math.min(most, 2 * this.#next);
  }
}
