/**
 * The holds of this process. A plain list: a Map makes its table anew each time it runs empty, and each table keeps the
 * next one until a full collection.
 */
import { Notifier } from '../notifier.js';
import type { Lease } from './lease.js';

interface LeaseSlot {
  readonly lease: Lease;
  /** Its place in the list, which changes when another ends. */
  at: number;
}

export class LeaseTable {
  readonly #all: LeaseSlot[] = [];
  readonly #end = new Notifier();

  get size(): number {
    return this.#all.length;
  }

  /** Begins the work, which calls what it is given when it is over. */
  add(lease: Lease, begin: (over: () => void) => void): void {
    const held = { lease, at: this.#all.length };
    this.#all.push(held);
    begin(() => this.#remove(held));
  }

  #remove(held: LeaseSlot): void {
    const last = this.#all.pop() as LeaseSlot;
    if (last !== held) {
      this.#all[held.at] = last;
      last.at = held.at;
    }
    this.#end.notify();
  }

  /** All of them, as they are now. */
  list(): Lease[] {
    return this.#all.map(({ lease }) => lease);
  }

  has(lease: Lease): boolean {
    return this.#all.some((held) => held.lease === lease);
  }

  /** Settles when the work on one of them has ended. */
  ended(): Promise<void> {
    return this.#end.next();
  }
}
