import { agent, text } from 'askback';
import { rehearse } from 'askback/testing';
import { expect, test } from 'vitest';

test('a refund survives a crash between the answer and the payment', async () => {
  const support = agent('support');
  const refund = support.question('refund', text('What is your order number?', { pattern: /^\d{5,10}$/ }), {
    onAnswer: (order, { attempt }) => `Refunded ${order} at attempt ${attempt}.`,
  });
  support.onMessage(({ ask }) => ask(refund));

  const { human, clock, asks, crash, restart, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  expect(await user.says('refund please')).toEqual(['What is your order number?']);

  crash('decision'); // the process dies right after the next decision is written
  expect(await user.says('12345')).toEqual([]);
  await restart(); // another process on the same store
  await clock.advance(60_000); // the lease runs out and the work is taken over
  expect(user.sees()).toEqual(['Refunded 12345 at attempt 2.']);
  expect(await asks()).toEqual([]);
  await stop();
});
