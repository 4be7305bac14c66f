/**
 * Back-off for an optimistic path: after a miss, skips 1, 2, 4 … 64 tries; a hit resets it.
 */

/** The most tries that are skipped in a row. */
const maxSkips = 64;

export class OptimisticBackoff {
  #skipsLeft = 0;
  #nextSkips = 1;

  shouldTry(): boolean {
    if (this.#skipsLeft === 0) return true;
    this.#skipsLeft -= 1;
    return false;
  }

  record(good: boolean): void {
    if (good) {
      this.#nextSkips = 1;
      return;
    }
    this.#skipsLeft = this.#nextSkips;
    this.#nextSkips = Math.min(maxSkips, 2 * this.#nextSkips);
  }
}
