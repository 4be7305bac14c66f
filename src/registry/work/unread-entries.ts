/**
 * The entries of a queue that a waiting turn has not looked at. While the turn holds its conversation, entries only join the
 * queue at its end, so each of them is read once, however many come. What an entry means is decided by whoever reads it.
 */
import type { QueuedText, Store } from '../../stores/port.js';
import type { Lease } from '../lease/lease.js';

export class UnreadEntries {
  readonly #store: Store;
  readonly #lease: Lease;
  /** How many entries from the front were looked at, and the id of the last of them. */
  #looked = 0;
  #last: string | undefined;

  constructor(store: Store, lease: Lease) {
    this.#store = store;
    this.#lease = lease;
  }

  /**
   * The entries behind those that were looked at, and the time of this look; null if the conversation was erased. The last one
   * that was looked at is read again: if it is not where it was, the store has lost entries in a fail-over, and the queue is
   * read from its front.
   */
  async read(): Promise<{ readonly entries: readonly QueuedText[]; readonly now: number } | null> {
    const state = await this.#store.conversation(this.#lease.conversationId, Math.max(0, this.#looked - 1));
    if (state === null || state.incarnation !== this.#lease.incarnation) return null;
    const { queue, now } = state;
    if (this.#looked === 0) return { entries: queue, now };
    const [last, ...entries] = queue;
    if (last?.id === this.#last) return { entries, now };
    this.#looked = 0;
    return this.read();
  }

  /** The entry, which is the next one of those read, was looked at. */
  looked({ id }: QueuedText): void {
    this.#looked += 1;
    this.#last = id;
  }
}
