/**
 * A channel of your own, for a platform that posts signed events and takes messages over HTTP. The guide
 * "Your own channel" builds it step by step. Start it, and it takes events on http://127.0.0.1:4712/:
 *   API=http://127.0.0.1:4713 TOKEN=t SECRET=s npx tsx http-channel.ts   (from Node 22.18 on: node http-channel.ts)
 *   npm run build && npm run build:examples && API=… TOKEN=t SECRET=s node dist-examples/http-channel.js   (in a clone)
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import type { Channel, Desk, IncomingMessage, Json, OutgoingMessage } from 'askback';
import { AgentRegistry, agent, confirm } from 'askback';
import { inert, plainText, shownChoices } from 'askback/channels/plain';

interface Platform {
  readonly api: string;
  readonly token: string;
  readonly secret: string;
}

export class HttpChannel implements Channel {
  readonly name = 'pigeon';
  readonly #platform: Platform;
  #desk: Desk | undefined;

  constructor(platform: Platform) {
    for (const [name, value] of Object.entries(platform)) if (value === '') throw new Error(`Pigeon needs ${name}.`);
    this.#platform = platform;
  }

  start(desk: Desk): void {
    this.#desk = desk;
  }

  async stop(): Promise<void> {
    this.#desk = undefined;
  }

  async send(message: OutgoingMessage): Promise<string> {
    return this.#call('POST', '/messages', { to: message.address, key: message.key, ...drawn(message) });
  }

  async update(sentId: string, message: OutgoingMessage): Promise<void> {
    await this.#call('PUT', `/messages/${encodeURIComponent(sentId)}`, drawn(message));
  }

  conversationFor(to: Json): string {
    return `pigeon:${String(to)}`;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const body = await request.text();
    if (!isSigned(body, request.headers.get('x-signature') ?? '', this.#platform.secret)) return answer(401);
    const message = readEvent(body);
    if (message === undefined) return answer(400);
    const stored = await this.#desk?.receive(message).catch(() => undefined);
    return answer(stored === undefined ? 503 : 200); // 503: the platform sends it again
  };

  async #call(method: string, path: string, body: object): Promise<string> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#platform.token}` };
    const response = await fetch(this.#platform.api + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`The platform answered ${method} ${path} with ${response.status}.`);
    return String(((await response.json()) as { id: unknown }).id);
  }
}

const answer = (status: number): Response => new Response(null, { status });

/** The text, and a button for each option. A button carries what its press has to say: conversation, ask and option. */
function drawn(message: OutgoingMessage): { readonly text: string; readonly buttons: readonly object[] } {
  const { ask, shape, conversationId, hint: _, ...rest } = message;
  if (ask?.status !== 'pending' || shape.type !== 'choices' || shape.many)
    return { text: plainText(message), buttons: [] };
  const data = (option: string): string => JSON.stringify([conversationId, ask.id, option]);
  const buttons = shownChoices(shape).map(({ id, label }) => ({ label: inert(label), data: data(id) }));
  return { text: plainText({ ...rest, conversationId, ask, shape: { type: 'text' } }), buttons };
}

function isSigned(body: string, signature: string, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** An event of the platform as a message; undefined if it is none. */
function readEvent(body: string): IncomingMessage | undefined {
  const { id, chat, user, text = '', pressed = '[]' } = parsed(body);
  const [conversationId, askId, choice] = [parsed(pressed)].flat();
  if (![id, chat, user, text].every(isText)) return undefined;
  const from = { id: `${chat}/${id}`, text: String(text), address: `${chat}`, participant: { id: `pigeon:${user}` } };
  if (pressed === '[]') return { ...from, conversationId: `pigeon:${chat}` };
  if (!isText(conversationId) || !isText(askId) || !isText(choice)) return undefined;
  return { ...from, conversationId, askId, choice };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function parsed(text: unknown): { readonly [field: string]: unknown } {
  try {
    return Object(JSON.parse(String(text))) as { readonly [field: string]: unknown };
  } catch {
    return {};
  }
}

/** Runs when this file is the program, and not when it is imported. */
async function main(): Promise<void> {
  const ops = agent('ops');
  const sure = ops.question('sure', confirm('Restart the server?'), {
    onAnswer: (yes) => (yes ? 'Restarted.' : 'Left alone.'),
  });
  ops.onMessage(({ ask }) => ask(sure));
  const { API = '', TOKEN = '', SECRET = '', PORT = '4712' } = process.env;
  const pigeon = new HttpChannel({ api: API, token: TOKEN, secret: SECRET });
  const registry = new AgentRegistry({ agents: [ops], channels: [pigeon] });
  await registry.start();
  const server = serve({ fetch: pigeon.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) => {
    console.log(`Taking events on http://127.0.0.1:${port}/`);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      server.close();
      void registry.stop();
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
