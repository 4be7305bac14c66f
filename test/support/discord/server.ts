/**
 * A local server in the shape of Discord: its HTTP API on the loopback address, interactions to the app with Ed25519 signatures, and the
 * events of the Gateway as the adapter of `chat` forwards them. It is made after Discord's documentation, and knows nothing of askback.
 */
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  type PlatformFields as Fields,
  failure,
  type PlatformCall,
  type PlatformRefusal,
  PlatformServer,
  shownButton,
} from '../chat/platform-server.js';

export interface DiscordButton {
  readonly label: string;
  readonly custom_id?: string;
  readonly url?: string;
  readonly disabled?: boolean;
}

/** A message of the bot, as people see it. */
export interface DiscordMessage {
  readonly channel: string;
  readonly id: string;
  /** After its markup was read. */
  readonly text: string;
  /** Those that can be pressed. */
  readonly buttons: readonly DiscordButton[];
  readonly edits: number;
}

/** Who does something, where. */
export interface DiscordActing {
  readonly from?: string;
  /** A channel of the server; without one the direct messages of the person. */
  readonly channel?: string;
  /** Discord's id of what happens; the same again is a second delivery. */
  readonly id?: string;
  /** More fields of the message or the interaction. */
  readonly more?: Fields;
}

const guild = '500';

export class DiscordServer extends PlatformServer {
  readonly token = 'local-bot-token-0123456789';
  readonly applicationId = '900';
  readonly publicKey: string;
  protected readonly authorization = `Bot ${this.token}`;
  readonly #key: KeyObject;
  readonly #messages = new Map<string, DiscordMessage>();

  private constructor() {
    super();
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.#key = privateKey;
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  }

  static opened(): Promise<DiscordServer> {
    return new DiscordServer().listening();
  }

  /** The channel of the direct messages with a person. */
  direct(person: string): string {
    return `7${person}`;
  }

  /** What the people of a channel see of the bot, in order. */
  said(channel: string): readonly DiscordMessage[] {
    return [...this.#messages.values()].filter((message) => message.channel === channel);
  }

  /** Somebody writes: an event of the Gateway, as the listener forwards it. */
  writes(text: string, { from = '1', channel, id = this.nextId(), more }: DiscordActing = {}): Promise<Response> {
    const place = channel === undefined ? { channel_id: this.direct(from) } : { channel_id: channel, guild_id: guild };
    const content = { id, content: text, author: person(from), timestamp: new Date(this.now()).toISOString() };
    const data = { ...place, ...content, attachments: [], mentions: [], channel_type: 0, ...more };
    const body = JSON.stringify({ type: 'GATEWAY_MESSAGE_CREATE', timestamp: 1, data });
    return this.posts(body, { 'x-discord-gateway-token': this.token });
  }

  /** The fields of a message that replies to this one of the bot. */
  quoting({ channel, id, text }: DiscordMessage): Fields {
    const author = { ...person(this.applicationId), bot: true };
    return {
      type: 19,
      message_reference: { type: 0, message_id: id, channel_id: channel },
      referenced_message: { id, channel_id: channel, content: text, author, type: 0 },
    };
  }

  /** Somebody presses the button with this label, on the latest message of the channel that has one. */
  presses(label: string, { from = '1', channel, id = this.nextId(), more }: DiscordActing = {}): Promise<Response> {
    const said = this.said(channel ?? this.direct(from));
    const { message, button } = shownButton(said, label, (each) => each.label);
    return this.interacts(
      this.press(button.custom_id ?? '', message.id, { from, id, ...(channel && { channel }), more: more ?? {} }),
    );
  }

  /** What Discord sends for a press, with whatever data. */
  press(data: string, messageId: string, { from = '1', channel, id = this.nextId(), more }: DiscordActing): Fields {
    const who = channel === undefined ? { user: person(from) } : { guild_id: guild, member: { user: person(from) } };
    const where = channel ?? this.direct(from);
    return {
      id,
      application_id: this.applicationId,
      type: 3,
      token: `interaction-token-${id}`,
      version: 1,
      channel_id: where,
      channel: { id: where, type: channel === undefined ? 1 : 0 },
      message: { id: messageId, channel_id: where },
      data: { component_type: 2, custom_id: data },
      ...who,
      ...more,
    };
  }

  /** A signed interaction. */
  interacts(interaction: unknown): Promise<Response> {
    const body = JSON.stringify(interaction);
    return this.posts(body, this.signed(body));
  }

  /** The headers that sign a body. */
  signed(body: string, key: KeyObject = this.#key): Record<string, string> {
    const timestamp = '1700000000';
    const signature = sign(null, Buffer.from(timestamp + body), key).toString('hex');
    return { 'x-signature-timestamp': timestamp, 'x-signature-ed25519': signature };
  }

  posts(body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    return this.request(body, headers);
  }

  protected refused({ message }: PlatformRefusal): Fields {
    return { message, code: 0 };
  }

  protected result({ method, path, body }: PlatformCall): Fields {
    if (method === 'GET' && path.startsWith('/users/')) return this.#person(path.slice('/users/'.length));
    if (path === '/users/@me/channels') {
      const { id } = this.#person(String(body['recipient_id']));
      return { id: this.direct(String(id)), type: 1 };
    }
    const [, channel = '', message] = /^\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(path) ?? [];
    if (channel === '') throw failure(404, 'Unknown Channel');
    return this.#sent(channel, message ?? this.nextId(), body);
  }

  /** People have numbers below 100; 66 takes no direct messages. */
  #person(id: string): Fields {
    if (!/^\d{1,2}$/.test(id)) throw failure(404, 'Unknown User');
    return person(id);
  }

  #sent(channel: string, id: string, body: Fields): Fields {
    if (this.fault !== undefined) throw failure(this.fault, 'Internal Server Error');
    if (channel === this.direct('66')) throw failure(403, 'Cannot send messages to this user');
    const before = this.#messages.get(id);
    const embeds = (body['embeds'] as readonly { readonly description?: string }[] | undefined) ?? [];
    const parts = [body['content'], ...embeds.map(({ description }) => description)];
    const given = parts.filter((part): part is string => typeof part === 'string' && part !== '').join('\n');
    if (given === '') throw failure(400, 'Cannot send an empty message');
    if (String(body['content'] ?? '').length > 2_000) throw failure(400, 'Must be 2000 or fewer in length.');
    if (embeds.some(({ description = '' }) => description.length > 4_096)) throw failure(400, 'Must be 4096 or fewer.');
    const rows = body['components'] as readonly { readonly components: readonly DiscordButton[] }[] | undefined;
    const drawn = rows?.flatMap(({ components }) => components);
    for (const { custom_id: data, url, label } of drawn ?? []) {
      if (label.length < 1 || label.length > 80) throw failure(400, 'Must be between 1 and 80 in length.');
      if (url === undefined && (data === undefined || data.length < 1 || data.length > 100))
        throw failure(400, 'Must be between 1 and 100 in length.');
    }
    const buttons = drawn?.filter(({ disabled }) => disabled !== true) ?? before?.buttons ?? []; // left out, they stay
    const edits = before === undefined ? 0 : before.edits + 1;
    this.#messages.set(id, { channel, id, text: unescaped(given), buttons, edits });
    return { id, channel_id: channel };
  }
}

function person(id: string): Fields {
  return { id, username: `person${id}`, global_name: `Person ${id}`, bot: false };
}

/** Text as Discord shows it, if every mark in it is escaped. */
function unescaped(text: string): string {
  const mark = /[*_~`|]|^[>#-]|\]\(|<[@#:!]|@everyone|@here/m.exec(text.replace(/\\[!-~]/g, ''));
  if (mark !== null) throw failure(400, `${mark[0]} would be markup or a mention`);
  return text.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
