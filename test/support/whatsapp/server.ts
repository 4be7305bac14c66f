/**
 * A local server in the shape of WhatsApp's Cloud API: messages of the Graph API on the loopback address, and requests to the app with
 * their HMAC signature. It is made after Meta's documentation, with its limits and faults on demand. It knows nothing of askback.
 */
import { createHmac } from 'node:crypto';
import {
  type PlatformFields as Fields,
  failure,
  type PlatformCall,
  type PlatformRefusal,
  PlatformServer,
  shownButton,
} from '../chat/platform-server.js';

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

export class WhatsAppServer extends PlatformServer {
  readonly token = 'local-access-token-0123456789';
  readonly appSecret = 'local-app-secret-0123456789';
  readonly verifyToken = 'local-verify-token-0123456789';
  readonly phoneNumberId = '106540352242922';
  protected readonly authorization = `Bearer ${this.token}`;
  readonly #messages: WhatsAppMessage[] = [];
  /** People who have written within 24 hours: only they may be written to. */
  readonly #known = new Set<string>();
  #code = 0;

  static opened(): Promise<WhatsAppServer> {
    return new WhatsAppServer().listening();
  }

  /** Every message fails from now on, with this status and Meta's own code. */
  override fails(status: number, code = 131_000): void {
    super.fails(status);
    this.#code = code;
  }

  /** What a person sees of the business, in order. */
  said(person = '1'): readonly WhatsAppMessage[] {
    return this.#messages.filter((message) => message.person === person);
  }

  override nextId(): string {
    return `wamid.${super.nextId()}`;
  }

  /** Somebody writes. */
  writes(text: string, acting: WhatsAppActing = {}): Promise<Response> {
    return this.sends({ type: 'text', text: { body: text } }, acting);
  }

  /** Somebody presses the button with this title, on the latest message that has one. It stays there after it. */
  presses(title: string, { on, ...acting }: WhatsAppActing & { readonly on?: string } = {}): Promise<Response> {
    const { message, button } = shownButton(this.said(on ?? acting.from), title, (each) => each.title);
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
    return this.request(body, signature === undefined ? {} : { 'x-hub-signature-256': signature });
  }

  /** What Meta asks once, when the address of the app is entered. */
  verifies(token: string): Promise<Response> {
    if (this.app === undefined) throw new Error('there is no app');
    const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '1158' });
    return fetch(`${this.app}?${query}`);
  }

  protected result({ path, body }: PlatformCall): Fields {
    if (!path.endsWith(`/${this.phoneNumberId}/messages`)) throw failure(404, 'Unknown path', 100);
    return this.#sent(body);
  }

  protected refused({ message, code }: PlatformRefusal): Fields {
    return { error: { message: `(#${code}) ${message}`, type: 'OAuthException', code, fbtrace_id: 'local' } };
  }

  #sent({ to, recipient, type, text, interactive }: Fields): Fields {
    if (this.fault !== undefined) throw failure(this.fault, 'Not now', this.#code);
    const person = String(to ?? recipient); // an id of Meta's is no phone number, and has a field of its own
    if (to !== undefined && !/^\d+$/.test(person)) throw failure(400, 'to must be a phone number', 100);
    if (person === '66') throw failure(400, 'Message undeliverable', 131_026);
    if (!this.#known.has(person)) throw failure(400, 'Re-engagement message', 131_047);
    const id = this.nextId();
    if (type === 'text') {
      const { body = '' } = text as { readonly body?: string };
      limited('text.body', body, 4_096);
      this.#messages.push({ person, id, text: body, buttons: [] });
    } else if (type === 'interactive') this.#messages.push({ person, id, ...interactiveOf(interactive as Fields) });
    else throw failure(400, 'Unknown type', 100);
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
    throw failure(400, 'Invalid buttons count. Min allowed 1, max 3', 131_009);
  for (const { id, title } of buttons) {
    limited('reply.title', title, 20);
    limited('reply.id', id, 256);
  }
  if (new Set(buttons.map(({ title }) => title)).size < buttons.length)
    throw failure(400, 'Duplicated button titles', 131_009);
  return { text, buttons };
}

function limited(field: string, text: string, most: number): void {
  if (text.trim() === '' || text.length > most)
    throw failure(400, `${field} must have 1 to ${most} characters`, 131_009);
}
