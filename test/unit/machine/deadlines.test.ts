/** Many deadlines, one timer: each passes at its time, and a cancelled one never does. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import type { Clock } from '../../../src/machine/clock.js';
import { Deadlines } from '../../../src/machine/deadlines.js';
import { FakeClock } from '../../../src/testing/index.js';

/** A clock that counts the timers that are set. */
function counting() {
  const fake = new FakeClock();
  const counted = { timers: 0 };
  const clock: Clock = {
    now: () => fake.now(),
    elapsed: () => fake.elapsed(),
    after: (ms, work) => {
      counted.timers += 1;
      return fake.after(ms, work);
    },
  };
  return { fake, clock, counted };
}

test('deadlines pass at their times, in order', async () => {
  const { fake, clock } = counting();
  const deadlines = new Deadlines(clock, 100);
  const came: string[] = [];
  deadlines.set(() => came.push(`a at ${fake.elapsed()}`));
  await fake.advance(30);
  deadlines.set(() => came.push(`b at ${fake.elapsed()}`));
  await fake.advance(69);
  expect(came).toEqual([]);
  await fake.advance(1);
  expect(came).toHaveLength(1);
  await fake.advance(30);
  const start = fake.elapsed() - 130;
  expect(came).toEqual([`a at ${start + 100}`, `b at ${start + 130}`]);
});

test('a thousand cancelled deadlines need one timer and leave nothing behind', async () => {
  const { fake, clock, counted } = counting();
  const deadlines = new Deadlines(clock, 100);
  const came: number[] = [];
  const stays = deadlines.set(() => came.push(-1));
  for (let i = 0; i < 1_000; i += 1) deadlines.set(() => came.push(i)).cancel();
  expect(counted.timers).toBe(1);
  await fake.advance(100);
  expect(came).toEqual([-1]);
  stays.cancel(); // has passed already
  await fake.advance(1_000);
  expect([came, counted.timers]).toEqual([[-1], 1]);
});

test('a deadline may set and cancel others when it passes', async () => {
  const { fake, clock } = counting();
  const deadlines = new Deadlines(clock, 100);
  const came: string[] = [];
  deadlines.set(() => {
    came.push('first');
    second.cancel();
    deadlines.set(() => came.push('later'));
  });
  const second = deadlines.set(() => came.push('second'));
  deadlines.set(() => came.push('third'));
  await fake.advance(100);
  expect(came).toEqual(['first', 'third']);
  await fake.advance(100);
  expect(came).toEqual(['first', 'third', 'later']);
});

test.prop([fc.array(fc.record({ wait: fc.nat(60), off: fc.option(fc.nat(200)) }), { maxLength: 200 })])(
  'exactly the deadlines that are not cancelled pass, each at its own time',
  async (all) => {
    const { fake, clock } = counting();
    const deadlines = new Deadlines(clock, 100);
    const [start, came, expected]: [number, string[], string[]] = [fake.elapsed(), [], []];
    let now = 0;
    for (const [i, { wait, off }] of all.entries()) {
      await fake.advance(wait);
      now += wait;
      const deadline = deadlines.set(() => came.push(`${i} at ${fake.elapsed() - start}`));
      if (off !== null) fake.after(off, () => deadline.cancel());
      if (off === null || off > 100) expected.push(`${i} at ${now + 100}`);
    }
    await fake.advance(1_000);
    // cancelled at the very moment it passes: either may be first
    expect(came.filter((each) => all[Number(each.split(' ')[0])]?.off !== 100)).toEqual(expected);
  },
);
