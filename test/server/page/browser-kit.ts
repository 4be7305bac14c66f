/** What browser tests of the page share: a shop in real time behind a real server, in which people are named by a header. */
import { AgentRegistry, agent, choice, confirm, form, number, optional, text } from '../../../src/index.js';
import { createInbox } from '../../../src/server/index.js';
import type { InboxPerson } from '../../../src/server/person.js';
import { serveForBrowser } from '../../support/browser.js';
import { byHeader } from '../page-kit.js';

export const staff: readonly InboxPerson[] = [
  { id: 'staff:anna', name: 'Anna', roles: ['manager'], scopes: ['read', 'answer', 'conversations', 'admin'] },
  { id: 'staff:otto', name: 'Otto', roles: ['manager'], scopes: ['answer'] },
];

/** The headers by which a visitor is taken for one of the staff. */
export const asAnna = { headers: { 'x-user': 'staff:anna' } };
export const asOtto = { headers: { 'x-user': 'staff:otto' } };

export async function browserShop() {
  const shop = agent('shop');
  const managers = { answerableBy: { roles: ['manager'] } };
  const told: unknown[] = [];
  const onAnswer = (value: unknown) => {
    told.push(value);
  };
  const questions = {
    refund: shop.question('refund', confirm('Refund 48 EUR?'), {
      ...managers,
      details: { Order: '12345', Reason: 'damaged' },
      onAnswer,
    }),
    both: shop.question('both', confirm('Deploy v2?'), { ...managers, quorum: 2, expiresIn: 3_600_000, onAnswer }),
    brief: shop.question('brief', text('What now?'), { ...managers, expiresIn: 4_000, onAnswer }),
    note: shop.question('note', text('What shall we tell them?'), { ...managers, onAnswer }),
    plan: shop.question('plan', choice('Which plan?', ['Basic', 'Team']), { ...managers, onAnswer }),
    parcel: shop.question(
      'parcel',
      form('Parcel', { weight: number('Weight in kg'), note: optional(text('Note')), fast: confirm('Express?') }),
      { ...managers, onAnswer },
    ),
  };
  shop.onMessage(({ message, ask }) => ask(questions[message as 'refund'] ?? questions.refund));
  const registry = new AgentRegistry({ agents: [shop] });
  await registry.start();
  const inbox = createInbox(registry, { authenticate: byHeader(staff) });
  const server = await serveForBrowser(inbox.fetch);
  let messages = 0;
  /** Somebody asks for it; the id of the ask that this opens. */
  const asked = async (what: keyof typeof questions, conversationId = `c-${what}`) => {
    messages += 1;
    const participant = { id: 'web:ada', name: 'Ada' };
    await registry.handle({ id: `m${messages}`, conversationId, text: what, participant });
    return (await registry.listAsks({ conversationId })).asks.at(-1)?.id ?? '';
  };
  const close = async () => {
    await server.close();
    await registry.stop();
  };
  return { registry, inbox, told, asked, url: `${server.url}/inbox`, close };
}
