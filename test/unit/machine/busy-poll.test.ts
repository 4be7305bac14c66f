/** Busy-polling: short, and backed off where answers are slow. */
import { expect, test } from 'vitest';
import { BusyPoll } from '../../../src/machine/busy-poll.js';

/** A fake event loop whose rounds take 10 µs; it runs only what was requested. */
function fakeLoop({ hasSpareCore = true, enabled = true } = {}) {
  const waiting: (() => void)[] = [];
  const loop = {
    time: 0,
    elapsed: () => loop.time,
    immediate: (work: () => void) => void waiting.push(work),
    hasSpareCore,
  };
  const poll = new BusyPoll(enabled, loop);
  /** The number of polled rounds within so many µs. */
  const rounds = (within: number): number => {
    let gone = 0;
    for (const end = loop.time + within / 1_000; loop.time < end; loop.time += 0.01) {
      const due = waiting.splice(0);
      if (due.length > 0) gone += 1;
      for (const work of due) work();
    }
    return gone;
  };
  return { poll, rounds, asked: () => waiting.length };
}

test('polls until the answer is there', () => {
  const { poll, rounds, asked } = fakeLoop();
  poll.sent();
  expect(rounds(50)).toBeGreaterThanOrEqual(5);
  poll.answered();
  expect(rounds(500)).toBe(1);
  expect(asked()).toBe(0);
});

test('polls while one of several answers is missing, with one round requested at a time', () => {
  const { poll, rounds, asked } = fakeLoop();
  poll.sent();
  poll.sent();
  expect(asked()).toBe(1);
  rounds(50);
  poll.answered();
  expect(rounds(50)).toBeGreaterThanOrEqual(5);
  poll.answered();
  expect(rounds(500)).toBe(1);
});

test('stops polling for an answer that does not come at once', () => {
  const { poll, rounds, asked } = fakeLoop();
  poll.sent();
  expect(rounds(10_000)).toBeLessThanOrEqual(21);
  expect(asked()).toBe(0);
});

test('polls for only one of 65 answers while they are slow', () => {
  const { poll, rounds } = fakeLoop();
  const call = (): boolean => {
    poll.sent();
    const stayed = rounds(1_000) > 0;
    poll.answered();
    return stayed;
  };
  const first = Array.from({ length: 100 }, call);
  expect(first.filter(Boolean).length).toBeLessThanOrEqual(7);
  for (let i = 0; i < 400; i += 1) call();
  const later = Array.from({ length: 650 }, call);
  expect(later.filter(Boolean)).toHaveLength(10);
});

test('polls for each answer again once they are quick again', () => {
  const { poll, rounds } = fakeLoop();
  const call = (micros: number): boolean => {
    poll.sent();
    const stayed = rounds(micros) > 0;
    poll.answered();
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
  ['on a single core, which the server may need', { hasSpareCore: false }],
  ['when disabled', { enabled: false }],
])('%s it never polls', (_where, how) => {
  const { poll, asked } = fakeLoop(how);
  poll.sent();
  expect(asked()).toBe(0);
});
