/**
 * A process that refunds by mail on a SQLite file: node replica.mjs OPTIONS, as JSON { path, smtp, imap, pay, secret, approver, settings }.
 * Whoever writes wants a refund; the approver is asked, or they themselves if there is none; whoever wrote gets the receipt.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { library } from '../../support/library.mjs';
import { serve } from '../../support/serve.mjs';

const { path, smtp, imap, pay, secret, approver, settings } = JSON.parse(process.argv[2]);
const { AgentRegistry, agent, confirm } = await library('index.js');
const { SqliteStore } = await library('stores/sqlite/index.js');
const { EmailChannel } = await library('channels/email/index.js');

const delays = monitorEventLoopDelay({ resolution: 20 });
delays.enable();

const refunds = agent('refunds');
const approve = refunds.question('approve', confirm('Refund it?'), {
  mail: 'decide',
  onAnswer: async (_yes, { effectKey, pending, sendTo }) => {
    await fetch(pay, { method: 'POST', body: effectKey });
    await sendTo('email', `Refunded: ${pending.context.order}`, { to: pending.context.asker });
  },
});
const elsewhere = approver && { via: { channel: 'email', to: approver }, answerableBy: [`mail:${approver}`] };
refunds.onMessage(async ({ message, participant, ask }) => {
  const asker = participant.id.replace('mail:', '');
  await ask(approve, { context: { asker, order: message }, details: { Order: message }, ...elsewhere });
});

const host = '127.0.0.1';
const email = new EmailChannel({
  from: 'Refunds <refunds@shop.example>',
  smtp: { host, port: smtp, secure: false },
  secret,
  receive: { imap: { host, port: imap, secure: false, auth: { user: 'testuser', pass: 'testpass' } } },
  trust: { authservId: 'mx.shop.example' },
});
const registry = new AgentRegistry({
  agents: [refunds],
  channels: [email],
  store: new SqliteStore({ path }),
  settings,
});
await serve(
  {
    open: async () => (await registry.listAsks()).asks.length,
    // the most memory that was used, in bytes, and the longest that the event loop was held up, in ms
    load: async () => ({ memory: process.resourceUsage().maxRSS * 1_024, held: delays.max / 1e6 }),
    stop: () => registry.stop(),
  },
  registry.start(),
);
