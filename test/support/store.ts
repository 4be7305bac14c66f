/** What the tests of all stores share. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Clock } from '../../src/machine/clock.js';

/** A store's logger that says nothing. */
export const silent = { warn: () => {}, debug: () => {} };

/** Where files are quickest, because no commit waits for a disk: for tests that are not about files. */
export const quickest = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A clock that stands still until it is moved. */
export function standing(start = 1_700_000_000_000): Clock & { time: number } {
  const clock = { time: start, now: () => clock.time, elapsed: () => clock.time, after: () => () => {} };
  return clock;
}
