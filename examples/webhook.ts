/**
 * Webhooks: a shop's backend posts what a customer wrote, gets what the agent said in the response, and is called back when a refund is to
 * be approved. Both sides are here, so that it runs as it stands and ends by itself.
 *   npx tsx webhook.ts   (from Node 22.18 on: node webhook.ts)
 *   npm run build && npm run build:examples && node dist-examples/webhook.js   (in a clone)
 * It needs: npm install @hono/node-server
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { AgentRegistry, agent, confirm, text } from 'askback';
import { signWebhook, verifyWebhook, WebhookChannel, type WebhookResponse } from 'askback/channels/webhook';

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const [toAgent, toShop] = [newSecret(), newSecret()]; // shared by both sides, one for each direction

// --- the shop's backend: it is called back with questions for the till ---

let ringTheTill: (asked: { conversationId: string; question: { askId: string } }) => void = () => {};
const atTheTill = new Promise<Parameters<typeof ringTheTill>[0]>((resolve) => {
  ringTheTill = resolve;
});
const shop = await listening(async (request) => {
  const body = await request.text();
  const id = verifyWebhook(toShop, request.headers, body); // throws if it is not signed by the agent's side
  const { type, data } = JSON.parse(body);
  console.log(`till: ${type}${data.question ? ` (${data.question.status})` : ''}: ${data.text}`);
  if (type === 'question.asked') ringTheTill(data);
  return new Response(id); // 200: taken. Drop an id that you have seen: the same may come twice
});

// --- the agent's side ---

const support = agent('support');
const approve = support.question('approve', confirm('Refund it?'), {
  answerableBy: ['shop:till'],
  onAnswer: (yes, { pending }) => `${yes ? 'Refunded' : 'Not refunded'}: order ${pending.context.order}.`,
});
const order = support.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
  onAnswer: (number, { ask }) =>
    ask(approve, {
      context: { order: number },
      details: { Order: number },
      via: { channel: 'webhook', to: { callback: 'till' } },
    }),
});
support.onMessage(({ ask }) => ask(order));

const webhook = new WebhookChannel({
  secret: toAgent,
  callbacks: { till: { url: `${shop.address}/till`, secret: toShop, allowPrivate: true } }, // allowPrivate: it is on this machine
});
const registry = new AgentRegistry({ agents: [support], channels: [webhook] });
await registry.start();
const agents = await listening(webhook.fetch);

// --- the shop's backend: it posts what people say, signed ---

async function posts(message: object): Promise<void> {
  const body = JSON.stringify(message);
  const id = randomBytes(12).toString('hex'); // the same one when the same message is sent again
  const headers = { 'content-type': 'application/json', ...signWebhook(toAgent, { id, body }) };
  const response = await fetch(`${agents.address}/webhook`, { method: 'POST', headers, body });
  const said = (await response.json()) as WebhookResponse;
  console.log(`${response.status} ${said.disposition.type}: ${said.outputs.map((output) => output.text).join(' ')}`);
}

const customer = { sessionId: 'chat-1', participant: { id: 'shop:anna' } };
await posts({ ...customer, text: 'I want a refund' });
await posts({ ...customer, text: '12345' });
const { conversationId, question } = await atTheTill;
const till = { conversationId, participant: { id: 'shop:till' } };
await posts({ ...till, askId: question.askId, choice: 'yes' });

await registry.idle(); // the callbacks have gone out
await registry.stop();
await Promise.all([shop.close(), agents.close()]);

async function listening(fetch: (request: Request) => Promise<Response>) {
  const server = createAdaptorServer({ fetch }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
