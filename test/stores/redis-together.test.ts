/** Steps that share a call: whatever becomes of the call, each of them gets an answer, and the next ones leave. */
import { expect, test } from 'vitest';
import type { Runner } from '../../src/stores/redis/runner.js';
import { Together } from '../../src/stores/redis/together.js';

/** What Redis would be asked, answered by the test. */
function together(call: () => Promise<unknown>) {
  const runner = { call, flush: () => {}, error: (error: unknown) => error } as unknown as Runner;
  const steps = new Together(runner, false);
  const read = (answer: unknown) => {
    if (answer === undefined) throw new Error('nothing to read');
    return answer;
  };
  return () => steps.step('script', 'key', 'argument', (args, text) => args.add(text), read);
}

const thrown = () => {
  throw new Error('thrown');
};

test.each([
  ['a client that throws', thrown, 'thrown'],
  ['a call that fails', () => Promise.reject(new Error('refused')), 'refused'],
  ['an answer that is no list', () => Promise.resolve(null), 'nothing to read'],
  ['an answer for fewer', () => Promise.resolve([]), 'nothing to read'],
])('%s: every step is told', async (_what, call, message) => {
  const step = together(call);
  for (let round = 0; round < 3; round += 1) {
    const told = await Promise.allSettled([step(), step(), step()]);
    for (const each of told) expect(each).toMatchObject({ status: 'rejected', reason: { message } });
  }
});

test('after a call that failed, the next step leaves at once again', async () => {
  const asked: string[] = [];
  let fails = true;
  const step = together(async () => {
    asked.push('call');
    if (fails) throw new Error('away');
    return ['answer'];
  });
  await expect(step()).rejects.toThrow('away');
  fails = false;
  const answer = step();
  expect(asked).toHaveLength(2);
  expect(await answer).toBe('answer');
});
