/**
 * The marks of what was sent: batched for a moment, so that many cost one round trip. They touch nothing that a worker owns, and may be late.
 * Sends nothing.
 */
import { failureOf } from '../../core/errors.js';
import type { Mark } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { retried } from '../retry.js';

const notNow = (): void => {};

export class SentMarks {
  readonly #context: RegistryContext;
  #marks: Mark[] = [];
  /** By conversation: what a save has taken out of the outbox since marks were written last. */
  #withdrawn = new Map<string, readonly string[]>();
  #flushing: Promise<void> | undefined;
  #hurried = 0;
  #hurry: () => void = notNow;

  constructor(context: RegistryContext) {
    this.#context = context;
  }

  /** An output has gone out, goes out by no one, or is sent later: its mark is written with the next batch. */
  add(mark: Mark): void {
    this.#marks.push(mark);
    this.#flushing ??= this.#flush();
  }

  /** A save has taken these out of the outbox: a mark that still waits would change nothing. */
  withdrawn(conversationId: string, keys: readonly string[]): void {
    if (this.#marks.length > 0) this.#withdrawn.set(conversationId, keys);
  }

  /** Settles when the marks that wait are written, without batching any longer; undefined if none wait. */
  written(): Promise<void> | undefined {
    this.#hurry();
    return this.#flushing;
  }

  /** While the work runs, marks are written without batching. */
  async hurried(work: () => Promise<void>): Promise<void> {
    this.#hurried += 1;
    try {
      await work();
    } finally {
      this.#hurried -= 1;
    }
  }

  /** Ends when no mark is left. */
  async #flush(): Promise<void> {
    const { clock, settings, store } = this.#context;
    while (this.#marks.length > 0) {
      if (this.#hurried === 0) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(settings.markDelay, resolve);
          this.#hurry = () => {
            cancel();
            resolve();
          };
        });
        this.#hurry = notNow;
      }
      const withdrawn = this.#withdrawn;
      const marks = this.#marks.filter(
        ({ conversationId, key, sentAs, kept }) =>
          sentAs !== undefined || kept !== undefined || !withdrawn.get(conversationId)?.includes(key),
      );
      this.#marks = [];
      if (withdrawn.size > 0) this.#withdrawn = new Map();
      try {
        if (marks.length > 0) await retried(this.#context, 'sent', settings.sendLease / 2, () => store.sent(marks));
      } catch (error) {
        this.#context.logger.warn('Sent outputs could not be marked; they may go out twice', {
          failure: failureOf(error),
        });
      }
    }
    this.#flushing = undefined;
  }
}
