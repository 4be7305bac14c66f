/**
 * A flow of three steps: the order, the item, a last look, and then the payment. Each handler asks the next question and
 * hands over what it knows as `context`. Typed or piped:
 *   printf 'refund please\n12345\nlamp\nyes\n' | npx tsx refund-flow.ts   (from Node 22.18 on: node refund-flow.ts)
 *   npm run build && npm run build:examples && node dist-examples/refund-flow.js   (in a clone)
 * Stop it at any step and start it again: it goes on at that step. It is all in ./askback.db.
 * The same flow as a class: refund-flow-class.ts.
 */
import { AgentRegistry, agent, choice, confirm, TerminalChannel, text } from 'askback';
import { SqliteStore } from 'askback/stores/sqlite';

const prices: Record<string, string> = { Lamp: '48 EUR', Chair: '120 EUR' };
const shop = agent('shop');

const sure = shop.question('sure', confirm('Refund it?'), {
  onAnswer: async (yes, { pending, effectKey }) => {
    if (!yes) return 'Kept.';
    const { order, item } = pending.context;
    return `Refunded: ${await pay(String(order), String(item), effectKey)}`;
  },
});

const item = shop.question('item', choice('Which item?', Object.keys(prices)), {
  onAnswer: (name, { pending, ask }) => {
    const { order } = pending.context;
    const details = { Order: String(order), Item: name, Amount: prices[name] ?? '' };
    return ask(sure, { context: { order, item: name }, details });
  },
});

const order = shop.question('order', text('What is your order number?', { pattern: /^\d{5}$/, example: '12345' }), {
  onAnswer: (number, { ask }) => ask(item, { context: { order: number } }),
});

shop.onMessage(({ message, ask }) => (/refund/i.test(message) ? ask(order) : 'I can refund an order.'));

const store = new SqliteStore({ path: './askback.db' });
await new AgentRegistry({ agents: [shop], channels: [new TerminalChannel()], store }).start();

// Stands for your payment provider. The same key again is the same payment: a repeat pays once.
async function pay(number: string, name: string, key: string): Promise<string> {
  return `${prices[name]} for the ${name.toLowerCase()} of order ${number}, receipt ${key.slice(0, 8)}`;
}
