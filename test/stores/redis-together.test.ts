/** Steps that share a call: whatever becomes of the call, each of them gets an answer, and the next ones leave. */
import { expect, test } from 'vitest';
import { BusyPoll } from '../../src/machine/busy-poll.js';
import { Together } from '../../src/stores/redis/together.js';
import type { Runner } from '../../src/stores/redis/transport/runner.js';

/** What Redis would be asked, answered by the test. */
function together(call: () => Promise<unknown>, awake = new BusyPoll(false)) {
  const runner = {
    call: (...[, , told, failed]: Parameters<Runner['call']>) => void call().then(told, failed),
    flush: () => {},
    error: (error: unknown) => error,
  } as unknown as Runner;
  const steps = new Together(runner, false, awake);
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

test('the process stays awake while a call is under way, whatever becomes of it', async () => {
  const heard: string[] = [];
  const awake = { sent: () => heard.push('sent'), answered: () => heard.push('answered') } as unknown as BusyPoll;
  const ends: ((end: 'answer' | 'fail') => void)[] = [];
  const call = () =>
    new Promise<unknown>((resolve, reject) => {
      ends.push((end) => (end === 'answer' ? resolve(['answer', 'answer']) : reject(new Error('away'))));
    });
  const step = together(call, awake);
  const first = step();
  expect(heard).toEqual(['sent']);
  const [second, third] = [step(), step()]; // which share a call
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual(['sent', 'sent']);
  ends[0]?.('fail');
  await expect(first).rejects.toThrow('away');
  expect(heard).toEqual(['sent', 'sent', 'answered']);
  ends[1]?.('answer');
  expect(await Promise.all([second, third])).toEqual(['answer', 'answer']);
  expect(heard).toEqual(['sent', 'sent', 'answered', 'answered']);
});
