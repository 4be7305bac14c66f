/** A step that finds another record each time it is tried: how often, how soon, and what its caller is told. */
import { expect, test } from 'vitest';
import { ConversationRecord } from '../../src/stores/lifecycle/record.js';
import { encodeRecord } from '../../src/stores/lifecycle/record-text.js';
import { OptimisticApply } from '../../src/stores/redis/apply.js';
import { Keys } from '../../src/stores/redis/keys.js';
import { missed, stampSize } from '../../src/stores/redis/script.js';
import { type Asker, Batch, type StepBatches } from '../../src/stores/redis/transport/batches.js';
import { Packer } from '../../src/stores/redis/transport/pack.js';

/** A server at which somebody else was faster, so many times. */
function contended(times: number) {
  const pauses: number[] = [];
  let tries = 0;
  const add = (_: Batch, step: Asker): void => {
    tries += 1;
    const found = String(tries).padStart(stampSize, '0') + encodeRecord(new ConversationRecord('i', 1));
    queueMicrotask(() => step.answered(tries > times ? 1 : [1, missed, found]));
  };
  const batches = { add, batch: (script: string, group: string) => new Batch(script, group, new Packer()) };
  const clock = {
    now: () => 1,
    elapsed: () => 1,
    after: (ms: number, work: () => void) => {
      pauses.push(ms);
      queueMicrotask(work);
      return () => {};
    },
  };
  const transport = { batches: batches as unknown as StepBatches, isCluster: false }; // what apply uses of them
  const apply = new OptimisticApply(
    new Keys('p'),
    () => transport,
    (error) => error,
    clock,
  );
  const run = () =>
    apply.run(
      'c',
      (record) => {
        const changed = (record ?? new ConversationRecord('i', 1)).copy();
        return { record: changed, isChanged: true, answer: 'done' };
      },
      { name: 'test', lateness: 1_000, mayBeNew: false, isUrgent: false },
    );
  return { run, pauses, tries: () => tries };
}

test('a step that others forestall a few times is tried at once, then after pauses that grow, and is done', async () => {
  const { run, pauses, tries } = contended(12);
  expect(await run()).toBe('done');
  expect(tries()).toBe(13);
  expect(pauses).toHaveLength(10);
  expect(pauses.every((pause, i) => pause >= 0 && pause <= 2 ** (i + 1))).toBe(true);
});

test('a step that others forestall for ever is given up after some seconds, and its caller is told to try again', async () => {
  const { run, pauses, tries } = contended(Number.POSITIVE_INFINITY);
  await expect(run()).rejects.toMatchObject({
    code: 'store-unavailable',
    message: expect.stringMatching(/nothing of it was done\. Try again/) as string,
  });
  expect(tries()).toBe(101);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(250);
});
