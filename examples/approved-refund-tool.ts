/**
 * A tool that pays money, behind a person's approval, in a loop of your own:
 *   npx tsx approved-refund-tool.ts   (from Node 22.18 on: node approved-refund-tool.ts)
 *   npm run build && npm run build:examples && node dist-examples/approved-refund-tool.js   (in a clone)
 * Small refunds run at once. For a large one you are asked: deny, once, or for this session. What runs is the request as
 * it was stored with the question, with its key. The model is a script, so that it runs without a network.
 */
import { AgentRegistry, TerminalChannel } from 'askback';
import { requireApproval } from 'askback/tools';

let there = true; // until the input ends; then nobody can be asked any more
const terminal = new TerminalChannel({
  onEnd: () => {
    there = false;
    void registry.cancel({ conversationId: 'terminal' });
  },
});
const registry = new AgentRegistry({ channels: [terminal] });

const refund = requireApproval(
  {
    name: 'refund',
    description: 'Refunds an order.',
    inputSchema: {
      type: 'object',
      properties: { order: { type: 'string' }, amount: { type: 'number' } },
      required: ['order', 'amount'],
    },
    execute: ({ order, amount }: { order: string; amount: number }, { callId, effectKey = callId }) =>
      pay(order, amount, effectKey),
  },
  {
    registry,
    where: () => (there ? { channel: 'terminal' } : undefined),
    answerableBy: ['terminal:local'], // who may approve has to be said
    when: ({ amount }) => amount > 50, // if this throws, you are asked
    question: ({ amount }) => `May I refund ${amount} EUR?`,
  },
);

// The loop: your model, your messages. Whatever the person decides, every call gets one result.
const messages: Message[] = [{ role: 'user', content: 'Refund orders 12345 and 67890.' }];
for (;;) {
  const reply = scriptedModel(messages);
  if (reply.text !== undefined) {
    console.log(`The model says: ${reply.text}`);
    break;
  }
  for (const call of reply.calls ?? []) {
    const result = call.name === refund.name ? await refund.execute(call.input, { callId: call.id }) : 'No such tool.';
    messages.push({ role: 'tool', callId: call.id, content: result });
  }
}
await registry.stop();

interface Message {
  readonly role: 'user' | 'tool';
  readonly callId?: string;
  readonly content: string;
}

interface Reply {
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
}

/** Stands for your model: a small refund, a large one, the same again, and a summary. */
function scriptedModel(seen: readonly Message[]): Reply {
  const large = { name: 'refund', input: { order: '67890', amount: 480 } };
  const calls = [{ name: 'refund', input: { order: '12345', amount: 20 } }, large, large];
  const results = seen.filter(({ role }) => role === 'tool');
  const call = calls[results.length];
  if (call !== undefined) return { calls: [{ id: `call_${results.length + 1}`, ...call }] };
  return { text: results.map(({ content }) => content).join(' | ') };
}

// Stands for your payment provider. The same key again is the same payment: a repeat pays once.
async function pay(order: string, amount: number, key: string | undefined): Promise<string> {
  console.log(`Paid ${amount} EUR for order ${order}${key?.startsWith('call_') ? '' : ', approved'}.`);
  return `Refunded order ${order}.`;
}
