/**
 * The first program: a refund that needs an order number. It runs in the terminal, typed or piped:
 *   npx tsx refund.ts   (from Node 22.18 on: node refund.ts)
 *   printf 'refund please\n?\n12345\nthank you!\n' | npx tsx refund.ts
 *   npm start -- --terminal   (in a clone)
 * Stop it in the middle of the question and start it again: the answer still counts. It is all in ./askback.db.
 */
import { AgentRegistry, agent, TerminalChannel, text } from 'askback';
import { SqliteStore } from 'askback/stores/sqlite';

const support = agent('support');

const refund = support.question('refund', text('What is your order number?', { pattern: /^\d{5,10}$/ }), {
  maxRetries: 3,
  expiresIn: 15 * 60_000,
  onAnswer: async (order, { effectKey }) => `Refunded: ${await pay(order, effectKey)}`,
});

support.onMessage(({ message, ask }) => (/refund/i.test(message) ? ask(refund) : 'I can refund an order.'));

const store = new SqliteStore({ path: './askback.db' });
await new AgentRegistry({ agents: [support], channels: [new TerminalChannel()], store }).start();

// Stands for your payment provider. The same key again is the same payment: a repeat pays once.
async function pay(order: string, key: string): Promise<string> {
  return `order ${order}, receipt ${key.slice(0, 8)}`;
}
