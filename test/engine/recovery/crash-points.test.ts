/**
 * Every row of the design's crash point table with the memory store: the process dies after a step, another comes up,
 * and after lease + sweep the work is done: one effect at a ledger that honours keys, nothing lost.
 */
import { expect, test } from 'vitest';
import type { AgentInput, AgentResult } from '../../../src/index.js';
import { agent, BaseAgent, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { gate, leaseAndSweep, ledger, settle } from '../../support/engine.js';

function refunds(more: { onCrash?: 'park'; once?: boolean; before?: () => Promise<void> | void } = {}) {
  const book = ledger();
  const support = agent('support');
  const refund = support.question('refund', text('Order?', { pattern: /^\d+$/ }), {
    ...(more.onCrash === undefined ? {} : { onCrash: more.onCrash }),
    onAnswer: async (order, { effectKey, attempt, once }) => {
      if (more.once) return once('pay', async () => book.pay(effectKey, order, attempt));
      const said = book.pay(effectKey, order, attempt);
      await more.before?.();
      return said;
    },
  });
  support.onMessage(({ message, ask }) => (message === 'refund' ? ask(refund) : 'hello'));
  return { support, book };
}

test('received, not recorded: no success was sent, so the sender tries again and gets one question', async () => {
  const { support } = refunds();
  const { human, crash, restart, asks } = await rehearse({ agents: [support] });
  const user = human('user');
  crash();
  await expect(user.says('refund')).rejects.toThrow('crashed');
  await restart();
  expect(await user.says('refund')).toEqual(['Order?']);
  expect(await asks()).toHaveLength(1);
});

test('recorded, not acknowledged: the repeat is recognised and the turn runs once', async () => {
  const { support } = refunds();
  const { human, crash, restart, clock, asks } = await rehearse({ agents: [support] });
  const user = human('user');
  crash('take');
  expect(await user.says('refund', { id: 'event-1' })).toEqual([]);
  await restart();
  await user.says('refund', { id: 'event-1' });
  await clock.advance(leaseAndSweep);
  expect(user.sees()).toEqual(['Order?']);
  expect(await asks()).toHaveLength(1);
});

test('recorded and handled, the repeat gets the same disposition', async () => {
  const { support } = refunds();
  const { registry, stop } = await rehearse({ agents: [support] });
  const message = { id: 'event-1', conversationId: 'c1', text: 'hello' };
  const first = await registry.handle(message);
  const again = await registry.handle(message);
  expect(first.disposition).toEqual({ type: 'ordinary' });
  expect(again.disposition).toEqual(first.disposition);
  await stop();
});

test('acknowledged, no turn yet: the next process takes it by itself after lease + sweep', async () => {
  const { support } = refunds();
  const { human, crash, restart, clock } = await rehearse({ agents: [support] });
  const user = human('user');
  crash('take');
  await user.says('refund');
  await restart();
  expect(user.sees()).toEqual([]);
  await clock.advance(leaseAndSweep);
  expect(user.sees()).toEqual(['Order?']);
});

test('agent running: the turn runs again as attempt 2 and asks the same ask', async () => {
  const attempts: number[] = [];
  const ids: unknown[] = [];
  const support = agent('support');
  const hung = gate();
  support.onMessage(async ({ ask, attempt }) => {
    attempts.push(attempt);
    const asked = await ask('Order?');
    ids.push(asked.metadata?.['askId']);
    if (attempt === 1) await hung.passed;
    return asked;
  });
  const { human, crash, restart, clock, asks } = await rehearse({ agents: [support] });
  const user = human('user');
  const said = user.says('refund');
  await settle();
  crash();
  await said;
  await restart();
  await clock.advance(leaseAndSweep);
  expect(attempts).toEqual([1, 2]);
  expect(ids[1]).toBe(ids[0]);
  expect(await asks()).toHaveLength(1);
  expect(user.sees()).toEqual(['Order?']);
});

test('save done, question not sent: it is sent from the outbox by whoever has the channel', async () => {
  const { support } = refunds();
  const { human, crash, restart, clock, asks } = await rehearse({ agents: [support] });
  const user = human('user');
  crash('save');
  expect(await user.says('refund')).toEqual([]);
  await restart();
  await clock.advance(60_000 + leaseAndSweep);
  expect(user.sees()).toEqual(['Order?']);
  expect(await asks()).toHaveLength(1);
});

test('question sent and marked, then the crash: it is not sent again', async () => {
  const { support } = refunds();
  const { human, crash, restart, clock } = await rehearse({ agents: [support] });
  const user = human('user');
  crash('sent');
  expect(await user.says('refund')).toEqual(['Order?']);
  await restart();
  await clock.advance(60_000 + leaseAndSweep);
  expect(user.sees()).toEqual([]);
});

test('a rehearsal: crash() while a message is under way, restart() at once: the new process is the one that runs', async () => {
  const support = agent('support');
  const hung = gate();
  support.onMessage(({ attempt }) => (attempt === 1 ? hung.passed.then(() => 'late') : 'hello'));
  const { human, crash, restart, clock } = await rehearse({ agents: [support] });
  const user = human('user');
  void user.says('hi');
  await settle();
  crash();
  await restart();
  await clock.advance(leaseAndSweep);
  expect(user.sees()).toEqual(['hello']);
});

test('a pending ask is found after a restart, answered and continued', async () => {
  const { support, book } = refunds();
  const { human, crash, restart } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('refund');
  crash();
  await restart();
  expect(await user.says('12345')).toEqual(['Refunded 12345']);
  expect([...book.paid.values()]).toEqual(['12345']);
});

test('reply recorded, then the crash: it is read by the next process', async () => {
  const { support, book } = refunds();
  const { human, crash, restart, clock } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('refund');
  crash('take');
  await user.says('12345');
  await restart();
  await clock.advance(leaseAndSweep);
  expect(user.sees()).toEqual(['Refunded 12345']);
  expect(book.calls).toHaveLength(1);
});

test('decision written, continuation not started: the next holder starts it with the same effectKey', async () => {
  const { support, book } = refunds();
  const { human, crash, restart, clock, asks } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('refund');
  const [ask] = await asks();
  crash('decision');
  expect(await user.says('12345')).toEqual([]);
  expect(book.calls).toEqual([]);
  await restart();
  await clock.advance(leaseAndSweep);
  expect(user.sees()).toEqual(['Refunded 12345']);
  expect(book.calls).toEqual([{ key: ask?.id, attempt: 2 }]);
});

test('the decision that was written stands: who, when and what are those of the first attempt', async () => {
  const { support } = refunds();
  const rehearsal = await rehearse({ agents: [support] });
  const { human, crash, restart, clock, asks } = rehearsal;
  const user = human('user');
  await user.says('refund');
  const [ask] = await asks();
  const at = clock.now();
  crash('decision');
  await user.says('12345');
  await restart();
  await clock.advance(leaseAndSweep);
  expect(await rehearsal.registry.getAsk(ask?.id ?? '')).toMatchObject({
    status: 'answered',
    answer: '12345',
    decidedAt: new Date(at),
    decidedBy: { id: 'rehearsal:user' },
  });
});

test('effect done, not remembered: again with the same effectKey and a higher attempt, paid once', async () => {
  const hung = gate();
  let runs = 0;
  const { support, book } = refunds({
    before: () => {
      runs += 1;
      return runs === 1 ? hung.passed : undefined;
    },
  });
  const { human, crash, restart, clock } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('refund');
  const said = user.says('12345');
  await settle();
  crash();
  await said;
  await restart();
  await clock.advance(leaseAndSweep);
  expect(book.calls.map((call) => call.attempt)).toEqual([1, 2]);
  expect(new Set(book.calls.map((call) => call.key)).size).toBe(1);
  expect(book.paid.size).toBe(1);
  expect(user.sees()).toEqual(['Refunded 12345']);
});

test('effect remembered, not saved: once() returns the remembered result and pays nothing', async () => {
  const { support, book } = refunds({ once: true });
  const { human, crash, restart, clock } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('refund');
  crash('effect');
  await user.says('12345');
  await restart();
  await clock.advance(leaseAndSweep);
  expect(user.sees()).toEqual(['Refunded 12345']);
  expect(book.calls).toHaveLength(1);
});

test('save done, output not sent: the output goes out from the outbox and the effect is not repeated', async () => {
  const { support, book } = refunds();
  const { human, crash, restart, clock } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('refund');
  crash('save');
  expect(await user.says('12345')).toEqual([]);
  await restart();
  await clock.advance(60_000 + leaseAndSweep);
  expect(user.sees()).toEqual(['Refunded 12345']);
  expect(book.calls).toHaveLength(1);
});

test('five crashes in one turn: every attempt has the same key, the sixth is parked and the human is told', async () => {
  const { support, book } = refunds({ once: true });
  const rehearsal = await rehearse({ agents: [support] });
  const { human, crash, restart, clock, asks } = rehearsal;
  const user = human('user');
  await user.says('refund');
  const [ask] = await asks();
  crash('decision');
  await user.says('12345');
  for (let i = 0; i < 4; i += 1) {
    await restart();
    crash('take');
    await clock.advance(leaseAndSweep);
  }
  await restart();
  await clock.advance(leaseAndSweep);
  expect((await rehearsal.registry.parked()).items).toMatchObject([{ failure: { code: 'crashed' }, askId: ask?.id }]);
  expect(user.sees()).toEqual(["Something went wrong on our side. We've been told and will look into it."]);
  expect(book.calls).toEqual([]);
  expect(await rehearsal.registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', answer: '12345' });
});

class Seed extends BaseAgent {
  name = 'seed';
  readonly book = ledger();
  async invokeAgent(input: AgentInput): Promise<AgentResult> {
    const pending = this.getPendingAsk(input.conversationId);
    if (pending && input.message) {
      return this.handlePendingAsk(pending, input.message, (order, { effectKey, attempt }) => ({
        output: this.book.pay(effectKey, order, attempt),
      }));
    }
    if (input.message === 'refund') return this.ask('Order?', { context: { intent: 'refund' } });
    return { output: 'hello' };
  }
}

test("146: killed between decision and continuation with the seed's agent as written: the refund is made", async () => {
  const seed = new Seed();
  const { human, crash, restart, clock, asks } = await rehearse({ agents: [seed] });
  const user = human('user');
  await user.says('refund');
  const [ask] = await asks();
  crash('decision');
  await user.says('12345');
  await restart();
  await clock.advance(leaseAndSweep);
  expect(user.sees()).toEqual(['Refunded 12345']);
  expect(seed.book.calls).toEqual([{ key: ask?.id, attempt: 2 }]);
  expect(await user.says('thank you!')).toEqual(['hello']);
});
