/**
 * Approval by mail. A refund is asked for in the terminal; the approver gets a mail with a signed link, opens it and decides on the page.
 *   npx tsx mail-approval.ts   (from Node 22.18 on: node mail-approval.ts)
 *   npm run build && npm run build:examples && node dist-examples/mail-approval.js   (in a clone)
 * Without SMTP_URL it prints what has to be set.
 * It needs: npm install askback nodemailer imapflow postal-mime html-to-text hono @hono/node-server @hono/zod-openapi
 * (before Node 22.13 libsql as well)
 */
import { serve } from '@hono/node-server';
import { AgentRegistry, agent, confirm, TerminalChannel } from 'askback';
import { EmailChannel } from 'askback/channels/email';
import { createInbox } from 'askback/server';
import { SqliteStore } from 'askback/stores/sqlite';

const {
  SMTP_URL: smtp, // smtps://user:password@smtp.shop.example
  MAIL_SECRET: secret = '', // 32 characters or more, the same after a restart: it signs reply addresses and links
  MAIL_FROM: from = 'Refunds <refunds@shop.example>',
  MAIL_SERVER: authservId = 'mx.shop.example', // at the start of Authentication-Results in a mail that you received
  MAIL_BEARER: bearer = '', // a mail server posts replies to /mail with it; or they are read from a mailbox:
  IMAP_HOST: host,
  IMAP_USER: user = '',
  IMAP_PASSWORD: pass = '',
  APPROVER: approver = 'dora@shop.example',
  PORT: port = '4714',
  ORIGIN: origin = `http://127.0.0.1:${port}`, // as the approver's browser reaches this program
  DATABASE: path = './mail-approval.db',
} = process.env;

if (smtp === undefined) {
  console.log('Set SMTP_URL, MAIL_SECRET, MAIL_FROM, MAIL_SERVER, APPROVER, and IMAP_HOST, IMAP_USER, IMAP_PASSWORD.');
  process.exit();
}

const refunds = agent('refunds');
const approve = refunds.question('approve', confirm('Refund it?', { yes: 'Refund', no: 'Do not refund' }), {
  answerableBy: [`mail:${approver}`],
  links: 'decide', // the link is enough; without it the approver signs in
  onAnswer: async (yes, { pending, sendTo }) => {
    const said = `Order ${pending.context['order']}: ${yes ? 'refunded' : 'not refunded'}.`; // pay it under effectKey
    await sendTo('terminal', said, { to: 'whoever asked' });
    return said; // the approver's receipt
  },
});
refunds.onMessage(async ({ message, ask }) => {
  const [order] = /\d{5}/.exec(message) ?? [];
  if (order === undefined) return 'Which order? Write its five digits, such as: refund 12345';
  const via = { channel: 'email', to: approver };
  await ask(approve, { via, context: { order }, details: { Order: order }, expiresIn: 24 * 3_600_000 });
  return `${approver} is asked by mail. I will tell you here.`;
});

const email = new EmailChannel({
  from,
  smtp,
  secret,
  receive: host === undefined ? { webhook: { bearer } } : { imap: { host, auth: { user, pass } } },
  trust: { authservId },
  link: (askId, person) => inbox.link(askId, person),
});
const registry = new AgentRegistry({
  agents: [refunds],
  channels: [email, new TerminalChannel({ greeting: 'Write: refund 12345. Ctrl-C ends it.' })],
  store: new SqliteStore({ path }),
});
const inbox = createInbox(registry, { origin, secret, authenticate: () => null }); // people come by their link only
const server = serve({
  fetch: (request) =>
    new URL(request.url).pathname === '/mail' && email.fetch ? email.fetch(request) : inbox.fetch(request),
  port: Number(port),
  hostname: '127.0.0.1',
});
await registry.start();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    inbox.close();
    server.close();
    void registry.stop();
  });
}
