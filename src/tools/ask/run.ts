/**
 * The questions of one run of a model: enforces the limit, and dedupes questions. Kept in memory: a run ends with its
 * process, or continues where its interrupts are passed in.
 */
import type { Interrupt } from '../interrupt.js';
import { askedBefore, askedElsewhere, limitReached } from '../model-texts.js';

export class AskRun {
  readonly #limit: number;
  /** The result of each question; undefined while it is not known here. */
  readonly #results = new Map<string, string | undefined>();
  readonly #opened = new Map<string, Promise<Interrupt>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The reason why this must not be asked; undefined if it may, and then it counts. */
  begin(key: string): string | undefined {
    const result = this.#results.get(key);
    if (result !== undefined) return askedBefore(result);
    if (this.#results.has(key)) return askedElsewhere;
    if (this.#results.size >= this.#limit) return limitReached(this.#limit);
    this.#results.set(key, undefined);
    return undefined;
  }

  end(key: string, result: string): void {
    this.#results.set(key, result);
  }

  /** Forgets a question that was not asked after all. */
  forget(key: string): void {
    this.#results.delete(key);
  }

  /** Records a question that this run has opened, perhaps in another process. */
  note(interrupt: Interrupt): void {
    if (interrupt.kind !== 'closed' && !this.#results.has(interrupt.key)) this.#results.set(interrupt.key, undefined);
    if (interrupt.callId !== undefined) this.#opened.set(interrupt.callId, Promise.resolve(interrupt));
  }

  /** The interrupt of this call, made only once. */
  async opened(callId: string | undefined, make: () => Promise<Interrupt>): Promise<Interrupt> {
    if (callId === undefined) return make();
    const opening = this.#opened.get(callId) ?? make();
    this.#opened.set(callId, opening);
    try {
      return await opening;
    } catch (error) {
      this.#opened.delete(callId); // so that the next call retries
      throw error;
    }
  }
}
