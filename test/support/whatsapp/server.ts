/**
 * A local server in the shape of WhatsApp's Cloud API: messages of the Graph API on the loopback address, and requests to the app with
 * their HMAC signature. It is made after Meta's documentation, with its limits and faults on demand. It knows nothing of askback.
 */
import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { showsLabel } from '../shown-label.js';

type Fields = Readonly<Record<string, unknown>>;

interface WhatsAppButton {
  readonly id: string;
  readonly title: string;
}

/** A message of the business, as the person sees it. */
interface WhatsAppMessage {
  readonly person: string;
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly WhatsAppButton[];
  /** The address that its only button opens. */
  readonly link?: string;
}

/** Who does something. */
export interface WhatsAppActing {
  readonly from?: string;
  /** The id of the message; the same again is a second delivery. */
  readonly id?: string;
  /** More fields of the message. */
  readonly more?: Fields;
}

export class WhatsAppServer {
  readonly token = 'local-access-token-0123456789';
  readonly appSecret = 'local-app-secret-0123456789';
  readonly verifyToken = 'local-verify-token-0123456789';
  readonly phoneNumberId = '106540352242922';
  readonly calls: { readonly path: string; readonly body: Fields }[] = [];
  /** The platform's clock. */
  now: () => number = Date.now;
  /** Where requests go. */
  app: string | undefined;
  readonly #server: Server;
  readonly #messages: WhatsAppMessage[] = [];
  /** People who have written within 24 hours: only they may be written to. */
  readonly #known = new Set<string>();
  #lastId = 1_000;
  #fault: { readonly status: number; readonly code: number } | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async opened(): Promise<WhatsAppServer> {
    const server = createServer((request, response) => void self.#answer(request, response));
    const self = new WhatsAppServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Every message fails from now on, with this status and Meta's own code. */
  fails(status: number, code = 131_000): void {
    this.#fault = { status, code };
  }

  works(): void {
    this.#fault = undefined;
  }

  /** What a person sees of the business, in order. */
  said(person = '1'): readonly WhatsAppMessage[] {
    return this.#messages.filter((message) => message.person === person);
  }

  nextId(): string {
    this.#lastId += 1;
    return `wamid.${this.#lastId}`;
  }

  /** Somebody writes. */
  writes(text: string, acting: WhatsAppActing = {}): Promise<Response> {
    return this.sends({ type: 'text', text: { body: text } }, acting);
  }

  /** Somebody presses the button with this title, on the latest message that has one. It stays there after it. */
  presses(title: string, { on, ...acting }: WhatsAppActing & { readonly on?: string } = {}): Promise<Response> {
    const message = this.said(on ?? acting.from).findLast(({ buttons }) =>
      buttons.some((each) => showsLabel(each.title, title)),
    );
    const button = message?.buttons.find((each) => showsLabel(each.title, title));
    if (message === undefined || button === undefined) throw new Error(`there is no button ${title}`);
    const context = { from: '15550783881', id: message.id };
    return this.sends({ context, ...pressOf(button) }, acting);
  }

  /** A message of somebody, of whatever type. */
  sends(message: Fields, { from = '1', id = this.nextId(), more }: WhatsAppActing = {}): Promise<Response> {
    this.#known.add(from);
    const timestamp = String(Math.floor(this.now() / 1_000));
    return this.delivers({
      contacts: [{ profile: { name: `Person ${from}` }, wa_id: from }],
      messages: [{ from, id, timestamp, ...message, ...more }],
    });
  }

  /** Somebody who hides their phone number writes: Meta tells an id of them for this business. */
  writesHidden(text: string, userId: string): Promise<Response> {
    this.#known.add(userId);
    const timestamp = String(Math.floor(this.now() / 1_000));
    return this.delivers({
      contacts: [{ profile: { name: 'Hidden' }, user_id: userId }],
      messages: [{ from_user_id: userId, id: this.nextId(), timestamp, type: 'text', text: { body: text } }],
    });
  }

  /** A signed request with what has happened at the number. */
  delivers(value: Fields): Promise<Response> {
    const body = JSON.stringify(this.notification(value));
    return this.posts(body, this.signature(body));
  }

  notification(value: Fields): Fields {
    const metadata = { display_phone_number: '15550783881', phone_number_id: this.phoneNumberId };
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
    return { object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes: [change] }] };
  }

  /** The header that signs a body. */
  signature(body: string, secret = this.appSecret): string {
    return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  }

  posts(body: string, signature?: string): Promise<Response> {
    if (this.app === undefined) throw new Error('there is no app');
    const signed = signature === undefined ? {} : { 'x-hub-signature-256': signature };
    return fetch(this.app, { method: 'POST', body, headers: { 'content-type': 'application/json', ...signed } });
  }

  /** What Meta asks once, when the address of the app is entered. */
  verifies(token: string): Promise<Response> {
    if (this.app === undefined) throw new Error('there is no app');
    const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '1158' });
    return fetch(`${this.app}?${query}`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Fields;
    this.calls.push({ path, body });
    const reply = (status: number, content: Fields) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    try {
      if (request.headers.authorization !== `Bearer ${this.token}`) throw failure(401, 190, 'Invalid OAuth token');
      if (!path.endsWith(`/${this.phoneNumberId}/messages`)) throw failure(404, 100, 'Unknown path');
      reply(200, this.#sent(body));
    } catch (error) {
      const { status = 400, code = 100, message } = error as Error & { status?: number; code?: number };
      reply(status, { error: { message: `(#${code}) ${message}`, type: 'OAuthException', code, fbtrace_id: 'local' } });
    }
  }

  #sent({ to, recipient, type, text, interactive }: Fields): Fields {
    if (this.#fault !== undefined) throw failure(this.#fault.status, this.#fault.code, 'Not now');
    const person = String(to ?? recipient); // an id of Meta's is no phone number, and has a field of its own
    if (to !== undefined && !/^\d+$/.test(person)) throw failure(400, 100, 'to must be a phone number');
    if (person === '66') throw failure(400, 131_026, 'Message undeliverable');
    if (!this.#known.has(person)) throw failure(400, 131_047, 'Re-engagement message');
    const id = this.nextId();
    if (type === 'text') {
      const { body = '' } = text as { readonly body?: string };
      limited('text.body', body, 4_096);
      this.#messages.push({ person, id, text: body, buttons: [] });
    } else if (type === 'interactive') this.#messages.push({ person, id, ...interactiveOf(interactive as Fields) });
    else throw failure(400, 100, 'Unknown type');
    return { messaging_product: 'whatsapp', contacts: [{ input: person, wa_id: person }], messages: [{ id }] };
  }
}

/** What WhatsApp sends for a press. */
export function pressOf({ id, title }: WhatsAppButton): Fields {
  return { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id, title } } };
}

function interactiveOf({ type, body, action }: Fields): Pick<WhatsAppMessage, 'text' | 'buttons' | 'link'> {
  const { text = '' } = body as { readonly text?: string };
  limited('interactive.body.text', text, 1_024);
  const { buttons: given = [], parameters } = action as {
    readonly buttons?: readonly { readonly reply: WhatsAppButton }[];
    readonly parameters?: { readonly display_text: string; readonly url: string };
  };
  if (type === 'cta_url' && parameters !== undefined) {
    limited('display_text', parameters.display_text, 20);
    return { text, buttons: [], link: parameters.url };
  }
  const buttons = given.map(({ reply }) => reply);
  if (buttons.length < 1 || buttons.length > 3)
    throw failure(400, 131_009, 'Invalid buttons count. Min allowed 1, max 3');
  for (const { id, title } of buttons) {
    limited('reply.title', title, 20);
    limited('reply.id', id, 256);
  }
  if (new Set(buttons.map(({ title }) => title)).size < buttons.length)
    throw failure(400, 131_009, 'Duplicated button titles');
  return { text, buttons };
}

function limited(field: string, text: string, most: number): void {
  if (text.trim() === '' || text.length > most)
    throw failure(400, 131_009, `${field} must have 1 to ${most} characters`);
}

function failure(status: number, code: number, message: string): Error {
  return Object.assign(new Error(message), { status, code });
}
