/**
 * Conversations that this process leaves to others for a while. Bounded: where there are very many, it may look at one too early.
 */
import type { Clock } from '../../machine/clock.js';

const most = 10_000;

export class LeftToOthers {
  readonly #clock: Clock;
  readonly #ms: number;
  /** By conversation: the elapsed time until which it is left to others. The oldest first. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  get size(): number {
    this.#drop();
    return this.#until.size;
  }

  add(conversationId: string): void {
    this.#drop();
    if (this.#until.size >= most) this.#until.clear();
    this.#until.delete(conversationId); // it is the newest now
    this.#until.set(conversationId, this.#clock.elapsed() + this.#ms);
  }

  has(conversationId: string): boolean {
    const until = this.#until.get(conversationId);
    return until !== undefined && this.#clock.elapsed() < until;
  }

  delete(conversationId: string): void {
    this.#until.delete(conversationId);
  }

  #drop(): void {
    const now = this.#clock.elapsed();
    for (const [conversationId, until] of this.#until) {
      if (now < until) return;
      this.#until.delete(conversationId);
    }
  }
}
