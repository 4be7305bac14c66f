/**
 * The holds of this process. A plain list: a Map makes its table anew each time it runs empty, and each table keeps the
 * next one until a full collection.
 */
import { Bell } from '../notifier.js';
import type { Lease } from './lease.js';

interface LeaseSlot {
  readonly hold: Lease;
  /** Its place in the list, which changes when another ends. */
  at: number;
}

export class LeaseTable {
  readonly #all: LeaseSlot[] = [];
  readonly #end = new Bell();

  get size(): number {
    return this.#all.length;
  }

  /** Begins the work, which calls what it is given when it is over. */
  add(hold: Lease, begin: (over: () => void) => void): void {
    const held = { hold, at: this.#all.length };
    this.#all.push(held);
    begin(() => this.#remove(held));
  }

  #remove(held: LeaseSlot): void {
    const last = this.#all.pop() as LeaseSlot;
    if (last !== held) {
      this.#all[held.at] = last;
      last.at = held.at;
    }
    this.#end.ring();
  }

  /** All of them, as they are now. */
  list(): Lease[] {
    return this.#all.map(({ hold }) => hold);
  }

  has(hold: Lease): boolean {
    return this.#all.some((held) => held.hold === hold);
  }

  /** Settles when the work on one of them has ended. */
  ended(): Promise<void> {
    return this.#end.rung();
  }
}
