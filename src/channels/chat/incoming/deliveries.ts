/**
 * Handles deliveries of the same one after another. It knows no platform: what is the same is named by the caller.
 */
import { type Clock, within } from '../../../machine/clock.js';

/** A delivery that takes longer hangs in its adapter, and the next one no longer waits for it. In ms. */
const longestTurn = 30_000;

export class Deliveries {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs the work once no other delivery with this id is handled; at once without an id. */
  async inTurn<T>(id: string | undefined, work: () => Promise<T>): Promise<T> {
    if (id === undefined) return work();
    const before = this.#last.get(id);
    const mine = (async () => {
      if (before !== undefined) await this.#ended(before);
      return work();
    })();
    this.#last.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(id) === mine) this.#last.delete(id);
    }
  }

  /** Its failure was reported to its own sender. */
  async #ended(before: Promise<unknown>): Promise<void> {
    const settled = before.then(
      () => {},
      () => {},
    );
    await within(this.#clock, longestTurn, settled, () => {});
  }
}
