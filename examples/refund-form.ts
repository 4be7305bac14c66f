/**
 * A refund as a form: an order number, a reason with room for other ones, and a last look. In a terminal the fields are
 * asked one after the other; several may be given at once ("order: 12345"). Typed or piped:
 *   printf 'refund\n12345\n2\nyes\n' | npx tsx refund-form.ts   (from Node 22.18 on: node refund-form.ts)
 *   npm run build && npm run build:examples && node dist-examples/refund-form.js   (in a clone)
 */
import { AgentRegistry, agent, choice, confirm, form, TerminalChannel, text } from 'askback';

const support = agent('support');

const refund = support.question(
  'refund',
  form('Your refund', {
    order: text('What is your order number?', { pattern: /^\d{5,10}$/, example: '12345' }),
    reason: choice('Why do you send it back?', ['broken', 'too late'], { other: 'Something else' }),
    sure: confirm('Refund it?'),
  }),
  {
    maxRetries: 3, // for each field
    onAnswer: ({ order, reason, sure }) => {
      if (!sure) return 'Kept.';
      const why = typeof reason === 'object' ? reason.other : reason; // an answer of their own is { other: 'their words' }
      return `Refunded order ${order} (${why}).`;
    },
    onClosed: (_pending, why) => (why === 'declined' ? 'All right, no refund.' : undefined),
  },
);

support.onMessage(({ message, ask }) => (/refund/i.test(message) ? ask(refund) : 'I can refund an order.'));

await new AgentRegistry({ agents: [support], channels: [new TerminalChannel()] }).start();
