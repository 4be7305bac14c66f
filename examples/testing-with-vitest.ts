/**
 * An agent and its tests for vitest. In a project of your own save it as refund.test.ts, then: npx vitest run
 */
import { agent, confirm, text } from 'askback';
import { rehearse } from 'askback/testing';
import { expect, test } from 'vitest';

const shop = agent('shop');
const sure = shop.question('sure', confirm('Refund 48 EUR?'), {
  onAnswer: (yes, { pending }) => (yes ? `Refunded order ${String(pending.context['order'])}.` : 'Kept.'),
});
const order = shop.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
  expiresIn: 15 * 60_000,
  onAnswer: (number, { ask }) => ask(sure, { context: { order: number } }),
  onClosed: (_pending, why) => (why === 'expired' ? 'Write again when you have the number.' : undefined),
});
shop.onMessage(({ ask }) => ask(order));

test('a refund asks for the order, then for a yes', async () => {
  const { human, transcript, stop } = await rehearse({ agents: [shop] });
  const anna = human('anna');
  expect(await anna.says('refund please')).toEqual(['Which order?']);
  await anna.replies(['12345', 'Yes']);
  expect(transcript()).toMatchInlineSnapshot(`
    "anna: refund please
    to anna: Which order?
    anna: 12345
    "Which order?" answered by anna: 12345
    to anna: Refund 48 EUR?
      - Yes
      - No
      Reply with one of these.
    anna presses: Yes
    "Refund 48 EUR?" answered by anna: Yes
    to anna: Refunded order 12345."
  `);
  await stop();
});

test('without an answer the question expires', async () => {
  const { human, clock, asks, stop } = await rehearse({ agents: [shop] });
  const anna = human('anna');
  await anna.says('refund please');
  await clock.advance(15 * 60_000 + 1);
  expect(anna.sees()).toEqual(['Write again when you have the number.']);
  expect(await asks()).toEqual([]);
  await stop();
});
