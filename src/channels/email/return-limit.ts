/**
 * Limits what is mailed back to an author, so that two programs that answer each other come to an end. It counts in this process. What is
 * received is not limited: a reply to an open ask always counts.
 */
import type { Clock } from '../../machine/clock.js';

const hour = 3_600_000;
const day = 24 * hour;
/** Authors that are remembered. */
const mostAuthors = 10_000;

export class ReturnLimit {
  readonly #clock: Clock;
  readonly #perHour: number;
  /** When mails went back, the oldest first, by author. */
  readonly #sent = new Map<string, readonly number[]>();
  /** Authors who may not answer, by conversation; with the time of what they were told last. */
  readonly #strangers = new Map<string, number>();

  constructor(clock: Clock, perHour: number) {
    this.#clock = clock;
    this.#perHour = perHour;
  }

  /** Notes that an author may not answer the ask of this conversation: they are told so once a day. */
  stranger(address: string, conversationId: string): void {
    const key = JSON.stringify([address, conversationId]);
    if (!this.#strangers.has(key)) remember(this.#strangers, key, Number.NEGATIVE_INFINITY);
  }

  /** Counts a mail that goes back to an address; false if it must not. */
  allows(address: string, conversationId: string): boolean {
    const now = this.#clock.elapsed();
    const key = JSON.stringify([address, conversationId]);
    const told = this.#strangers.get(key);
    if (told !== undefined && told > now - day) return false;
    const recent = (this.#sent.get(address) ?? []).filter((at) => at > now - hour);
    if (recent.length >= this.#perHour) return false;
    remember(this.#sent, address, [...recent, now]);
    if (told !== undefined) remember(this.#strangers, key, now);
    return true;
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= mostAuthors) break;
    map.delete(oldest);
  }
}
