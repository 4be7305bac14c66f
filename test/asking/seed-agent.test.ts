import { expect, test } from 'vitest';
import { type AgentInput, type AgentResult, BaseAgent } from '../../src/index.js';
import { rehearse, scriptedModel } from '../../src/testing/index.js';

// The full example as it was written; only the imports and, in each test, the model are ours.
type SupportIntent = 'refund' | 'general';

class SupportAgent extends BaseAgent<SupportIntent> {
  name = 'support-agent';
  description = 'Customer support with confirmation flow';
  mode = 'chat';
  systemPrompt = 'You are a helpful customer support agent.';

  async invokeAgent(input: AgentInput<SupportIntent>): Promise<AgentResult> {
    // 1. Handle replies to pending asks
    const pending = this.getPendingAsk(input.conversationId);
    if (pending && input.message) {
      return this.handlePendingAsk(
        pending,
        input.message,
        async (orderNumber) => {
          const refundResult = await this.processRefund(orderNumber, pending.context);
          return { output: `Refund for order ${orderNumber} has been processed: ${refundResult}` };
        },
        async () => ({
          output: 'Unable to process the refund without a valid order number.',
        }),
      );
    }

    // 2. Route by intent
    if (input.intent === 'refund') {
      // Ask for confirmation before proceeding
      return this.ask('Please provide your order number to process the refund.', {
        context: { intent: 'refund', userId: input.participant?.id },
        maxRetries: 3,
        expiresIn: 15 * 60 * 1000, // 15 minutes
      });
    }

    // 3. General queries
    return this.run(input.message ?? '');
  }

  private async processRefund(orderNumber: string, context: Record<string, unknown>): Promise<string> {
    // ... refund logic
    refunds.push(`${orderNumber} for ${context['userId']}`); // the one line that stands for the logic
    return 'approved';
  }
}

let refunds: string[] = [];
const question = 'Please provide your order number to process the refund.';
const yes = '{"sufficient": true}';
const no = '{"sufficient": false}';

async function opened(replies: Parameters<typeof scriptedModel>[0]) {
  refunds = [];
  const model = scriptedModel(replies);
  const rehearsal = await rehearse({ agents: [new SupportAgent()], model });
  const user = rehearsal.human('user');
  expect(await user.says('I want my money back', { intent: 'refund' })).toEqual([question]);
  return { ...rehearsal, user, model };
}

test("the seed's agent: asked, not understood, asked again, refunded once, then an ordinary chat (46, 48, 56)", async () => {
  const { user, asks, registry, model, stop } = await opened([no, yes, 'You are welcome.']);
  const [ask] = await asks();
  expect(ask).toMatchObject({ maxRetries: 3, context: { intent: 'refund', userId: 'rehearsal:user' } });
  const [again] = await user.says('what number?');
  expect(again).toContain(question);
  expect(await user.says('12345')).toEqual(['Refund for order 12345 has been processed: approved']);
  expect(await user.says('thank you!')).toEqual(['You are welcome.']);
  expect(refunds).toEqual(['12345 for rehearsal:user']);
  expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', answer: '12345', retries: 1 });
  expect(model.requests.map((request) => request.system?.startsWith('You judge'))).toEqual([true, true, false]);
  await stop();
});

test("the seed's agent: three re-asks, then its own sentence and nothing else (52, 53)", async () => {
  const { user, asks, stop } = await opened([no, no, no, no]);
  for (let i = 0; i < 3; i += 1) expect((await user.says('hm'))[0]).toContain(question);
  expect(await user.says('hm')).toEqual(['Unable to process the refund without a valid order number.']);
  expect(await asks()).toEqual([]);
  expect(refunds).toEqual([]);
  await stop();
});

test("the seed's agent: after fifteen minutes an order number is small talk (25, 75)", async () => {
  const { user, clock, asks, stop } = await opened(['How can I help?']);
  await clock.advance(15 * 60_000 + 1);
  expect(await user.says('12345')).toEqual(['How can I help?']);
  expect(await asks()).toEqual([]);
  expect(refunds).toEqual([]);
  await stop();
});

test("the seed's agent: a crash between decision and refund, and the next process refunds (46, 146)", async () => {
  const { user, crash, restart, clock, stop } = await opened([yes]);
  crash('decision');
  await user.says('12345');
  expect(refunds).toEqual([]);
  await restart();
  await clock.advance(60_000);
  expect(refunds).toEqual(['12345 for rehearsal:user']);
  expect(user.sees()).toEqual(['Refund for order 12345 has been processed: approved']);
  await stop();
});

test("the seed's agent: another person's number refunds nothing (68)", async () => {
  const { human, asks, stop } = await opened(['Hello, Bob.']);
  const bob = human('bob', { conversationId: 'user' });
  expect(await bob.says('99999')).toEqual(['Hello, Bob.']);
  expect(refunds).toEqual([]);
  expect(await asks()).toMatchObject([{ status: 'pending', retries: 0 }]);
  await stop();
});

test("the seed's agent: `classify` gives the intent where the channel has none", async () => {
  refunds = [];
  const classify = ({ text }: { text: string }) => (/money/.test(text) ? 'refund' : 'general');
  const { human, stop } = await rehearse({ agents: [new SupportAgent()], model: scriptedModel([yes]), classify });
  const user = human('user');
  expect(await user.says('my money, please')).toEqual([question]);
  expect(await user.says('12345')).toHaveLength(1);
  expect(refunds).toHaveLength(1);
  await stop();
});
