/** What tests of the inbox share: a registry on a fake clock, asks with rights, and people. */
import { agent, choice, confirm, form, number, text } from '../../src/index.js';
import { inboxPort } from '../../src/registry/inbox/inbox-port.js';
import { InboxCalls } from '../../src/server/calls.js';
import type { InboxPerson, Scope } from '../../src/server/person.js';
import { never, TestChannel, world } from '../support/engine.js';

export const person = (id: string, scopes: readonly Scope[], more: Partial<InboxPerson> = {}): InboxPerson => ({
  id,
  scopes,
  ...more,
});

export const ada = { id: 'web:ada', name: 'Ada' };
export const anna = person('staff:anna', ['answer'], { name: 'Anna', roles: ['manager'] });
export const boss = person('staff:boss', ['admin'], { name: 'Boss' });

/** A shop whose agent asks whatever a message names: `order`, `sure`, `size`, `both`, `parcel`. */
export async function shop(more: object = {}) {
  const here = world();
  const phone = new TestChannel();
  const refunds = agent('refunds');
  const managers = { roles: ['manager'] };
  const questions = {
    order: refunds.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
      onAnswer: (order) => `Order ${order}.`,
    }),
    sure: refunds.question('sure', confirm('Refund 48 EUR?'), {
      answerableBy: managers,
      details: { Order: '12345', Reason: 'damaged' },
      context: { internal: 'margin 3' },
      onAnswer: (yes) => (yes ? 'Refunded.' : 'Kept.'),
    }),
    stuck: refunds.question('stuck', confirm('Refund 1 EUR?'), { answerableBy: managers, onAnswer: () => never() }),
    size: refunds.question('size', choice('Which size?', ['S', 'M', 'L']), { onAnswer: (size) => `Size ${size}.` }),
    both: refunds.question('both', confirm('Deploy v2?'), {
      answerableBy: managers,
      quorum: 2,
      expiresIn: 60 * 60_000,
      onAnswer: () => 'Deployed.',
    }),
    parcel: refunds.question('parcel', form('Parcel', { weight: number('Weight in kg?'), note: text('Note?') }), {
      onAnswer: ({ weight }) => `Parcel of ${weight} kg.`,
    }),
  };
  refunds.onMessage(({ message, ask }) => {
    const question = questions[message as keyof typeof questions];
    return question === undefined ? `No ${message}.` : ask(question as typeof questions.order);
  });
  const registry = await here.replica({ agents: [refunds], channels: [phone], ...more });
  const port = registry[inboxPort];
  /** Somebody asks for it; the id of the ask that this opens. */
  const asked = async (what: keyof typeof questions, conversationId = `c-${what}`, participant: object = ada) => {
    await here.says(phone, what, { conversationId, participant: participant as typeof ada });
    const { asks } = await registry.listAsks({ conversationId });
    return asks.at(-1)?.id ?? 'nothing was asked';
  };
  return { ...here, phone, registry, port, calls: new InboxCalls(registry, port), asked };
}
