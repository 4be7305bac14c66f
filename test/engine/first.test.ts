import { expect, test } from 'vitest';
import type { AgentInput, AgentResult } from '../../src/index.js';
import { agent, BaseAgent, text } from '../../src/index.js';
import { rehearse } from '../../src/testing/index.js';

function refunds() {
  const paid: string[] = [];
  const support = agent('support');
  const refund = support.question('refund', text('What is your order number?', { pattern: /^\d{5,10}$/ }), {
    maxRetries: 3,
    expiresIn: 15 * 60_000,
    onAnswer: async (order, { effectKey }) => {
      paid.push(effectKey);
      return `Refunded: ${order}`;
    },
  });
  support.onMessage(({ message, ask }) => (/refund/i.test(message) ? ask(refund) : 'I can refund an order.'));
  return { support, paid };
}

test('the first program: a question, a bad reply, a good one, and thanks that pay nothing', async () => {
  const { support, paid } = refunds();
  const { human, asks, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  expect(await user.says('hello')).toEqual(['I can refund an order.']);
  expect(await user.says('refund please')).toEqual(['What is your order number?']);
  expect(await user.says('?')).toEqual(["That doesn't look right.\nWhat is your order number?"]);
  expect(await user.says('12345')).toEqual(['Refunded: 12345']);
  expect(await user.says('thank you!')).toEqual(['I can refund an order.']);
  expect(paid).toHaveLength(1);
  expect(await asks()).toEqual([]);
  await stop();
});

test('the first program as a class: the same messages get the same replies', async () => {
  class Support extends BaseAgent {
    name = 'support';
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk(input.conversationId);
      if (pending && input.message)
        return this.handlePendingAsk(pending, input.message, (order) => ({ output: `Refunded ${order}` }));
      if (input.message === 'refund') return this.ask('Order?', { context: { a: 1 } });
      return { output: 'hi' };
    }
  }
  const { human, asks, stop, clock } = await rehearse({ agents: [new Support()] });
  const user = human('user');
  expect(await user.says('refund')).toEqual(['Order?']);
  expect(await asks()).toMatchObject([
    { question: 'Order?', context: { a: 1 }, retries: 0, maxRetries: 2, status: 'pending' },
  ]);
  expect(await user.says('yes')).toEqual(['Refunded yes']);
  expect(await user.says('thanks')).toEqual(['hi']);
  await clock.advance(60_000);
  await stop();
});
