/**
 * One-shot notifier: wakes everybody who waits for the next time that something happens.
 */
export class Notifier {
  #waiting: (() => void)[] = [];

  /** Settles with the next notification. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
