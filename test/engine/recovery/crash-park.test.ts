/**
 * onCrash: 'park': where a repeat is worse than a stop, the case goes to a person instead of running again.
 */
import { expect, test } from 'vitest';
import { agent, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { leaseAndSweep, ledger, never, settle } from '../../support/engine.js';

/** Pays, then does what the test says for this run: nothing, throw, or hang until the process dies. */
function careful(runs: readonly ('ok' | 'throw' | 'hang')[]) {
  const book = ledger();
  const support = agent('support');
  const refund = support.question('refund', text('Order?', { pattern: /^\d+$/ }), {
    onCrash: 'park',
    onAnswer: async (order, { effectKey, attempt }) => {
      const said = book.pay(effectKey, order, attempt);
      const run = runs[book.calls.length - 1];
      if (run === 'throw') throw new Error('the bank hung up');
      return run === 'hang' ? never() : said;
    },
  });
  support.onMessage(({ message, ask }) => (message === 'refund' ? ask(refund) : 'hello'));
  return { support, book };
}

test("onCrash 'park': a crash after the decision parks the case instead of running the continuation", async () => {
  const { support, book } = careful(['ok']);
  const rehearsal = await rehearse({ agents: [support] });
  const user = rehearsal.human('user');
  await user.says('refund');
  rehearsal.crash('decision');
  await user.says('12345');
  await rehearsal.restart();
  await rehearsal.clock.advance(leaseAndSweep);
  expect(book.calls).toEqual([]);
  expect((await rehearsal.registry.parked()).items).toMatchObject([{ failure: { code: 'may-have-happened' } }]);
});

test("onCrash 'park': a crash in the continuation parks it, and the next message goes on", async () => {
  const { support, book } = careful(['hang', 'ok']);
  const rehearsal = await rehearse({ agents: [support] });
  const user = rehearsal.human('user');
  await user.says('refund');
  const said = user.says('12345');
  await settle();
  rehearsal.crash();
  await said;
  await rehearsal.restart();
  await rehearsal.clock.advance(leaseAndSweep);
  expect(book.calls).toHaveLength(1);
  user.sees();
  expect(await user.says('thank you!')).toEqual(['hello']);
});

test("onCrash 'park': a continuation that throws is parked at once, not repeated", async () => {
  const { support, book } = careful(['throw', 'ok']);
  const rehearsal = await rehearse({ agents: [support], failures: 'collect' });
  const user = rehearsal.human('user');
  await user.says('refund');
  await user.says('12345');
  await rehearsal.clock.advance(10 * 60_000);
  expect(book.calls).toHaveLength(1);
  expect((await rehearsal.registry.parked()).items).toMatchObject([{ failure: { message: 'the bank hung up' } }]);
});

test("onCrash 'park': the operator's retry runs it once, with the same key and a higher attempt", async () => {
  const { support, book } = careful(['throw', 'ok']);
  const rehearsal = await rehearse({ agents: [support], failures: 'collect' });
  const user = rehearsal.human('user');
  await user.says('refund');
  await user.says('12345');
  const [parked] = (await rehearsal.registry.parked()).items;
  expect(await rehearsal.registry.retry(parked?.id ?? '')).toMatchObject({ type: 'accepted' });
  expect(book.calls.map((call) => call.attempt)).toEqual([1, 2]);
  expect(book.paid.size).toBe(1);
  expect((await rehearsal.registry.parked()).items).toEqual([]);
});

test("onCrash 'park': an operator's retry that throws is parked again, not repeated by itself", async () => {
  const { support, book } = careful(['throw', 'throw', 'ok']);
  const rehearsal = await rehearse({ agents: [support], failures: 'collect' });
  const user = rehearsal.human('user');
  await user.says('refund');
  await user.says('12345');
  const [parked] = (await rehearsal.registry.parked()).items;
  void rehearsal.registry.retry(parked?.id ?? '');
  await rehearsal.clock.advance(10 * 60_000);
  expect(book.calls).toHaveLength(2);
  expect((await rehearsal.registry.parked()).items).toHaveLength(1);
});

test("onCrash 'park': a crash in the operator's retry parks it again, it does not run by itself", async () => {
  const { support, book } = careful(['throw', 'hang', 'ok']);
  const rehearsal = await rehearse({ agents: [support], failures: 'collect' });
  const user = rehearsal.human('user');
  await user.says('refund');
  await user.says('12345');
  const [parked] = (await rehearsal.registry.parked()).items;
  void rehearsal.registry.retry(parked?.id ?? '');
  await settle();
  rehearsal.crash();
  await rehearsal.restart();
  await rehearsal.clock.advance(leaseAndSweep);
  expect(book.calls).toHaveLength(2);
  expect((await rehearsal.registry.parked()).items).toHaveLength(1);
});

test("onCrash 'park': an expiry hook is not repeated after a crash either", async () => {
  const closed: string[] = [];
  const support = agent('support');
  const refund = support.question('refund', text('Order?'), {
    onCrash: 'park',
    expiresIn: 1_000,
    onAnswer: () => 'thanks',
    onClosed: (_, why) => {
      closed.push(why);
      return never();
    },
  });
  support.onMessage(({ ask }) => ask(refund));
  const rehearsal = await rehearse({ agents: [support] });
  await rehearsal.human('user').says('refund');
  const passed = rehearsal.clock.advance(10_000);
  await settle();
  expect(closed).toEqual(['expired']);
  rehearsal.crash();
  await passed;
  await rehearsal.restart();
  await rehearsal.clock.advance(leaseAndSweep);
  expect(closed).toEqual(['expired']);
  expect((await rehearsal.registry.parked()).items).toMatchObject([{ failure: { code: 'may-have-happened' } }]);
});
