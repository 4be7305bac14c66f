/**
 * The secret that the ids of asks with a key are made of. One store has one secret: the first process that needs it makes it, and
 * every other reads it. It is never changed, because the same key must give the same id.
 */
import { longestTime } from '../../core/check-options.js';
import type { RegistryContext } from '../context.js';

/** The key in the store under which the secret is kept. */
const secretKey = 'askback secret of ask keys';

export class KeySecret {
  readonly #context: RegistryContext;
  #reading: Promise<string> | undefined;

  constructor(context: RegistryContext) {
    this.#context = context;
  }

  /** Reads the secret of the store once, or makes it. A call after one that failed reads again. */
  read(): Promise<string> {
    this.#reading ??= this.#read().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  /** One step of the store: of several processes that start at once, the first value is the one that all of them get. */
  async #read(): Promise<string> {
    const { store, newId } = this.#context;
    const made = newId();
    const { current } = await store.swap({ key: secretKey, expected: null, value: made, ttl: longestTime });
    return current ?? made;
  }
}
