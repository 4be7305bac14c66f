/**
 * A small cache of what was asked over the network. It decides nothing about what the answers mean.
 */
import type { Clock } from '../../machine/clock.js';

const mostKept = 5_000;

/** Answers that are asked for once within their life, also by several at a time. One that fails is asked for again. */
export class RecentAnswers<T> {
  readonly #clock: Clock;
  readonly #life: number;
  readonly #kept = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();

  constructor(clock: Clock, life: number) {
    this.#clock = clock;
    this.#life = life;
  }

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.elapsed();
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > now) return known.answer;
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= mostKept) this.#kept.delete(oldest);
    const kept = { until: now + this.#life, answer: ask() };
    this.#kept.set(key, kept);
    kept.answer.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return kept.answer;
  }

  /** The next one who wants this answer asks for it again. */
  forget(key: string): void {
    this.#kept.delete(key);
  }
}
