/**
 * A process that stood still for longer than its lease (a frozen machine, a blocked event loop): others may have taken over, so it
 * begins nothing that they may have begun.
 */
import { expect, test } from 'vitest';
import type { Store } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { gate, settle, storeWith, TestChannel, world } from '../../support/engine.js';

/** A clock that can jump without any timer having run. */
function stalling(clock: ReturnType<typeof world>['clock']) {
  let stalled = 0;
  return {
    clock: { now: () => clock.now(), elapsed: () => clock.elapsed() + stalled, after: clock.after.bind(clock) },
    stall: (ms: number) => {
      stalled += ms;
    },
  };
}

test('a handler does not begin in a process that stood still after the decision', async () => {
  const { replica, store, clock, says } = world();
  const { clock: own, stall } = stalling(clock);
  const phone = new TestChannel();
  const begun: number[] = [];
  const shop = agent('shop');
  const order = shop.question('order', text('Which order?'), {
    check: () => true, // the author has a say, so the decision is a step of its own
    onAnswer: (_, { attempt }) => void begun.push(attempt),
  });
  shop.onMessage(({ ask }) => ask(order));
  let isDeciding = false;
  const save: Store['save'] = async (call) => {
    const saved = await store.save(call);
    if (isDeciding && call.then.type === 'hold') stall(60_000);
    return saved;
  };
  await replica({ agents: [shop], channels: [phone], clock: own, store: storeWith(store, { save }) });
  await says(phone, 'refund');
  isDeciding = true;
  await says(phone, '12345');
  expect(begun).toEqual([]);
});

test('once() does not run its work in a process that stood still', async () => {
  const { replica, clock, says } = world();
  const { clock: own, stall } = stalling(clock);
  const phone = new TestChannel();
  const work = gate();
  const paid: string[] = [];
  const shop = agent('shop').onMessage(async ({ once, signal }) => {
    await work.passed;
    await once('pay', async () => paid.push('paid')).catch(() => undefined);
    paid.push(`aborted ${signal.aborted}`);
    return 'Paid.';
  });
  await replica({ agents: [shop], channels: [phone], clock: own });
  await says(phone, 'pay');
  stall(60_000);
  work.open();
  await settle();
  expect(paid).toEqual(['aborted true']);
  expect(phone.texts()).toEqual([]);
});

test('what a handler left running and nobody awaits ends no process: it is logged', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const work = gate();
  const warned: string[] = [];
  const note = (): void => {};
  const logger = { debug: note, info: note, warn: (words: string) => void warned.push(words), error: note };
  const shop = agent('shop').onMessage(({ sendTo }) => {
    void work.passed.then(() => void sendTo('phone', 'late'));
    return 'Done.';
  });
  await replica({ agents: [shop], channels: [phone], logger });
  await says(phone, 'go');
  work.open();
  await settle();
  expect(phone.texts()).toEqual(['Done.']);
  expect(warned).toEqual(['sendTo() failed after its turn was over; await it']);
});
