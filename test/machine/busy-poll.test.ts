/** Awake for an answer that comes at once: a moment long, and not where answers are slow. */
import { expect, test } from 'vitest';
import { BusyPoll } from '../../src/machine/busy-poll.js';

/** An event loop that takes 10 µs a round, and goes round while it is asked to. */
function looping({ shared = true, wanted = true } = {}) {
  const waiting: (() => void)[] = [];
  const loop = { time: 0, elapsed: () => loop.time, round: (work: () => void) => void waiting.push(work), shared };
  const awake = new BusyPoll(wanted, loop);
  /** How many rounds it goes within so many µs. */
  const rounds = (within: number): number => {
    let gone = 0;
    for (const end = loop.time + within / 1_000; loop.time < end; loop.time += 0.01) {
      const due = waiting.splice(0);
      if (due.length > 0) gone += 1;
      for (const work of due) work();
    }
    return gone;
  };
  return { awake, rounds, asked: () => waiting.length };
}

test('it goes round until the answer is there', () => {
  const { awake, rounds, asked } = looping();
  awake.sent();
  expect(rounds(50)).toBeGreaterThanOrEqual(5);
  awake.answered();
  expect(rounds(500)).toBe(1);
  expect(asked()).toBe(0);
});

test('while one of several answers is missing it stays awake, and one round is asked for at a time', () => {
  const { awake, rounds, asked } = looping();
  awake.sent();
  awake.sent();
  expect(asked()).toBe(1);
  rounds(50);
  awake.answered();
  expect(rounds(50)).toBeGreaterThanOrEqual(5);
  awake.answered();
  expect(rounds(500)).toBe(1);
});

test('an answer that does not come at once is not waited for', () => {
  const { awake, rounds, asked } = looping();
  awake.sent();
  expect(rounds(10_000)).toBeLessThanOrEqual(21);
  expect(asked()).toBe(0);
});

test('where answers are slow, only one of 65 is waited for', () => {
  const { awake, rounds } = looping();
  const call = (): boolean => {
    awake.sent();
    const stayed = rounds(1_000) > 0;
    awake.answered();
    return stayed;
  };
  const first = Array.from({ length: 100 }, call);
  expect(first.filter(Boolean).length).toBeLessThanOrEqual(7);
  for (let i = 0; i < 400; i += 1) call();
  const later = Array.from({ length: 650 }, call);
  expect(later.filter(Boolean)).toHaveLength(10);
});

test('once answers are quick again, each is waited for again', () => {
  const { awake, rounds } = looping();
  const call = (micros: number): boolean => {
    awake.sent();
    const stayed = rounds(micros) > 0;
    awake.answered();
    rounds(100);
    return stayed;
  };
  for (let i = 0; i < 1_000; i += 1) call(1_000);
  let slept = 0;
  while (slept < 65 && !call(50)) slept += 1;
  expect(slept).toBeLessThanOrEqual(64);
  expect(Array.from({ length: 100 }, () => call(50)).every(Boolean)).toBe(true);
  call(1_000);
  expect([call(50), call(50), call(50)]).toEqual([false, true, true]);
});

test.each([
  ['on the only processor, which whoever answers may need', { shared: false }],
  ['where that is not wanted', { wanted: false }],
])('%s it sleeps', (_where, how) => {
  const { awake, asked } = looping(how);
  awake.sent();
  expect(asked()).toBe(0);
});
