/**
 * Finds out that two programs answer each other: an automatic reply that does not say that it is one is a message to the agent, and what
 * the agent says is answered again, always with the same words. A reply to a question is none: the answer is one step of that question.
 */
import { digest } from '../../../core/ids.js';
import type { Clock } from '../../../machine/clock.js';

/** More mails of one address with the same text within this time, in ms, are a loop. */
const mostMails = 20;
const within = 3_600_000;
/** Texts that are remembered. */
const mostTexts = 1_000;

export class LoopGuard {
  readonly #clock: Clock;
  /** When mails of an author and a text were recorded, the oldest first. The one that came last is the last one. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether this author has sent this text too often. */
  isLoop(address: string, text: string): boolean {
    return this.#recent(digest(address, text)).length >= mostMails;
  }

  /** Notes that a mail was recorded. */
  recorded(address: string, text: string): void {
    const key = digest(address, text);
    const times = [...this.#recent(key), this.#clock.elapsed()];
    this.#times.delete(key);
    this.#times.set(key, times);
    for (const oldest of this.#times.keys()) {
      if (this.#times.size <= mostTexts) break;
      this.#times.delete(oldest);
    }
  }

  #recent(key: string): readonly number[] {
    const since = this.#clock.elapsed() - within;
    return (this.#times.get(key) ?? []).filter((at) => at > since).slice(-mostMails);
  }
}
