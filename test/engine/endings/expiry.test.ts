/**
 * Deadlines: the store's time decides, and a reply recorded in time is read before the expiry.
 */
import { expect, test } from 'vitest';
import type { PendingAsk } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { gate, heard, leaseAndSweep, minute, settle, TestChannel, world } from '../../support/engine.js';

async function timed(expiresIn: number = minute) {
  const here = world();
  const phone = new TestChannel();
  const closed: { id: string; why: string; status: string; effectKey: string }[] = [];
  const late: (PendingAsk | undefined)[] = [];
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    expiresIn,
    onAnswer: (answer) => `Got ${answer}`,
    onClosed: (pending, why) => {
      closed.push({ id: pending.id, why, status: pending.status, effectKey: pending.effectKey });
      return 'Too late, closed.';
    },
  });
  const slow = gate();
  support.onMessage(async ({ message, ask, lateFor }) => {
    if (message === 'ask') return ask(order);
    if (message === 'slow') return slow.passed.then(() => 'slow done');
    late.push(lateFor);
    return 'ordinary';
  });
  const registry = await here.replica({ agents: [support], channels: [phone] });
  await here.says(phone, 'ask');
  const askId = (await registry.listAsks()).asks[0]?.id ?? '';
  return { ...here, phone, registry, closed, late, slow, askId, support };
}

test('a reply recorded one millisecond before the deadline is in time', async () => {
  const { clock, says, phone } = await timed();
  await clock.advance(minute - 1);
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Order?', 'Got 12345']);
});

test('at the deadline itself the time is over: an ordinary turn', async () => {
  const { clock, says, phone } = await timed();
  await clock.advance(minute);
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Order?', 'Too late, closed.', 'ordinary']);
});

test('a reply recorded one millisecond after the deadline is too late: an ordinary turn', async () => {
  const { clock, says, phone, registry, askId } = await timed();
  await clock.advance(minute + 1);
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Order?', 'Too late, closed.', 'ordinary']);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'expired' });
});

test('expiry runs the hook without a new message, once, after the decision', async () => {
  const { advance, closed, askId, phone } = await timed();
  await advance(minute + 7_000);
  expect(closed).toEqual([{ id: askId, why: 'expired', status: 'expired', effectKey: askId }]);
  await advance(10 * minute);
  expect(closed).toHaveLength(1);
  expect(phone.texts()).toEqual(['Order?', 'Too late, closed.']);
});

test('the hook is given its attempt, like any continuation: 2 after a crash behind the decision', async () => {
  const given: unknown[][] = [];
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    expiresIn: minute,
    onAnswer: () => 'thanks',
    onClosed: (...all: unknown[]) => {
      given.push(all);
    },
  });
  support.onMessage(({ ask }) => ask(order));
  const { human, clock, crash, restart } = await rehearse({ agents: [support] });
  await human('user').says('hi');
  crash('decision');
  await clock.advance(minute + 7_000);
  expect(given).toEqual([]);
  await restart();
  await clock.advance(leaseAndSweep);
  expect(given).toHaveLength(1);
  expect(given[0]?.map((each) => (each as { attempt?: number }).attempt)).toContain(2);
});

test('an expired ask stays readable, with the time of its decision and nobody as its author', async () => {
  const { advance, registry, askId } = await timed();
  await advance(minute + 7_000);
  const ask = await registry.getAsk(askId);
  expect(ask).toMatchObject({ status: 'expired', question: 'Order?' });
  expect(ask?.decidedBy).toBeUndefined();
  expect(ask?.decidedAt).toBeInstanceOf(Date);
});

test('plain text after the expiry is an ordinary turn with lateFor, once', async () => {
  const { advance, says, phone, late, askId } = await timed();
  await advance(minute + 7_000);
  await says(phone, '12345');
  await says(phone, 'anything else');
  expect(late.map((each) => each?.id)).toEqual([askId, undefined]);
});

test('lateFor is not for somebody who could not have answered', async () => {
  const { advance, says, phone, late, askId } = await timed();
  await advance(minute + 7_000);
  await says(phone, 'hello', { participant: { id: 'phone:bob' } });
  await says(phone, '12345');
  expect(late.map((each) => each?.id)).toEqual([undefined, askId]);
});

test("75: lateFor also while somebody else's question stands first", async () => {
  const { advance, says, phone, late, askId } = await timed();
  await advance(minute + 7_000);
  await says(phone, 'ask', { participant: { id: 'phone:bob' } });
  await says(phone, '12345');
  expect(late.map((each) => each?.id)).toEqual([askId]);
});

test('a named late answer gets a visible notice and no turn', async () => {
  const { advance, says, phone, late, askId } = await timed();
  await advance(minute + 7_000);
  await says(phone, '12345', { askId });
  expect(phone.texts().at(-1)).toBe('The time to answer this is over.');
  expect(late).toEqual([]);
});

test('answer() after the expiry says late and carries the decision', async () => {
  const { advance, registry, askId } = await timed();
  await advance(minute + 7_000);
  expect(await registry.answer(askId, { text: '12345' }, { by: { id: 'phone:ann' } })).toMatchObject({
    type: 'late',
    ask: { status: 'expired' },
  });
});

test('a reply recorded 1 ms before the deadline, behind a turn a minute past it, is accepted', async () => {
  const { advance, says, phone, slow, registry, askId, closed } = await timed();
  await says(phone, 'slow', { participant: { id: 'phone:bob' } });
  await advance(minute - 1);
  await says(phone, '12345');
  await advance(minute);
  slow.open();
  await settle();
  expect(phone.texts()).toEqual(['Order?', 'slow done', 'Got 12345']);
  expect(closed).toEqual([]);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', answer: '12345' });
});

test('an answer given later on another channel is told "already answered"', async () => {
  const { advance, says, phone, slow, registry, askId } = await timed();
  await says(phone, 'slow', { participant: { id: 'phone:bob' } });
  await advance(minute - 1);
  await says(phone, '12345');
  await advance(minute);
  const later = registry.answer(askId, { text: '99999' }, { by: { id: 'phone:ann' } });
  slow.open();
  await settle();
  expect(await later).toMatchObject({ type: 'already', ask: { answer: '12345' } });
});

test('sweep() settles what is overdue and reports how many', async () => {
  const { clock, registry, askId } = await timed();
  await clock.advance(minute + 1);
  expect(await registry.sweep()).toMatchObject({ expired: 1, taken: 1 });
  expect(await registry.sweep()).toMatchObject({ expired: 0, taken: 0 });
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'expired' });
});

test('two replicas sweep at once: one expiry, one event, one hook', async () => {
  const { clock, registry, replica, support, closed } = await timed();
  const other = await replica({ agents: [support] });
  const events = [heard(registry, 'expired'), heard(other, 'expired')];
  await clock.advance(minute + 1);
  await Promise.all([registry.sweep(), other.sweep()]);
  await settle();
  expect(events.flat()).toHaveLength(1);
  expect(closed).toHaveLength(1);
});

test('an expiry hook that always throws is parked like any turn, and the ask stays expired', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    expiresIn: 1_000,
    onAnswer: () => 'ok',
    onClosed: () => {
      throw new Error('hook');
    },
  });
  support.onMessage(({ message, ask }) => (message === 'ask' ? ask(order) : 'ordinary'));
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'ask');
  const askId = (await registry.listAsks()).asks[0]?.id ?? '';
  await advance(5 * minute);
  expect((await registry.parked()).items).toMatchObject([{ askId, attempts: 5, failure: { message: 'hook' } }]);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'expired' });
  await says(phone, 'hello');
  expect(phone.texts().at(-1)).toBe('ordinary');
});
