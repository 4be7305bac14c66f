/** A platform gets its response before it gives up, and the work goes on. */
import { expect, test } from 'vitest';
import { acknowledgedInTime } from '../../../../src/channels/kit/in-time.js';
import { FakeClock } from '../../../../src/testing/index.js';

test('what is recorded in time is acknowledged with its result', async () => {
  await expect(acknowledgedInTime(new FakeClock(), Promise.resolve('recorded'))).resolves.toBe('recorded');
  const failed = Promise.reject(new Error('The store is down.'));
  await expect(acknowledgedInTime(new FakeClock(), failed)).rejects.toThrow('The store is down.');
});

test('what takes too long is answered with "not now", unless there is another answer', async () => {
  const clock = new FakeClock();
  const slow = new Promise<string>(() => {});
  const answers = Promise.all([
    expect(acknowledgedInTime(clock, slow)).rejects.toMatchObject({
      code: 'store-unavailable',
      details: { status: 503 },
    }),
    expect(acknowledgedInTime(clock, slow, () => undefined)).rejects.toThrow('It was not recorded within 2500 ms.'),
    expect(acknowledgedInTime(clock, slow, () => 'enough')).resolves.toBe('enough'),
  ]);
  await clock.advance(2_500);
  await answers;
});
