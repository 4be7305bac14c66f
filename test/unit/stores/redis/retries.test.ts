/** A step that finds another record each time it is tried: how often, how soon, and what its caller is told. */
import { expect, test } from 'vitest';
import { Conversations } from '../../../../src/stores/redis/conversations.js';
import { Keys } from '../../../../src/stores/redis/keys.js';
import { encodeHead } from '../../../../src/stores/redis/plan.js';
import { missed, stampSize } from '../../../../src/stores/redis/script.js';
import { type Asker, Batch, type StepBatches } from '../../../../src/stores/redis/transport/batches.js';
import { Changes } from '../../../../src/stores/rules/changes.js';
import { ConversationRecord } from '../../../../src/stores/rules/record.js';
import type { Rule } from '../../../../src/stores/rules/rule.js';

const patience = 4_000;

/** A server at which somebody else was faster, so many times. */
function contended(times: number) {
  const pauses: number[] = [];
  let tries = 0;
  let elapsed = 1;
  const add = (_: Batch, step: Asker): void => {
    tries += 1;
    const record = new ConversationRecord('i', 1);
    record.stamp = String(tries).padStart(stampSize, '0');
    const found = encodeHead(record);
    queueMicrotask(() => step.answered(tries > times ? 1 : [1, missed, found]));
  };
  const batch = (script: string, group: string) => new Batch(script, group, false, '');
  const batches = { add, batch, gather: (work: () => void) => work() };
  const clock = {
    now: () => 1,
    elapsed: () => elapsed,
    after: (ms: number, work: () => void) => {
      pauses.push(ms);
      elapsed += ms;
      queueMicrotask(work);
      return () => {};
    },
  };
  const conversations = new Conversations(
    new Keys('p'),
    { batches: batches as unknown as StepBatches, error: (error) => error }, // what is used of them
    clock,
    patience,
  );
  const rule: Rule<string, string> = {
    name: () => 'test',
    needs: () => ({}),
    apply: (record) => {
      const changes = new Changes(1);
      changes.isRecordChanged = true;
      return { record: (record ?? new ConversationRecord('i', 1)).copy(), changes, answer: 'done' };
    },
  };
  const run = () => conversations.run('c', rule, 'call');
  return { run, pauses, tries: () => tries, elapsed: () => elapsed };
}

test('a step that others forestall a few times is tried at once, then after pauses that grow, and is done', async () => {
  const { run, pauses, tries } = contended(12);
  expect(await run()).toBe('done');
  expect(tries()).toBe(13);
  expect(pauses).toHaveLength(10);
  expect(pauses.every((pause, i) => pause >= 0 && pause <= 2 ** (i + 1))).toBe(true);
});

test('a step that others forestall for ever is given up after some seconds, and its caller is told to try again', async () => {
  const { run, pauses, tries, elapsed } = contended(Number.POSITIVE_INFINITY);
  await expect(run()).rejects.toMatchObject({
    code: 'store-unavailable',
    message: expect.stringMatching(/nothing of it was done\. Try again/) as string,
  });
  expect(elapsed()).toBeGreaterThan(patience);
  expect(elapsed()).toBeLessThanOrEqual(1 + patience + 250);
  expect(tries()).toBeGreaterThan(patience / 250);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(250);
});
