/**
 * The machine's clock, timers and random ids: the only room that takes them. Everything else is given a `Clock`.
 */
import { randomFillSync } from 'node:crypto';

export interface Clock {
  /** Wall time in ms. Only the memory and SQLite stores ask for it; Redis has a time of its own. */
  now(): number;
  /** Time in ms that never goes back, for measuring. */
  elapsed(): number;
  /** Calls `work` after `ms`. The timer does not keep the process alive. Returns what cancels it. */
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

const random = Buffer.alloc(16 * 128);
let used = random.length;
const digits = Buffer.from('0123456789abcdef');
const uuid = Buffer.from('00000000-0000-0000-0000-000000000000');
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/**
 * An id that cannot be guessed, a UUID of version 4. Made here because `randomUUID()` gives a text of a dozen linked
 * pieces, and ids are kept, compared and counted for every message.
 */
export function randomId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  random[used + 6] = ((random[used + 6] as number) & 0x0f) | 0x40; // version 4
  random[used + 8] = ((random[used + 8] as number) & 0x3f) | 0x80;
  for (let i = 0; i < 16; i += 1) {
    const byte = random[used + i] as number;
    const place = places[i] as number;
    uuid[place] = digits[byte >> 4] as number;
    uuid[place + 1] = digits[byte & 0x0f] as number;
  }
  used += 16;
  return uuid.toString('latin1');
}

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Keeps the process alive until the function it returns is called: the timers of a `Clock` do not. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}

/** Lets everything that is ready to run do so, once. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
