/**
 * The inbox in a Hono app: the page and the JSON API of what waits for people. Start it, then look from a second terminal:
 *   npm install askback hono @hono/node-server @hono/zod-openapi
 *   PORT=4713 npx tsx inbox-hono.ts   (from Node 22.18 on: node inbox-hono.ts)
 *   npm run build && npm run build:examples && PORT=4713 node dist-examples/inbox-hono.js   (in a clone)
 *   curl -s localhost:4713/inbox/api/v1/asks -H 'authorization: Bearer annas-token-of-20-or-more'
 * Everybody's token here is in the source: in yours, keep hashes only (hashToken).
 */
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { AgentRegistry, agent, confirm } from 'askback';
import { createInbox, hashToken, staticTokens } from 'askback/server';
import { Hono } from 'hono';

const refunds = agent('refunds');
const sure = refunds.question('sure', confirm('Refund 48 EUR?'), {
  answerableBy: { roles: ['manager'] },
  onAnswer: (yes) => (yes ? 'Refunded.' : 'Kept.'),
});
refunds.onMessage(({ ask }) => ask(sure, { details: { Order: '12345' } }));

const registry = new AgentRegistry({ agents: [refunds] });
const inbox = createInbox(registry, {
  authenticate: staticTokens({
    [hashToken('annas-token-of-20-or-more')]: { id: 'staff:anna', roles: ['manager'], scopes: ['answer'] },
  }),
});
await registry.start();
await registry.handle({ id: '1', conversationId: 'web-ada', text: 'refund', participant: { id: 'web:ada' } });

const app = new Hono();
app.get('/', (context) => context.text('The shop'));
app.all('/inbox/*', (context) => inbox.fetch(context.req.raw));

const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 0), hostname: '127.0.0.1' }, () => {
  console.log(`The inbox is at http://localhost:${(server.address() as AddressInfo).port}/inbox`);
});
process.once('SIGTERM', () => {
  inbox.close();
  server.close();
  void registry.stop();
});
