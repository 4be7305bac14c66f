/**
 * A flow of three steps, written as a class: the order, the item, a last look, and then the payment. The step is in the
 * `context` of the ask that is answered. Typed or piped:
 *   printf 'refund please\n12345\nlamp\nyes\n' | npx tsx refund-flow-class.ts   (from Node 22.18 on: node refund-flow-class.ts)
 *   npm run build && npm run build:examples && node dist-examples/refund-flow-class.js   (in a clone)
 * Stop it at any step and start it again: it goes on at that step. It is all in ./askback.db.
 * The same flow without a class: refund-flow.ts.
 */
import {
  type AgentInput,
  AgentRegistry,
  type AgentResult,
  BaseAgent,
  choice,
  confirm,
  TerminalChannel,
  text,
} from 'askback';
import { SqliteStore } from 'askback/stores/sqlite';

const prices: Record<string, string> = { Lamp: '48 EUR', Chair: '120 EUR' };

class Shop extends BaseAgent {
  readonly name = 'shop';
  readonly #sure = this.question('sure', confirm('Refund it?'));

  async invokeAgent({ message = '' }: AgentInput): Promise<AgentResult> {
    const sure = this.getPendingAsk(this.#sure);
    if (sure !== null)
      return this.handlePendingAsk(sure, message, async (yes, { pending, effectKey }) => {
        if (!yes) return 'Kept.';
        const { order, item } = pending.context;
        return `Refunded: ${await pay(String(order), String(item), effectKey)}`;
      });

    const pending = this.getPendingAsk();
    const { step, order } = pending?.context ?? {};
    if (pending !== null && step === 'order')
      return this.handlePendingAsk(pending, message, (number, { ask }) =>
        ask(choice('Which item?', Object.keys(prices)), { context: { step: 'item', order: number } }),
      );
    if (pending !== null && step === 'item')
      return this.handlePendingAsk(pending, message, (item, { ask }) => {
        const details = { Order: String(order), Item: item, Amount: prices[item] ?? '' };
        return ask(this.#sure, { context: { order, item }, details });
      });

    if (!/refund/i.test(message)) return { output: 'I can refund an order.' };
    const question = text('What is your order number?', { pattern: /^\d{5}$/, example: '12345' });
    return this.ask(question, { context: { step: 'order' } });
  }
}

const store = new SqliteStore({ path: './askback.db' });
await new AgentRegistry({ agents: [new Shop()], channels: [new TerminalChannel()], store }).start();

// Stands for your payment provider. The same key again is the same payment: a repeat pays once.
async function pay(number: string, name: string, key: string): Promise<string> {
  return `${prices[name]} for the ${name.toLowerCase()} of order ${number}, receipt ${key.slice(0, 8)}`;
}
