/**
 * What the code that runs belongs to. Until it first waits, a variable says so. To find it again afterwards takes an
 * AsyncLocalStorage, and from the first one on every promise of the process costs more, whoever makes it: so there is
 * none before something goes on after it has waited.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export class Current<T extends { readonly ended: boolean }> {
  #now: T | undefined;
  #followed: AsyncLocalStorage<T | undefined> | undefined;
  /** The first that turned out to go on when it was too late to follow it. */
  #first: T | undefined;

  /** Runs the work as part of what is given. */
  run<R>(part: T | undefined, work: () => R): R {
    if (this.#followed !== undefined) return this.#followed.run(part, work);
    const before = this.#now;
    this.#now = part;
    try {
      return work();
    } finally {
      this.#now = before;
      this.#enter(before); // it may be followed by now
    }
  }

  /** Runs the work as part of nothing. */
  outside<R>(work: () => R): R {
    return this.run(undefined, work);
  }

  get(): T | undefined {
    return this.#followed === undefined ? this.#now : this.#followed.getStore();
  }

  /** The same where a wrong guess does no harm: what is called from nowhere may be called by the first one, while that lasts. */
  guess(): T | undefined {
    if (this.#first?.ended) this.#first = undefined;
    return this.get() ?? this.#first;
  }

  /** From here on it is found after waiting too; so is what runs just now. */
  follow(): void {
    if (this.#followed !== undefined) return;
    this.#followed = new AsyncLocalStorage();
    if (this.#now !== undefined) this.#enter(this.#now);
  }

  /** Something is called that is waited for. */
  followCaller(): void {
    if (this.#now !== undefined) this.follow();
  }

  /** What ran as part of this goes on. */
  goesOn(part: T): void {
    if (this.#followed !== undefined) return;
    this.#first = part;
    this.follow();
  }

  #enter(part: T | undefined): void {
    this.#followed?.enterWith(part);
  }
}
