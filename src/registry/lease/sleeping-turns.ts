/**
 * The turns of this process that wait: for an answer in their own conversation, or for something in another one. They keep
 * their lease; while all that they do is sleep they take no turn slot.
 */
import type { RegistryContext } from '../context.js';
import { runningTurn } from '../turn/current-turn.js';

/** One wait of a turn, as it reports itself. */
export interface TurnWait {
  sleeps(isAsleep: boolean): void;
  ends(): void;
}

interface WaitState {
  /** Called when something came in for the conversation; undefined for a wait in another one. */
  readonly wake: (() => void) | undefined;
  isAsleep: boolean;
}

export class SleepingTurns {
  /** By conversation: the waits of its turn, which may be several at once. */
  readonly #turns = new Map<string, Set<WaitState>>();
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
  add(conversationId: string, wake?: () => void): TurnWait {
    const wait: WaitState = { wake, isAsleep: false };
    this.#change(conversationId, (waits) => waits.add(wait));
    return {
      sleeps: (isAsleep) => this.#sleeps(conversationId, wait, isAsleep),
      ends: () => this.#change(conversationId, (waits) => waits.delete(wait)),
    };
  }

  /** The turn that calls this begins to wait for another conversation; undefined outside of turns. */
  addCaller(context: RegistryContext): TurnWait | undefined {
    const turn = runningTurn(context);
    return turn && this.add(turn.conversationId);
  }

  /** False if no turn waits in this conversation for what comes in. */
  wake(conversationId: string): boolean {
    const woken = [...(this.#turns.get(conversationId) ?? [])].filter(({ wake }) => wake !== undefined);
    for (const wait of woken) {
      this.#sleeps(conversationId, wait, false);
      wait.wake?.();
    }
    return woken.length > 0;
  }

  #sleeps(conversationId: string, wait: WaitState, isAsleep: boolean): void {
    if (wait.isAsleep === isAsleep) return;
    this.#change(conversationId, () => {
      wait.isAsleep = isAsleep;
    });
  }

  /** Changes the waits of a turn, and counts it as asleep while all of them are. */
  #change(conversationId: string, change: (waits: Set<WaitState>) => void): void {
    const waits = this.#turns.get(conversationId) ?? new Set();
    const before = areAsleep(waits);
    change(waits);
    if (waits.size > 0) this.#turns.set(conversationId, waits);
    else this.#turns.delete(conversationId);
    const after = areAsleep(waits);
    if (before === after) return;
    this.#asleep += after ? 1 : -1;
    if (after) for (const listener of this.#listeners) listener();
  }
}

function areAsleep(waits: ReadonlySet<WaitState>): boolean {
  return waits.size > 0 && [...waits].every(({ isAsleep }) => isAsleep);
}
