/**
 * onCrash: 'park' for an answer that a turn waits for: what was told to the author's code is not acted upon a second time unless a
 * person says so, wherever the question was put.
 */
import { describe, expect, test } from 'vitest';
import { agent, confirm } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { leaseAndSweep, never, settle } from '../../support/engine.js';

type Run = 'ok' | 'throw' | 'hang' | 'caught';

/** Asks and waits, here or in another conversation, pays, then does what the test says for this run. */
async function paying(where: 'here' | 'elsewhere', runs: readonly Run[]) {
  const paid: string[] = [];
  const support = agent('support');
  support.onMessage(async ({ message, askAndWait, attempt }) => {
    if (message !== 'refund') return 'hello';
    const question = confirm('Refund 48 EUR?');
    const asked =
      where === 'here'
        ? askAndWait(question, { onCrash: 'park' })
        : rehearsal.registry.askAndWait(question, { channel: 'rehearsal', to: 'boss', onCrash: 'park' });
    const outcome = runs[paid.length] === 'caught' ? await asked.catch(() => undefined) : await asked;
    paid.push(`${outcome?.status} ${attempt}`);
    const run = runs[paid.length - 1];
    if (run === 'throw') throw new Error('the bank hung up');
    return run === 'hang' ? never() : 'Paid.';
  });
  const rehearsal = await rehearse({ agents: [support], failures: 'collect' });
  const user = rehearsal.human('user');
  const boss = rehearsal.human('boss');
  const approver = where === 'here' ? user : boss;
  const { registry } = rehearsal;
  void user.says('refund');
  await settle();
  const parks = async () => (await rehearsal.registry.parked()).items.map(({ failure }) => failure.code);
  return { rehearsal, registry, user, approver, paid, parks };
}

describe.each(['here', 'elsewhere'] as const)('a turn that waits %s with onCrash park', (where) => {
  test('is parked at once where its code fails after the answer', async () => {
    const { rehearsal, approver, paid, parks } = await paying(where, ['throw', 'ok']);
    await approver.says('yes');
    await rehearsal.clock.advance(10 * 60_000);
    expect(paid).toEqual(['answered 1']);
    expect(await parks()).toEqual(['Error']);
  });

  test('does not act on the answer again after a crash', async () => {
    const { rehearsal, approver, paid, parks } = await paying(where, ['hang', 'ok']);
    void approver.says('yes');
    await settle();
    rehearsal.crash();
    await rehearsal.restart();
    await rehearsal.clock.advance(leaseAndSweep);
    expect(paid).toEqual(['answered 1']);
    expect(await parks()).toEqual(['may-have-happened']);
  });

  test('is parked although its code caught the refusal to act again', async () => {
    const { rehearsal, approver, paid, parks } = await paying(where, ['hang', 'caught']);
    void approver.says('yes');
    await settle();
    rehearsal.crash();
    await rehearsal.restart();
    await rehearsal.clock.advance(leaseAndSweep);
    expect(paid).toEqual(['answered 1', 'undefined 2']);
    expect(await parks()).toEqual(['may-have-happened']);
  });

  test('goes on by itself where the process died before the answer', async () => {
    const { rehearsal, approver, paid, parks } = await paying(where, ['ok']);
    rehearsal.crash();
    await rehearsal.restart();
    await rehearsal.clock.advance(leaseAndSweep);
    await approver.says('yes');
    await rehearsal.clock.advance(leaseAndSweep);
    expect(paid).toEqual(['answered 2']);
    expect(await parks()).toEqual([]);
  });

  test('goes on by itself where the answer came while no process ran', async () => {
    const { rehearsal, approver, paid, parks } = await paying(where, ['ok']);
    rehearsal.crash();
    await rehearsal.restart();
    await approver.says('yes');
    await rehearsal.clock.advance(leaseAndSweep);
    expect(paid).toEqual(['answered 2']);
    expect(await parks()).toEqual([]);
  });

  test('runs once more by an operator’s retry, and is parked again if that dies', async () => {
    const { rehearsal, approver, paid, parks } = await paying(where, ['throw', 'hang', 'ok']);
    await approver.says('yes');
    const [first] = (await rehearsal.registry.parked()).items;
    void rehearsal.registry.retry(first?.id ?? '').catch(() => undefined);
    await settle();
    rehearsal.crash();
    await rehearsal.restart();
    await rehearsal.clock.advance(leaseAndSweep);
    expect(paid).toEqual(['answered 1', 'answered 2']);
    expect(await parks()).toEqual(['may-have-happened']);
    const [second] = (await rehearsal.registry.parked()).items;
    expect(await rehearsal.registry.retry(second?.id ?? '')).toMatchObject({ type: 'ordinary' });
    expect(paid).toHaveLength(3);
    expect(await parks()).toEqual([]);
  });
});
