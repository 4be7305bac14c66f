/**
 * The machine's clock, timers and random ids. No other room takes them; all others are given a `Clock`.
 */
import { randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';

export interface Clock {
  /** Wall-clock time in ms. Only the memory and SQLite stores read it; Redis uses its server's time. */
  now(): number;
  /** Monotonic time in ms, for measuring durations. */
  elapsed(): number;
  /** Calls `work` after `ms`. The timer does not keep the process alive. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

const random = new Uint8Array(16 * 1024);
let used = random.length;
const digits = new TextEncoder().encode('0123456789abcdef');
const high = (at: number): number => digits[(random[at] as number) >> 4] as number;
const low = (at: number): number => digits[(random[at] as number) & 0x0f] as number;

/**
 * An id that cannot be guessed, a UUID of version 4. Made here because `randomUUID()` gives a text of a dozen linked
 * pieces, and ids are kept, compared and counted for every message. All signs in one call: that is one piece, in half
 * the time of a buffer that is read as text.
 */
export function randomId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const at = used;
  used += 16;
  random[at + 6] = ((random[at + 6] as number) & 0x0f) | 0x40; // version 4
  random[at + 8] = ((random[at + 8] as number) & 0x3f) | 0x80;
  // biome-ignore format: as it reads
  return String.fromCharCode(
    high(at), low(at), high(at + 1), low(at + 1), high(at + 2), low(at + 2), high(at + 3), low(at + 3), 45,
    high(at + 4), low(at + 4), high(at + 5), low(at + 5), 45, high(at + 6), low(at + 6), high(at + 7), low(at + 7), 45,
    high(at + 8), low(at + 8), high(at + 9), low(at + 9), 45, high(at + 10), low(at + 10), high(at + 11), low(at + 11),
    high(at + 12), low(at + 12), high(at + 13), low(at + 13), high(at + 14), low(at + 14), high(at + 15), low(at + 15),
  );
}

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Keeps the process alive until the returned function is called. The timers of a `Clock` do not. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}

/** Resolves after everything that is ready now has run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
