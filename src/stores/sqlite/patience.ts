/**
 * How a process waits for a file that others have locked: a little, again and again, without standing still itself.
 */
import { type Clock, keepAlive, sleep } from '../../machine/clock.js';

/** How long others are waited for before a step fails. */
export const patience = 2_000;
const pause = 15;

/** Waits a moment; whoever waits keeps the process alive. */
export async function locked(clock: Clock): Promise<void> {
  const letGo = keepAlive();
  try {
    await sleep(clock, pause);
  } finally {
    letGo();
  }
}
