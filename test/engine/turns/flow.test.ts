/**
 * A flow of three steps on the memory store: the process dies after every store step of every step of the flow, another comes
 * up, and the flow goes on at the step it was in. One payment. Redis and SQLite are played by test/system/matrix.
 */
import { describe, expect, test } from 'vitest';
import type { AgentInput, AgentResult, Continuation } from '../../../src/index.js';
import { agent, BaseAgent, choice, confirm, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { leaseAndSweep, ledger, minute } from '../../support/engine.js';

const orderQuestion = text('Which order?', { pattern: /^\d{5}$/ });
const itemQuestion = choice('Which item?', ['lamp', 'chair']);
const sureQuestion = confirm('Refund 48 EUR?');
type Book = ReturnType<typeof ledger>;

const paid = (book: Book) => async (yes: boolean, turn: Continuation<boolean>) => {
  const { pending, effectKey, attempt, once } = turn;
  if (!yes) return 'Kept.';
  const { order, item } = pending.context;
  await once('pay', async () => book.pay(effectKey, `${String(item)} of ${String(order)}`, attempt));
  return `Refunded ${String(item)} of ${String(order)}.`;
};

function declared(book: Book): BaseAgent {
  const shop = agent('shop');
  const sure = shop.question('sure', sureQuestion, { onAnswer: paid(book) });
  const item = shop.question('item', itemQuestion, {
    onAnswer: (name, { ask, pending }) => ask(sure, { context: { ...pending.context, item: name } }),
  });
  const order = shop.question('order', orderQuestion, {
    onAnswer: (number, { ask }) => ask(item, { context: { order: number } }),
  });
  return shop.onMessage(({ message, ask }) => (message === 'refund' ? ask(order) : 'Hello.'));
}

function asClass(book: Book): BaseAgent {
  class Shop extends BaseAgent {
    readonly name = 'shop';
    readonly sure = this.question('sure', sureQuestion);
    async invokeAgent({ message = '' }: AgentInput): Promise<AgentResult> {
      const sure = this.getPendingAsk(this.sure);
      if (sure !== null) return this.handlePendingAsk(sure, message, paid(book));
      const pending = this.getPendingAsk();
      const { step, order } = pending?.context ?? {};
      if (pending !== null && step === 'order')
        return this.handlePendingAsk(pending, message, (number, { ask }) =>
          ask(itemQuestion, { context: { step: 'item', order: number } }),
        );
      if (pending !== null)
        return this.handlePendingAsk(pending, message, (item, { ask }) => ask(this.sure, { context: { order, item } }));
      return message === 'refund' ? this.ask(orderQuestion, { context: { step: 'order' } }) : { output: 'Hello.' };
    }
  }
  return new Shop();
}

const lines = [
  ['refund', 'Which order?'],
  ['12345', 'Which item?'],
  ['lamp', 'Refund 48 EUR?'],
  ['yes', 'Refunded lamp of 12345.'],
  ['thank you', 'Hello.'],
] as const;

const points = [0, 1, 2, 3].flatMap((step) => {
  const decides = step === 0 ? [] : (['decision'] as const);
  const pays = step === 3 ? (['effect'] as const) : [];
  return (['take', ...decides, ...pays, 'save', 'sent'] as const).map((point) => ({ step, point }));
});

describe.each([
  ['declared', declared],
  ['as a class', asClass],
])('a flow, %s', (_, made) => {
  test.each(points)('dies at step $step after $point: it goes on there, and pays once', async ({ step, point }) => {
    const book = ledger();
    const { human, clock, crash, restart, asks, stop } = await rehearse({ agents: [made(book)] });
    const user = human('user');
    for (const [i, [says, hears]] of lines.entries()) {
      if (i === step) crash(point);
      const heard = [...(await user.says(says, { id: `message ${i}` }))];
      if (i === step) {
        await expect(asks()).rejects.toThrow('crashed');
        await restart();
        heard.push(...(await user.says(says, { id: `message ${i}` }))); // as every platform does without an answer
        await clock.advance(minute + leaseAndSweep);
        heard.push(...user.sees());
      }
      expect(heard).toEqual([expect.stringContaining(hears)]);
    }
    expect([...book.paid.values()]).toEqual(['lamp of 12345']);
    expect(await asks()).toEqual([]);
    await stop();
  });
});
