/** What the tests of all stores share. */
import type { Clock } from '../../src/machine/clock.js';

/** A store's logger that says nothing. */
export const silent = { warn: () => {}, debug: () => {} };

/** A clock that stands still until it is moved. */
export function standing(start = 1_700_000_000_000): Clock & { time: number } {
  const clock = { time: start, now: () => clock.time, elapsed: () => clock.time, after: () => () => {} };
  return clock;
}
