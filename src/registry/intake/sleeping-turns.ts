/**
 * The turns of this process that wait for a person. Asleep, they take no place among those that work.
 */
import type { WaitingTurn } from '../work/wait-in-turn.js';

export class SleepingTurns {
  readonly #turns = new Map<string, { readonly wake: () => void; asleep: boolean }>();
  readonly #free: () => void;
  /** Called when a turn falls asleep. */
  onSleep: () => void = () => {};

  /** `free` is called when a turn falls asleep and leaves its place to others. */
  constructor(free: () => void) {
    this.#free = free;
  }

  /** Those that do nothing but wait. */
  get asleep(): number {
    let asleep = 0;
    for (const turn of this.#turns.values()) if (turn.asleep) asleep += 1;
    return asleep;
  }

  has(conversationId: string): boolean {
    return this.#turns.has(conversationId);
  }

  add(conversationId: string, wake: () => void): WaitingTurn {
    const turn = { wake, asleep: false };
    this.#turns.set(conversationId, turn);
    return {
      sleeps: (asleep) => {
        turn.asleep = asleep;
        if (!asleep) return;
        this.#free();
        this.onSleep();
      },
      ends: () => this.#turns.delete(conversationId),
    };
  }

  /** False if no turn waits in this conversation. */
  wake(conversationId: string): boolean {
    const turn = this.#turns.get(conversationId);
    if (turn === undefined) return false;
    turn.asleep = false;
    turn.wake();
    return true;
  }
}
