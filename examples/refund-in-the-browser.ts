/**
 * A refund in the browser: a visitor asks for it in a chat, a manager approves it in the inbox, and the chat goes on.
 *   npm start   (in a clone)
 *   npx tsx refund-in-the-browser.ts   (from Node 22.18 on: node refund-in-the-browser.ts)
 * It needs: npm install hono @hono/node-server @hono/zod-openapi. Options: --port 4711, --redis redis://localhost:6379.
 * Stop it at any question and start it again: it goes on there. What it keeps is in ./.askback.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { AgentRegistry, agent, choice, confirm, form, type Store, text } from 'askback';
import { WebChannel } from 'askback/channels/web';
import { createInbox, hashToken, InboxChannel, staticTokens } from 'askback/server';

const options = readOptions();

// --- the agent ---

const support = agent('support');

const approve = support.question(
  'approve',
  confirm('Refund 48 EUR for a lamp?', { yes: 'Refund 48 EUR', no: 'Do not refund' }),
  {
    answerableBy: { roles: ['manager'] },
    onAnswer: async (yes, { pending, effectKey, sendTo }) => {
      const { order, customer } = pending.context;
      const paid = yes ? `Done: ${await pay(String(order), effectKey)}` : undefined;
      const to = { conversationId: String(customer) };
      await sendTo('web', paid ?? 'I am sorry: our manager has refused the refund.', to);
    },
  },
);

const details = support.question(
  'details',
  form('I can help with that. Please tell me more:', {
    name: text('Your name'),
    order: text('Order number', { pattern: /^\d{5}$/, example: '12345' }),
    reason: choice('What is wrong with the lamp?', ['It is broken', 'It does not fit', 'It never came']),
  }),
  {
    onAnswer: async ({ name, order, reason }, { ask, conversationId: customer, pending }) => {
      const via = { channel: 'inbox', to: pending.id }; // a case of its own
      await ask(approve, { via, context: { order, customer }, details: { To: name, Order: order, Reason: reason } });
      return 'Thank you. Our manager is looking at it. I will tell you here.';
    },
  },
);

support.onMessage(({ message, ask }) =>
  /refund|broken|money/i.test(message) ? ask(details) : 'Hello! I can refund a lamp. Write “refund”.',
);

// Stands for your payment provider. The same key again is the same payment: a repeat pays once.
async function pay(order: string, key: string): Promise<string> {
  return `48 EUR for order ${order} are on their way, receipt ${key.slice(0, 8)}.`;
}

// --- where people meet it ---

const { port } = options;
const { secret, token } = keptKeys();
const chat = new WebChannel({
  origins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
  secret,
  title: 'The lamp shop',
});
const registry = new AgentRegistry({
  agents: [support],
  channels: [chat, new InboxChannel()],
  store: await openStore(),
});
await registry.start();

const manager = {
  id: 'staff:max',
  name: 'Max',
  roles: ['manager'],
  scopes: ['read', 'answer', 'conversations', 'admin'],
} as const;
const inbox = createInbox(registry, { secret, authenticate: staticTokens({ [hashToken(token)]: manager }) });

const fetch = (request: Request): Promise<Response> =>
  new URL(request.url).pathname.startsWith('/inbox') ? inbox.fetch(request) : chat.fetch(request);

const server = serve({ fetch, port, hostname: '127.0.0.1' }, () => {
  console.log(`Chat:   http://127.0.0.1:${port}/
Inbox:  http://127.0.0.1:${port}/inbox   sign in with the token ${token}

Write “refund” in the chat, approve it in the inbox. Stop this with Ctrl-C at any question and start it again.`);
});
server.on('error', (error) => {
  console.error(`Port ${port} cannot be used (${error.message}). Name another one: --port 4712`);
  process.exit(1);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close();
    void registry.stop().then(() => process.exit());
  });
}

function readOptions(): { readonly port: number; readonly redis?: string | undefined; readonly folder: string } {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '4711' },
        redis: { type: 'string' },
        folder: { type: 'string', default: '.askback' },
      },
    });
    const port = Number(values.port);
    if (Number.isInteger(port) && port >= 1 && port <= 65_535) return { ...values, port };
    throw new Error(`--port must be a whole number from 1 to 65535, got ${JSON.stringify(values.port)}`);
  } catch (error) {
    console.error(
      `${(error as Error).message}. Options: --port 4711, --redis redis://localhost:6379, --folder .askback`,
    );
    return process.exit(1);
  }
}

async function openStore(): Promise<Store> {
  if (options.redis !== undefined) return new (await import('askback/stores/redis')).RedisStore({ url: options.redis });
  const { SqliteStore } = await import('askback/stores/sqlite');
  return new SqliteStore({ path: join(options.folder, 'refunds.db') });
}

interface Keys {
  readonly secret: string;
  readonly token: string;
}

/** Made at the first start. A program of your own has them in its environment. */
function keptKeys(): Keys {
  const path = join(options.folder, 'keys.json');
  mkdirSync(options.folder, { recursive: true });
  if (existsSync(path)) {
    const kept = keysIn(readFileSync(path, 'utf8'));
    if (kept !== undefined) return kept;
    console.error(
      `${path} is damaged, so new keys are made: sign in with the new token. A chat that is open begins anew.`,
    );
  }
  const made = { secret: randomBytes(32).toString('hex'), token: randomBytes(16).toString('hex') };
  writeFileSync(`${path}.new`, JSON.stringify(made), { mode: 0o600 });
  renameSync(`${path}.new`, path); // it is there as a whole, or not at all
  return made;
}

function keysIn(written: string): Keys | undefined {
  try {
    const { secret, token } = JSON.parse(written) as Partial<Keys>;
    return secret?.length === 64 && token?.length === 32 ? { secret, token } : undefined;
  } catch {
    return undefined;
  }
}
