/**
 * Callers that wait for more of what is said, by conversation. The saves of this process wake them at once, those of other processes by
 * a hint. In case a hint was lost, one poll for the whole process looks how long the histories are: a bounded number a second, however
 * many callers wait. It reads no items: whoever is woken does.
 */
import type { Clock } from '../../machine/clock.js';
import { onAbort } from '../../machine/on-abort.js';
import type { Store } from '../../stores/port.js';

const pollInterval = 1_000;
/** Conversations that one poll looks at. Of more, each is looked at in its turn: then a lost hint costs more than a second. */
const looksPerPoll = 64;

/** One wait. It is begun before the caller reads, so that no save falls between the two. */
export interface OutputWait {
  /** Settles when something was saved, when the signal says so, or when its time is over. */
  readonly passed: Promise<void>;
  /** The caller has read everything before the item of this number. */
  readTo(next: number): void;
  end(): void;
}

interface OutputReader {
  next: number | undefined;
  readonly wake: () => void;
}

export class OutputWaiters {
  readonly #store: Pick<Store, 'historyFrom'>;
  readonly #clock: Clock;
  /** The conversation that was looked at last stands last. */
  readonly #waiting = new Map<string, Set<OutputReader>>();
  #isPolling = false;

  constructor(store: Pick<Store, 'historyFrom'>, clock: Clock) {
    [this.#store, this.#clock] = [store, clock];
  }

  begin(conversationId: string, ms: number, signal?: AbortSignal): OutputWait {
    let wake = (): void => {};
    const passed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const end = (): void => {
      cancel();
      ignoreAbort();
      this.#remove(conversationId, waiter);
      wake();
    };
    const waiter: OutputReader = { next: undefined, wake: end };
    const cancel = this.#clock.after(ms, end);
    const ignoreAbort = onAbort(end, signal);
    const set = this.#waiting.get(conversationId) ?? new Set();
    this.#waiting.set(conversationId, set.add(waiter));
    if (!this.#isPolling) this.#schedule();
    const readTo = (next: number): void => {
      waiter.next = next;
    };
    return { passed, readTo, end };
  }

  /** Something was saved in the conversation, here or in another process. */
  wake(conversationId: string): void {
    for (const waiter of [...(this.#waiting.get(conversationId) ?? [])]) waiter.wake();
  }

  wakeAll(): void {
    for (const id of [...this.#waiting.keys()]) this.wake(id);
  }

  #remove(conversationId: string, waiter: OutputReader): void {
    const set = this.#waiting.get(conversationId);
    set?.delete(waiter);
    if (set?.size === 0) this.#waiting.delete(conversationId);
  }

  #schedule(): void {
    this.#isPolling = this.#waiting.size > 0;
    if (this.#isPolling) this.#clock.after(pollInterval, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const ids = [...this.#waiting.keys()].slice(0, looksPerPoll);
    await Promise.all(ids.map((id) => this.#look(id)));
    this.#schedule();
  }

  async #look(conversationId: string): Promise<void> {
    const waiters = this.#waiting.get(conversationId);
    if (waiters === undefined) return;
    this.#waiting.delete(conversationId);
    this.#waiting.set(conversationId, waiters);
    try {
      const { first: end } = await this.#store.historyFrom(conversationId, Number.MAX_SAFE_INTEGER, 0);
      for (const waiter of [...waiters]) if (waiter.next !== undefined && waiter.next !== end) waiter.wake();
    } catch {
      this.wake(conversationId); // whoever waits reads, and is told what is wrong
    }
  }
}
