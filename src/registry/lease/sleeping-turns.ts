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

  #asleep = 0;

  /** How many turns do nothing but wait. */
  get asleep(): number {
    return this.#asleep;
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
        this.#set(turn, isAsleep);
        if (isAsleep) for (const listener of this.#listeners) listener();
      },
      ends: () => {
        this.#set(turn, false);
        this.#turns.delete(conversationId);
      },
    };
  }

  #set(turn: { isAsleep: boolean }, isAsleep: boolean): void {
    if (turn.isAsleep !== isAsleep) this.#asleep += isAsleep ? 1 : -1;
    turn.isAsleep = isAsleep;
  }

  /** False if no turn waits in this conversation. */
  wake(conversationId: string): boolean {
    const turn = this.#turns.get(conversationId);
    if (turn === undefined) return false;
    this.#set(turn, false);
    turn.wake();
    return true;
  }
}
