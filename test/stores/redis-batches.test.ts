/** Steps that share a call: whatever becomes of the call, each of them hears of it, and the next ones leave. */
import { expect, test } from 'vitest';
import { BusyPoll } from '../../src/machine/busy-poll.js';
import { StepBatches } from '../../src/stores/redis/transport/batches.js';
import { Packer } from '../../src/stores/redis/transport/pack.js';
import type { Runner } from '../../src/stores/redis/transport/runner.js';
import { unpacked } from '../support/msgpack.js';

/** What Redis would be asked, answered by the test. */
function steps(run: (packed: unknown) => Promise<unknown>, busyPoll = new BusyPoll(false)) {
  const runner = {
    call: (
      _script: string,
      _keys: string[],
      [packed]: Buffer[],
      answered: (answer: unknown) => void,
      failed: (error: unknown) => void,
    ) => void run(unpacked(packed?.toString('latin1') ?? '')).then(answered, failed),
    flush: () => {},
  } as unknown as Runner;
  const batches = new StepBatches(runner, busyPoll);
  return (name = 'step', group = '') =>
    new Promise<unknown>((answered, failed) => {
      const batch = batches.batch('script', group);
      batch.packer.text(name);
      batches.add(batch, { answered, failed });
    });
}

test('a call that fails is told to every step, and the next step leaves at once again', async () => {
  let calls = 0;
  const step = steps(() => {
    calls += 1;
    return calls <= 2 ? Promise.reject(new Error('away')) : Promise.resolve(['answer']);
  });
  const told = await Promise.allSettled([step(), step(), step()]);
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const answer = step();
  expect(calls).toBe(3);
  expect(await answer).toBe('answer');
});

test.each([
  ['no list', null],
  ['a list for fewer', []],
])('an answer that is %s: every step hears of it', async (_what, answer) => {
  const step = steps(() => Promise.resolve(answer));
  expect(await Promise.all([step(), step()])).toEqual([undefined, undefined]);
});

test('steps of one tick share a call in their order, and those of another group do not', async () => {
  const calls: unknown[] = [];
  const step = steps(async (packed) => {
    calls.push(packed);
    return packed;
  });
  const all = [step('first'), step('a'), step('b', 'other'), step('c'), step('d', 'other')];
  expect(await Promise.all(all)).toEqual(['first', 'a', 'b', 'c', 'd']);
  expect(calls).toEqual([['first'], ['a', 'c'], ['b', 'd']]);
});

test('the process busy-polls while a call is under way, whatever becomes of it', async () => {
  const heard: string[] = [];
  const busyPoll = { sent: () => heard.push('sent'), answered: () => heard.push('answered') } as unknown as BusyPoll;
  let fail = (_error: Error): void => {};
  const step = steps(() => new Promise((_, reject) => (fail = reject)), busyPoll);
  const first = step();
  expect(heard).toEqual(['sent']);
  fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  expect(heard).toEqual(['sent', 'answered']);
});

test.each([
  [
    'short and long strings',
    ['', 'a', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(40), 'x'.repeat(300), 'x'.repeat(70_000)],
  ],
  ['characters of more than one byte', ['ä', 'ä'.repeat(20), '你好 🙂', '\u0000\u007f\u0080']],
  ['lists of any length', [[], Array.from({ length: 15 }, () => 'i'), Array.from({ length: 16 }, () => 'i')]],
  ['numbers', [0, 1, 127, 128, 1_000, 1.5, 2 ** 40, -1]],
])('packs %s', (_what, values) => {
  const packer = new Packer();
  const pack = (value: unknown): void => {
    if (typeof value === 'string') packer.text(value);
    else if (typeof value === 'number') packer.number(value);
    else packer.texts(value as string[]);
  };
  for (let round = 0; round < 2; round += 1) {
    for (const value of values) pack(value);
    expect(unpacked(packer.taken(values.length).toString('latin1'))).toEqual(values);
  }
});
