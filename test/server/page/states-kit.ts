/** A shop on a fake clock whose inbox is brought into a state: people by a header, questions of every kind, a server on loopback. */
import { agent, choice, choices, confirm, date, email, form, number, optional, text } from '../../../src/index.js';
import { inboxPort } from '../../../src/registry/inbox/inbox-port.js';
import { createInbox, type InboxPerson } from '../../../src/server/index.js';
import { requireApproval } from '../../../src/tools/index.js';
import { serveForBrowser } from '../../support/browser.js';
import { minute, settle, TestChannel, world } from '../../support/engine.js';
import { byHeader } from '../page-kit.js';

const silent = () => {};
const quiet = { debug: silent, info: silent, warn: silent, error: silent };
const managers = { answerableBy: { roles: ['manager'] } };

export const otto = { id: 'staff:otto', name: 'Otto', roles: ['manager'] };

function shopAgent() {
  const support = agent('support');
  const fails = (): never => {
    throw new Error('The bank did not answer within 30 s (POST /transfers).');
  };
  const questions = {
    refund: support.question('refund', confirm('Refund 48 EUR to Ada?', { yes: 'Refund', no: 'Do not refund' }), {
      ...managers,
      details: { Order: '12345', Amount: '48.00 EUR', Customer: 'Ada Lovelace', Reason: 'Arrived damaged' },
      expiresIn: 12 * minute,
      onAnswer: (yes) => (yes ? 'I have refunded 48 EUR.' : 'I cannot refund this.'),
    }),
    deploy: support.question('deploy', confirm('Deploy v2 to production?'), {
      ...managers,
      details: { Version: '2.0.0', Changes: '14' },
      quorum: 2,
      expiresIn: 60 * minute,
      onAnswer: () => 'Deployed.',
    }),
    invoice: support.question('invoice', text('Which invoice does the customer mean?'), {
      ...managers,
      expiresIn: 20 * minute,
      links: 'decide',
      onAnswer: (said) => `Thank you: ${said}`,
    }),
    plan: support.question('plan', choice('Which plan should Acme get?', ['Basic', 'Team', 'Enterprise']), {
      ...managers,
      details: { Company: 'Acme Ltd', Seats: '140' },
      onAnswer: (said) => said,
    }),
    labels: support.question(
      'labels',
      choices('Which labels fit this ticket?', ['Billing', 'Bug', 'Shipping', 'Praise']),
      { ...managers, onAnswer: () => 'Labelled.' },
    ),
    parcel: support.question(
      'parcel',
      form('A parcel has to be sent again. Please fill in what the carrier needs.', {
        weight: number('Weight in kg'),
        day: date('Pick-up day'),
        mail: email('Contact'),
        express: confirm('Express?'),
        note: optional(text('Note for the driver')),
      }),
      { ...managers, onAnswer: () => 'Booked.' },
    ),
    return: support.question('return', confirm('Take back a lamp that is 40 days old?'), {
      ...managers,
      details: { Order: '12345', Bought: '40 days ago' },
      escalate: [{ after: 10 * minute, channel: 'mail', to: 'leads', answerableBy: { roles: ['lead'] } }],
      expiresIn: 60 * minute,
      onAnswer: (yes) => (yes ? 'Send it back, please.' : 'I cannot take it back.'),
    }),
    odd: support.question('odd', confirm('Send 900 EUR to \u0410da\u202e?'), {
      ...managers,
      details: { Recipient: '\u0410da Lovelace', Account: 'DE89\u200b3704', Invoice: '‘77’ ½' },
      onAnswer: () => 'Sent.',
    }),
    transfer: support.question('transfer', confirm('Transfer 900 EUR to the supplier?'), {
      ...managers,
      onAnswer: fails,
    }),
  };
  support.onMessage(({ message, ask }) => {
    const name = Object.keys(questions).find((each) => message.includes(`[${each}]`));
    return name === undefined ? 'Which order is it about?' : ask(questions[name as 'refund']);
  });
  return support;
}

const said = {
  refund: ['Ada', 'It is order 12345, can I have my money back? [refund]'],
  deploy: ['Otto', 'Ship it [deploy]'],
  invoice: ['Ben', 'There is a mistake on my invoice [invoice]'],
  plan: ['Cleo', 'We want to upgrade [plan]'],
  labels: ['Dan', 'Great support, but the bill was wrong [labels]'],
  parcel: ['Eve', 'My parcel came back to you [parcel]'],
  return: ['Grace', 'I want to give it back [return]'],
  odd: ['Mallory', 'pay me [odd]'],
  transfer: ['Finn', 'The supplier waits for their money [transfer]'],
} as const;

/** What the shop can be asked. */
export type Said = keyof typeof said;

export async function stateShop() {
  const here = world();
  const web = new TestChannel('web');
  const registry = await here.replica({
    agents: [shopAgent()],
    channels: [web, new TestChannel('mail')],
    logger: quiet,
    settings: { maxAttempts: 1 },
  });
  const people: InboxPerson[] = [
    { id: 'staff:anna', name: 'Anna', roles: ['manager'], scopes: ['read', 'answer', 'conversations', 'admin'] },
    { ...otto, scopes: ['answer', 'conversations'] },
    { id: 'staff:rita', name: 'Rita', scopes: ['read'] },
  ];
  const inbox = createInbox(registry, { authenticate: (request) => byHeader(people)(request) });
  const byToken = createInbox(registry, { basePath: '/local' });
  const server = await serveForBrowser((request) =>
    new URL(request.url).pathname.startsWith('/local') ? byToken.fetch(request) : inbox.fetch(request),
  );
  /** Somebody asks for it; the id of the ask that this opens. */
  const asked = async (what: Said, conversationId = `web-${what}`) => {
    const [name, words] = said[what];
    const participant = { id: `web:${name.toLowerCase()}`, name };
    if (what === 'refund') await here.says(web, 'My lamp came broken.', { conversationId, participant });
    await here.says(web, words, { conversationId, participant });
    return (await registry.listAsks({ conversationId })).asks.at(-1)?.id ?? '';
  };
  /** A tool whose call has to be approved; the id of that ask. */
  const approval = async () => {
    const tool = requireApproval(
      { name: 'send_letter', description: 'Sends a letter.', inputSchema: { type: 'object' }, execute: () => 'sent' },
      {
        registry,
        where: { channel: 'web', to: 'letters' },
        question: () => 'May I send this letter to all customers?',
        ...managers,
      },
    );
    const line = 'Dear customer, your order is late because the carrier lost a whole truck, and we are sorry. ';
    const input = { to: 'everybody@customers.example', subject: 'Your order', body: line.repeat(12), copies: 1200 };
    void Promise.resolve(tool.execute(input, { callId: 'call-1' })).catch(silent);
    for (;;) {
      await settle();
      const [ask] = (await registry.listAsks({})).asks;
      if (ask !== undefined) return ask.id;
    }
  };
  return {
    ...here,
    registry,
    port: registry[inboxPort],
    inbox,
    people,
    asked,
    approval,
    answer: (id: string, value: unknown) => registry.answer(id, { value: value as boolean }, { by: otto }),
    /** Where the inbox is; the other one is for whoever has a token. */
    url: `${server.url}/inbox`,
    local: `${server.url}/local`,
    close: async () => {
      await server.close();
      await registry.stop();
    },
  };
}

export type StateShop = Awaited<ReturnType<typeof stateShop>>;
