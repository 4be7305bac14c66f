/**
 * The time a turn may take, and the other reasons to stop it. What it still does afterwards counts for nothing.
 */
import { AgentError } from '../core/errors.js';
import type { Hold } from './hold.js';
import type { House } from './house.js';
import { Stop } from './stop.js';
import { turns } from './turn.js';

const soon = Promise.resolve();

/** What comes after the work; neither of them throws. */
interface After<T> {
  readonly done: (result: T) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Runs the work until it ends, its time is over, the conversation is lost, or this process wants to stop; then calls what
 * comes after, once.
 */
export function limited<T>(house: House, hold: Hold, work: (stop: Stop) => T | Promise<T>, after: After<T>): void {
  const limit = house.settings.turnLimit;
  let isOver = false;
  /** Whether this is the first end. */
  const over = (): boolean => {
    if (isOver) return false;
    isOver = true;
    cancel();
    hold.ended(stop);
    return true;
  };
  const told = (reason: AgentError): void => {
    // whoever stops it may be the turn itself, and has not finished: what comes after is no part of either
    if (over()) turns.outside(() => void Promise.resolve(reason).then(after.failed));
  };
  let left = limit;
  let waits = 0; // a turn may wait for several people at once
  const stop = new Stop(told, (waiting) => {
    const now = house.clock.elapsed();
    waits += waiting ? 1 : -1;
    if (waits !== (waiting ? 1 : 0)) return;
    if (waiting) {
      cancel();
      left -= now - since;
    } else {
      since = now;
      cancel = house.clock.after(Math.max(1, left), late);
    }
  });
  const late = (): void => {
    const advice = 'Pass input.signal on to what you await.';
    stop.because(
      new AgentError(
        'turn-limit',
        `The turn ran longer than ${limit} ms (settings.turnLimit) and was stopped. ${advice}`,
      ),
    );
  };
  const deadline = house.turnLimits.set(late);
  let since = deadline.at - limit;
  let cancel = (): void => void deadline.callOff();
  hold.began(stop);
  if (isOver) return; // it was stopped before
  const done = (result: T): void => {
    if (over()) after.done(result);
  };
  const failed = (error: unknown): void => {
    if (over()) after.failed(error);
  };
  try {
    const working = work(stop);
    // never in the same breath: conversations that come together do the same next step together, which is faster
    if (working instanceof Promise) working.then(done, failed);
    else void soon.then(() => done(working));
  } catch (error) {
    failed(error);
  }
}
