/** Steps that share a call: whatever becomes of the call, each of them hears of it, and the next ones leave. */
import { expect, test } from 'vitest';
import { BusyPoll } from '../../../../src/machine/busy-poll.js';
import { StepText } from '../../../../src/stores/redis/plan.js';
import { StepBatches } from '../../../../src/stores/redis/transport/batches.js';
import type { Runner } from '../../../../src/stores/redis/transport/runner.js';

/** What Redis would be asked, answered by the test. */
function steps(run: (names: readonly string[]) => Promise<unknown>, busyPoll = new BusyPoll(false)) {
  const runner = {
    call: (
      _script: string,
      _keys: string[],
      [, , ...args]: string[],
      answered: (answer: unknown) => void,
      failed: (error: unknown) => void,
    ) => void run(args.filter((_, i) => i % 2 === 1)).then(answered, failed),
    flush: () => {},
    clientPrefix: '',
  } as unknown as Runner;
  const batches = new StepBatches(runner, busyPoll, true);
  return (name = 'step', group = '') =>
    new Promise<unknown>((answered, failed) => {
      const batch = batches.batch('script', group);
      batch.text.parts.push(name);
      batch.text.end(batch.args);
      batches.add(batch, { answered: (answer) => (answer instanceof Error ? failed(answer) : answered(answer)) });
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

/** As struct.unpack and the script read it. */
function unpacked(args: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < args.length; i += args[i] === '+' ? 1 : 2) {
    if (args[i] === '+') continue;
    const bytes = Buffer.from(args[i + 1] ?? '');
    let at = 0;
    for (const [, sign, length] of (args[i] ?? '').matchAll(/([cs])(\d*)/g)) {
      const end = sign === 's' ? bytes.indexOf(0, at) : at + Number(length);
      found.push(bytes.toString('utf8', at, end));
      at = sign === 's' ? end + 1 : end;
    }
    expect(at).toBe(bytes.length);
  }
  return found;
}

test.each([
  ['short, long and empty strings', ['', 'a', 'x'.repeat(300), '', 'x'.repeat(70_000), '']],
  ['characters of more than one byte', ['ä', 'ä'.repeat(20), '', '你好 🙂', '\u0000\u007f\u0080', '\u0000']],
  ['more strings than Lua takes at once', Array.from({ length: 9_001 }, (_, i) => (i % 3 === 0 ? '' : `ä${i}`))],
])('a step of %s is read as it was written', (_what, parts) => {
  const args: string[] = [];
  const text = new StepText([], false, '');
  text.parts.push(...parts);
  text.end(args);
  expect(unpacked(args)).toEqual(parts);
});
