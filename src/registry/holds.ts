/**
 * The holds of this process and the work on each. A plain list: a Map makes its table anew each time it runs empty, and
 * each table keeps the next one until a full collection.
 */
import type { Hold } from './hold.js';

interface Held {
  readonly hold: Hold;
  readonly work: Promise<void>;
  /** Its place in the list, which changes when another ends. */
  at: number;
}

export class Holds {
  readonly #all: Held[] = [];

  get size(): number {
    return this.#all.length;
  }

  /** Begins the work, which calls what it is given when it is over. */
  add(hold: Hold, begin: (over: () => void) => Promise<void>): void {
    const work = begin(() => this.#end(held));
    const held = { hold, work, at: this.#all.length };
    this.#all.push(held);
  }

  #end(held: Held): void {
    const last = this.#all.pop() as Held;
    if (last === held) return;
    this.#all[held.at] = last;
    last.at = held.at;
  }

  /** All of them, as they are now. */
  list(): Hold[] {
    return this.#all.map(({ hold }) => hold);
  }

  has(hold: Hold): boolean {
    return this.#all.some((held) => held.hold === hold);
  }

  /** The work on all that are held now. */
  work(): Promise<void>[] {
    return this.#all.map(({ work }) => work);
  }
}
