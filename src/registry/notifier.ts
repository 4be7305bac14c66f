/**
 * Those who wait for the next time that something happens. Nothing is made while nobody waits: a promise for each time would
 * cost more than most of what is rung for.
 */
export class Notifier {
  #heard: (() => void)[] = [];

  /** Settles when it rings next. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#heard.push(resolve));
  }

  notify(): void {
    if (this.#heard.length === 0) return;
    const told = this.#heard;
    this.#heard = [];
    for (const tell of told) tell();
  }
}
