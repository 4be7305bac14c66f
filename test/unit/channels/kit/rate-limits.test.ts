/** A platform that wants a pause gets it: a short one is waited for, a long one is left to the outbox. */
import { expect, test } from 'vitest';
import { RateLimits } from '../../../../src/channels/kit/rate-limits.js';
import { FakeClock } from '../../../../src/testing/index.js';

/** A call that is limited at first, for so many ms. */
function limited(clock: FakeClock, wait: number) {
  const limits = new RateLimits(clock, 'Pager');
  let calls = 0;
  const call = async (): Promise<string> => {
    limits.assertFree('T1 page', 'page');
    calls += 1;
    if (calls === 1) throw limits.note('T1 page', 'page', wait);
    return 'paged';
  };
  return { limits, call, calls: () => calls };
}

test('a short pause is waited for, and the call is made once more', async () => {
  const clock = new FakeClock();
  const { limits, call, calls } = limited(clock, 2_000);
  const paged = limits.patiently(call);
  await clock.advance(1_999);
  expect(calls()).toBe(1);
  await clock.advance(1);
  expect([await paged, calls()]).toEqual(['paged', 2]);
});

test('a long pause rejects at once, and nothing of that kind is sent before it is over', async () => {
  const clock = new FakeClock();
  const { limits, call, calls } = limited(clock, 30_000);
  await expect(limits.patiently(call)).rejects.toThrow('Pager limits page: it is called again after 30 s.');
  await clock.advance(10_000);
  await expect(limits.patiently(call)).rejects.toThrow('it is called again after 20 s.');
  expect(calls()).toBe(1);
  expect(() => limits.assertFree('T2 page', 'page')).not.toThrow();
  await clock.advance(20_000);
  expect(await limits.patiently(call)).toBe('paged');
});

test('another failure is not repeated', async () => {
  const limits = new RateLimits(new FakeClock(), 'Pager');
  let calls = 0;
  const failing = async () => {
    calls += 1;
    throw new Error('no');
  };
  await expect(limits.patiently(failing)).rejects.toThrow('no');
  expect(calls).toBe(1);
});
