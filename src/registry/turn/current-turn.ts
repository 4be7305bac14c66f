/**
 * Which turn the running code belongs to, before and after every `await`. One AsyncLocalStorage knows it; nothing is
 * decided here.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../machine/clock.js';
import type { Turn } from './turn.js';

const turns = new AsyncLocalStorage<Turn | undefined>();

/** Runs the work as part of the turn; so is everything that the work starts. */
export function runTurn<T>(turn: Turn, work: () => T): T {
  return turns.run(turn, work);
}

/**
 * Runs the work as part of no turn. For what outlives the turn it is called in: a timer or a connection made there would
 * keep the turn in memory, and would run other conversations' work as part of it.
 */
export function outsideTurn<T>(work: () => T): T {
  return turns.run(undefined, work);
}

/** The turn that the caller is part of. It may have ended: work that nobody awaited stays part of it. */
export function currentTurn(): Turn | undefined {
  return turns.getStore();
}

/** The same clock; its timers run as part of no turn, whoever sets them. */
export function timersOutsideTurns(clock: Clock): Clock {
  return {
    now: clock.now.bind(clock),
    elapsed: clock.elapsed.bind(clock),
    after: (ms, work) => outsideTurn(() => clock.after(ms, work)),
  };
}
