/**
 * The holds of this process. A plain list: a Map makes its table anew each time it runs empty, and each table keeps the
 * next one until a full collection.
 */
import { Bell } from '../notifier.js';
import type { Hold } from './lease.js';

interface Held {
  readonly hold: Hold;
  /** Its place in the list, which changes when another ends. */
  at: number;
}

export class Holds {
  readonly #all: Held[] = [];
  readonly #end = new Bell();

  get size(): number {
    return this.#all.length;
  }

  /** Begins the work, which calls what it is given when it is over. */
  add(hold: Hold, begin: (over: () => void) => void): void {
    const held = { hold, at: this.#all.length };
    this.#all.push(held);
    begin(() => this.#remove(held));
  }

  #remove(held: Held): void {
    const last = this.#all.pop() as Held;
    if (last !== held) {
      this.#all[held.at] = last;
      last.at = held.at;
    }
    this.#end.ring();
  }

  /** All of them, as they are now. */
  list(): Hold[] {
    return this.#all.map(({ hold }) => hold);
  }

  has(hold: Hold): boolean {
    return this.#all.some((held) => held.hold === hold);
  }

  /** Settles when the work on one of them has ended. */
  ended(): Promise<void> {
    return this.#end.rung();
  }
}
