/**
 * The wait of a step while another process has the file of the SQLite store locked.
 */
import { type Clock, keepAlive, sleep } from '../../machine/clock.js';
import { isBusy, storeError } from './errors.js';

/** A step fails if the file stays locked for this long, in ms. */
export const longestLock = 2_000;
const retryAfter = 15;

/** Waits before the next try, and keeps the process alive meanwhile. */
export async function waitForLock(clock: Clock): Promise<void> {
  const letGo = keepAlive();
  try {
    await sleep(clock, retryAfter);
  } finally {
    letGo();
  }
}

/** Tries work until no other process locks the file, for `longestLock` at most. */
export async function withoutLock<T>(clock: Clock, path: string, work: () => T): Promise<T> {
  const since = clock.elapsed();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || clock.elapsed() - since > longestLock) throw storeError(error, path);
    }
    await waitForLock(clock);
  }
}
