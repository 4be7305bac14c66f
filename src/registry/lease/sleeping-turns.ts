/**
 * The turns of this process that wait for a person. They keep their lease; while they sleep they take no turn slot.
 */

/** A turn that waits, as it reports itself. */
export interface WaitingTurn {
  sleeps(isAsleep: boolean): void;
  ends(): void;
}

export class SleepingTurns {
  readonly #turns = new Map<string, { readonly wake: () => void; isAsleep: boolean }>();
  readonly #listeners: (() => void)[] = [];

  /** How many turns do nothing but wait. */
  get asleep(): number {
    let asleep = 0;
    for (const turn of this.#turns.values()) if (turn.isAsleep) asleep += 1;
    return asleep;
  }

  /** Whether a turn of this conversation waits. */
  has(conversationId: string): boolean {
    return this.#turns.has(conversationId);
  }

  /** Calls the listener whenever a turn falls asleep and its slot becomes free. */
  onSleep(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A turn begins to wait. `wake` is called when something came in for its conversation. */
  add(conversationId: string, wake: () => void): WaitingTurn {
    const turn = { wake, isAsleep: false };
    this.#turns.set(conversationId, turn);
    return {
      sleeps: (isAsleep) => {
        turn.isAsleep = isAsleep;
        if (isAsleep) for (const listener of this.#listeners) listener();
      },
      ends: () => this.#turns.delete(conversationId),
    };
  }

  /** False if no turn waits in this conversation. */
  wake(conversationId: string): boolean {
    const turn = this.#turns.get(conversationId);
    if (turn === undefined) return false;
    turn.isAsleep = false;
    turn.wake();
    return true;
  }
}
