/**
 * The first program: a refund that needs an order number. It runs in the terminal, typed or piped:
 *   npm start
 *   printf 'refund please\n?\n12345\nthank you!\n' | npm start
 */
import { AgentRegistry, agent, TerminalChannel, text } from 'askback';

const payments = new Map<string, string>(); // what the payment provider remembers, by key
const support = agent('support');

const refund = support.question('refund', text('What is your order number?', { pattern: /^\d{5,10}$/ }), {
  maxRetries: 3,
  expiresIn: 15 * 60_000,
  onAnswer: async (order, { effectKey }) => `Refunded: ${await pay(order, effectKey)}`,
});

support.onMessage(({ message, ask }) => (/refund/i.test(message) ? ask(refund) : 'I can refund an order.'));

await new AgentRegistry({ agents: [support], channels: [new TerminalChannel()] }).start();

/** Stands for your payment provider. The same key again is the same payment, so a repeat after a crash pays once. */
async function pay(order: string, key: string): Promise<string> {
  const receipt = payments.get(key) ?? `order ${order}, receipt ${payments.size + 1}`;
  payments.set(key, receipt);
  return receipt;
}
