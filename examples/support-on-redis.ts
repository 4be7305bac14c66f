/**
 * A support agent written as a class, with its conversations in Redis. Stop it after the question, start it again,
 * and answer then: the agent goes on from there. Needs a Redis server and no model key.
 *   REDIS_URL=redis://127.0.0.1:6379 npx tsx support-on-redis.ts   (from Node 22.18 on: node support-on-redis.ts)
 *   npm run build && npm run build:examples && REDIS_URL=redis://127.0.0.1:6379 node dist-examples/support-on-redis.js   (in a clone)
 */
import type { AgentInput, AgentResult, IncomingMessage, Model } from 'askback';
import { AgentRegistry, BaseAgent, TerminalChannel } from 'askback';
import { RedisStore } from 'askback/stores/redis';

type SupportIntent = 'refund' | 'general';

class SupportAgent extends BaseAgent<SupportIntent> {
  name = 'support-agent';
  description = 'Answers customers and refunds their orders';
  mode = 'chat';
  systemPrompt = 'You help the customers of a small shop. Keep it short.';

  async invokeAgent(input: AgentInput<SupportIntent>): Promise<AgentResult> {
    // 1. The message is a reply to something this agent asked.
    const pending = this.getPendingAsk(input.conversationId);
    if (pending && input.message) {
      return this.handlePendingAsk(
        pending,
        input.message,
        async (orderNumber, { effectKey }) => {
          const result = await this.processRefund(orderNumber, pending.context, effectKey);
          return { output: `The refund of order ${orderNumber} is ${result}.` };
        },
        () => ({ output: 'Without an order number there is no refund. Write again when you have it.' }),
      );
    }

    // 2. The customer wants a refund: ask for what is missing.
    if (input.intent === 'refund') {
      return this.ask('Which order shall be refunded? Please write its number.', {
        context: { intent: 'refund', userId: input.participant?.id },
        maxRetries: 3,
        expiresIn: 15 * 60_000,
      });
    }

    // 3. Everything else is for the model.
    return this.run(input.message ?? '');
  }

  /** Stands for your shop's own code. Hand the key on to whoever moves the money. */
  private async processRefund(order: string, context: Record<string, unknown>, key: string): Promise<string> {
    console.error(`[shop] refund ${order} for ${String(context.userId)}, key ${key}`);
    return 'approved';
  }
}

/** Stands for a language model. The judge sends a JSON object with `question` and `reply`, and wants a verdict. */
const model: Model = async ({ messages }) => {
  const last = messages.at(-1)?.content ?? '';
  if (!last.startsWith('{"question":')) return 'I can tell you about refunds.';
  const { reply } = JSON.parse(last) as { reply: string };
  return JSON.stringify({ sufficient: /\d{5}/.test(reply) });
};

const registry = new AgentRegistry({
  agents: [new SupportAgent()],
  channels: [new TerminalChannel({ greeting: 'Support is here.' })],
  store: new RedisStore({ url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' }),
  model,
  classify: (message: IncomingMessage): SupportIntent => (/refund/i.test(message.text) ? 'refund' : 'general'),
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void registry.stop());
await registry.start();
