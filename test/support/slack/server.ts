/**
 * A local workspace in the shape of Slack: its Web API over HTTP on the loopback address, Socket Mode, and signed requests to the app.
 * It is made after Slack's documentation, with the limits of Block Kit and faults on demand. It knows nothing of askback.
 */
import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { controlsIn, problemsOfBlocks, problemsOfView, readableText, unescaped } from './block-kit.js';
import { SlackPerson } from './person.js';
import { ServerWebSocket } from './web-socket.js';

export type SlackFields = Readonly<Record<string, unknown>>;

/** A message in a channel. */
export interface StoredMessage {
  readonly team: string;
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly SlackFields[];
  readonly metadata?: SlackFields;
  /** For one person only. */
  readonly only?: string;
  /** How often it was changed. */
  readonly edits: number;
  readonly bot: boolean;
}

export interface StoredView {
  readonly id: string;
  readonly user: string;
  readonly view: SlackFields;
}

/** What goes wrong with a call. `lost`: it is done, and the connection breaks before the response. */
export type SlackFault =
  | { readonly retryAfter: number }
  | { readonly status: number }
  | { readonly error: string; readonly needed?: string }
  | { readonly until: Promise<unknown> }
  | 'reset'
  | 'lost';

export interface SlackCall {
  readonly method: string;
  readonly token: string;
  readonly body: SlackFields;
}

/** What the app answered. */
export interface AppAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** How a request to the app differs from what is usual. */
export interface DeliveryOptions {
  /** The number of the retry, and why: the headers of Slack's retries. */
  readonly retry?: number;
  /** How far Slack's clock is off, in seconds. */
  readonly off?: number;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SlackServerOptions {
  /** The time, in ms. */
  readonly now?: () => number;
  /** The id of the workspace. */
  readonly team?: string;
}

type Handler = (request: Request) => Promise<Response>;

export class SlackServer {
  readonly team: string;
  readonly appId = 'A1';
  readonly botUser = 'UBOT';
  readonly botId = 'B1';
  readonly token = 'xoxb-local-0123456789';
  readonly appToken = 'xapp-local-0123456789';
  readonly signingSecret = 'local-signing-secret-of-32-characters';
  readonly messages: StoredMessage[] = [];
  readonly views: StoredView[] = [];
  readonly calls: SlackCall[] = [];
  readonly users = new Map<string, SlackFields>();
  /** The members of each channel. Any channel that is not here is not found. */
  readonly channels = new Map<string, Set<string>>();
  /** The app: its handler, or an address. Without one, requests go to the socket that is connected. */
  app: Handler | string | undefined;
  /** How many messages are given at once, whatever is asked for. */
  mostAtOnce = 1_000;
  readonly now: () => number;
  readonly #server: Server;
  #sockets = new Set<ServerWebSocket>();
  readonly #connecting: (() => void)[] = [];
  #faults: { method: string; fault: SlackFault; times: number }[] = [];
  #waiting = new Map<string, (answer: AppAnswer) => void>();
  #triggers = new Map<string, { readonly user: string; readonly at: number }>();
  #count = 0;
  #lastTs = 0;

  constructor({ now = Date.now, team = 'T1' }: SlackServerOptions = {}) {
    this.now = now;
    this.team = team;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('upgrade', (request, stream) => {
      const socket = new ServerWebSocket(request, stream, (text) => this.#acknowledged(text));
      this.#sockets.add(socket);
      for (const connects of this.#connecting.splice(0)) connects();
      socket.sends({ type: 'hello', num_connections: 1, connection_info: { app_id: this.appId } });
    });
    this.channels.set('C1', new Set([this.botUser]));
    this.users.set(this.botUser, { id: this.botUser, team_id: this.team, name: 'askback', is_bot: true });
  }

  static async opened(options: SlackServerOptions = {}): Promise<SlackServer> {
    const slack = new SlackServer(options);
    await new Promise<void>((resolve) => slack.#server.listen(0, '127.0.0.1', resolve));
    return slack;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.#port}/api/`;
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** A person of the workspace, in the channels C1 and their own direct messages. */
  person(id: string, about: SlackFields = {}): SlackPerson {
    const known = this.users.get(id);
    const name = id.toLowerCase();
    if (known === undefined || Object.keys(about).length > 0)
      this.users.set(id, {
        id,
        team_id: this.team,
        name,
        real_name: name,
        deleted: false,
        is_bot: false,
        is_restricted: false,
        is_ultra_restricted: false,
        locale: 'en-US',
        tz: 'Europe/Berlin',
        profile: { display_name: name, real_name: name, email: `${name}@example.com` },
        ...about,
      });
    this.channels.get('C1')?.add(id);
    this.channels.set(this.direct(id), new Set([id, this.botUser]));
    return new SlackPerson(this, id);
  }

  /** The channel of direct messages between the app and a person. */
  direct(user: string): string {
    return `D${user.slice(1)}`;
  }

  /** From now on calls of this method (`*` for any) go wrong, this often. */
  fails(fault: SlackFault, { method = '*', times = Number.POSITIVE_INFINITY } = {}): void {
    this.#faults.push({ method, fault, times });
  }

  /** Everything works again. */
  works(): void {
    this.#faults = [];
  }

  /** What everybody in the channel sees, in order; with a person also what only they see. */
  seenIn(channel: string, person?: string): StoredMessage[] {
    return this.messages.filter((message) => message.channel === channel && [undefined, person].includes(message.only));
  }

  /** The app's messages, as a person reads them. */
  said(channel = 'C1', person?: string): { text: string; controls: string[]; message: StoredMessage }[] {
    return this.seenIn(channel, person)
      .filter(({ bot }) => bot)
      .map((message) => ({
        text: message.blocks.length > 0 ? readableText(message.blocks) : unescaped(message.text),
        controls: controlsIn(message.blocks).map(({ label }) => label),
        message,
      }));
  }

  nextTs(): string {
    this.#lastTs = Math.max(Math.floor(this.now() * 1_000), this.#lastTs + 100);
    return `${Math.floor(this.#lastTs / 1e6)}.${String(this.#lastTs % 1e6).padStart(6, '0')}`;
  }

  nextId(letter: string): string {
    this.#count += 1;
    return `${letter}${String(this.#count).padStart(6, '0')}`;
  }

  trigger(user: string): string {
    const id = `${this.nextId('')}.${this.#count}`;
    this.#triggers.set(id, { user, at: this.now() });
    return id;
  }

  // --- requests to the app ---

  /** An event, as the Events API sends it. The same body again is a retry. */
  async sendsEvent(body: SlackFields, options: DeliveryOptions = {}): Promise<AppAnswer> {
    if (this.app === undefined) return this.#overSocket('events_api', body, options.retry ?? 0);
    return this.#request(JSON.stringify(body), 'application/json', options);
  }

  /** An interaction: a form with the field `payload`. */
  async sendsInteraction(payload: SlackFields, options: DeliveryOptions = {}): Promise<AppAnswer> {
    if (this.app === undefined) return this.#overSocket('interactive', payload, options.retry ?? 0);
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return this.#request(body, 'application/x-www-form-urlencoded', options);
  }

  /** The headers that sign a body. */
  signed(body: string, { secret = this.signingSecret, off = 0 }: DeliveryOptions = {}): Record<string, string> {
    const seconds = String(Math.floor(this.now() / 1_000) + off);
    const digest = createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex');
    return { 'x-slack-request-timestamp': seconds, 'x-slack-signature': `v0=${digest}` };
  }

  async #request(body: string, type: string, options: DeliveryOptions): Promise<AppAnswer> {
    const retry =
      options.retry === undefined
        ? {}
        : { 'x-slack-retry-num': `${options.retry}`, 'x-slack-retry-reason': 'http_timeout' };
    const headers = { 'content-type': type, ...this.signed(body, options), ...retry, ...options.headers };
    const url = typeof this.app === 'string' ? this.app : 'https://app.example.com/slack';
    const request = new Request(url, { method: 'POST', headers, body });
    const response = typeof this.app === 'function' ? await this.app(request) : await fetch(request);
    const text = await response.text();
    return { status: response.status, body: parsed(text) ?? text };
  }

  /** Over Socket Mode: resolves with 200 once the envelope is acknowledged, with 503 if it is not within three seconds. */
  #overSocket(type: string, payload: SlackFields, retry: number): Promise<AppAnswer> {
    const socket = [...this.#sockets].find(({ isOpen }) => isOpen);
    if (socket === undefined) return Promise.resolve({ status: 503, body: 'no socket is connected' });
    const envelope_id = randomUUID();
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve({ status: 503, body: 'not acknowledged' }), 3_000);
      this.#waiting.set(envelope_id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      socket.sends({
        type,
        envelope_id,
        accepts_response_payload: type === 'interactive',
        payload,
        ...(type === 'events_api' ? { retry_attempt: retry, retry_reason: retry > 0 ? 'timeout' : '' } : {}),
      });
    });
  }

  #acknowledged(text: string): void {
    const { envelope_id: id, payload } = parsed(text) as { envelope_id: string; payload?: unknown };
    this.#waiting.get(id)?.({ status: 200, body: payload ?? '' });
    this.#waiting.delete(id);
  }

  /** The connections that are open. Ends them, as Slack does every few hours. */
  dropSockets(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Resolves once a connection is open. */
  async connected(): Promise<void> {
    if (this.openSockets === 0) await new Promise<void>((resolve) => this.#connecting.push(resolve));
  }

  get openSockets(): number {
    return [...this.#sockets].filter(({ isOpen }) => isOpen).length;
  }

  // --- the Web API ---

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = (request.url ?? '').replace(/^\/api\//, '');
    const body: Record<string, unknown> = {};
    for (const [name, value] of new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
      body[name] = /^[[{]/.test(value) ? (parsed(value) ?? value) : value;
    const token = String(request.headers.authorization ?? `Bearer ${String(body['token'])}`).slice('Bearer '.length);
    delete body['token'];
    this.calls.push({ method, token, body });
    const fault = this.#fault(method);
    const reply = (status: number, content: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(content));
    };
    if (fault === 'reset') return void request.socket.destroy();
    if (typeof fault === 'object' && 'until' in fault) await fault.until;
    else if (typeof fault === 'object' && 'retryAfter' in fault)
      return reply(429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(fault.retryAfter) });
    else if (typeof fault === 'object' && 'status' in fault) return reply(fault.status, { ok: false });
    else if (typeof fault === 'object') return reply(200, { ok: false, ...fault });
    const answer = this.#answer(method, token, body);
    if (fault === 'lost') return void request.socket.destroy();
    reply(200, answer);
  }

  #fault(method: string): SlackFault | undefined {
    const found = this.#faults.find((each) => each.times > 0 && ['*', method].includes(each.method));
    if (found !== undefined) found.times -= 1;
    return found?.fault;
  }

  #answer(method: string, token: string, body: SlackFields): SlackFields {
    const expected = method === 'apps.connections.open' ? this.appToken : this.token;
    if (token !== expected) return refused('invalid_auth');
    const user = String(body['user'] ?? '');
    const channel = String(body['channel'] ?? '');
    switch (method) {
      case 'auth.test':
        return {
          ok: true,
          team_id: this.team,
          user_id: this.botUser,
          bot_id: this.botId,
          url: 'https://shop.slack.com/',
        };
      case 'apps.connections.open':
        return { ok: true, url: `ws://127.0.0.1:${this.#port}/link/?ticket=${randomUUID()}` };
      case 'users.info': {
        const found = this.users.get(user);
        return found === undefined ? refused('user_not_found') : { ok: true, user: found };
      }
      case 'users.lookupByEmail': {
        const isThis = ({ profile }: SlackFields) => (profile as SlackFields | undefined)?.['email'] === body['email'];
        const found = [...this.users.values()].find(isThis);
        return found === undefined ? refused('users_not_found') : { ok: true, user: found };
      }
      case 'conversations.open': {
        const other = String(body['users'] ?? '');
        if (!this.users.has(other)) return refused('user_not_found');
        return { ok: true, channel: { id: this.direct(other) } };
      }
      case 'conversations.info':
        if (!this.channels.has(channel)) return refused('channel_not_found');
        return { ok: true, channel: { id: channel, is_im: channel.startsWith('D') } };
      case 'conversations.replies':
        return this.#replies(channel, body);
      case 'conversations.history':
        return this.#history(channel, body);
      case 'chat.postMessage':
        return this.#post(channel.startsWith('U') ? this.direct(channel) : channel, body);
      case 'chat.postEphemeral':
        if (this.channels.get(channel)?.has(user) !== true) return refused('user_not_in_channel');
        return this.#post(channel, body, user);
      case 'chat.update':
        return this.#update(channel, body);
      case 'views.open':
        return this.#openView(body);
      default:
        return refused('unknown_method');
    }
  }

  #replies(channel: string, body: SlackFields): SlackFields {
    if (this.channels.get(channel)?.has(this.botUser) !== true) return refused('channel_not_found');
    const { ts } = body;
    const thread = this.messages.filter(
      (each) => each.channel === channel && each.only === undefined && (each.ts === ts || each.thread_ts === ts),
    );
    if (thread.length === 0) return refused('thread_not_found');
    const [root, ...replies] = thread as [StoredMessage, ...StoredMessage[]];
    return this.#page([root, ...replies.filter(isSince(body))], body);
  }

  /** The newest first, without what is below a message. */
  #history(channel: string, body: SlackFields): SlackFields {
    if (this.channels.get(channel)?.has(this.botUser) !== true) return refused('channel_not_found');
    const messages = this.messages.filter(
      ({ channel: where, only, thread_ts }) => where === channel && only === undefined && thread_ts === undefined,
    );
    return this.#page(messages.filter(isSince(body)).reverse(), body);
  }

  #page(messages: readonly StoredMessage[], body: SlackFields): SlackFields {
    const { limit = 100, cursor, include_all_metadata: withMetadata } = body;
    const start = Number(String(cursor ?? 'from:0').slice('from:'.length));
    const end = start + Math.min(Number(limit), this.mostAtOnce);
    return {
      ok: true,
      messages: messages.slice(start, end).map((each) => this.described(each, withMetadata === 'true')),
      has_more: end < messages.length,
      response_metadata: { next_cursor: end < messages.length ? `from:${end}` : '' },
    };
  }

  /** A message as payloads and answers describe it. */
  described({ ts, thread_ts, user, text, blocks, metadata, bot }: StoredMessage, withMetadata = false): SlackFields {
    return {
      type: 'message',
      user,
      ts,
      text,
      ...(bot ? { bot_id: this.botId, app_id: this.appId } : {}),
      ...(blocks.length > 0 ? { blocks } : {}),
      ...(thread_ts === undefined ? {} : { thread_ts }),
      ...(withMetadata && metadata !== undefined ? { metadata } : {}),
    };
  }

  #post(channel: string, body: SlackFields, only?: string): SlackFields {
    if (this.channels.get(channel)?.has(this.botUser) !== true) return refused('channel_not_found');
    const wrong = this.#wrongContent(body);
    if (wrong !== undefined) return wrong;
    const ts = this.nextTs();
    const { thread_ts: thread } = body;
    const message: StoredMessage = {
      ...this.#content(body),
      team: this.team,
      channel,
      ts,
      user: this.botUser,
      edits: 0,
      bot: true,
      ...(typeof thread === 'string' ? { thread_ts: thread } : {}),
      ...(only === undefined ? {} : { only }),
    };
    this.messages.push(message);
    return only === undefined
      ? { ok: true, channel, ts, message: this.described(message) }
      : { ok: true, message_ts: ts };
  }

  #update(channel: string, body: SlackFields): SlackFields {
    const index = this.messages.findIndex(({ ts, only }) => ts === body['ts'] && only === undefined);
    const before = this.messages[index];
    if (before === undefined || before.channel !== channel) return refused('message_not_found');
    if (!before.bot) return refused('cant_update_message');
    const wrong = this.#wrongContent(body);
    if (wrong !== undefined) return wrong;
    this.messages[index] = { ...before, ...this.#content(body), edits: before.edits + 1 };
    return { ok: true, channel, ts: before.ts, text: body['text'] };
  }

  #wrongContent(body: SlackFields): SlackFields | undefined {
    if (typeof body['text'] !== 'string' || body['text'] === '') return refused('no_text');
    if (body['text'].length > 40_000) return refused('msg_too_long');
    if (body['blocks'] === undefined) return undefined;
    const problems = problemsOfBlocks(body['blocks'], 'message');
    return problems.length === 0
      ? undefined
      : { ...refused('invalid_blocks'), response_metadata: { messages: problems } };
  }

  /** Blocks without an id get one. */
  #content(body: SlackFields): Pick<StoredMessage, 'text' | 'blocks'> & { metadata?: SlackFields } {
    const blocks = ((body['blocks'] as readonly SlackFields[] | undefined) ?? []).map((block) => ({
      block_id: this.nextId('b'),
      ...block,
    }));
    const { metadata } = body;
    return { text: String(body['text']), blocks, ...(metadata ? { metadata: metadata as SlackFields } : {}) };
  }

  #openView(body: SlackFields): SlackFields {
    const id = String(body['trigger_id']);
    const trigger = this.#triggers.get(id);
    if (trigger === undefined) return refused('exchanged_trigger_id');
    this.#triggers.delete(id);
    if (this.now() - trigger.at > 3_000) return refused('expired_trigger_id');
    const view = body['view'] as SlackFields;
    const problems = problemsOfView(view);
    if (problems.length > 0) return { ...refused('invalid_arguments'), response_metadata: { messages: problems } };
    const stored = { id: this.nextId('V'), user: trigger.user, view };
    this.views.push(stored);
    return { ok: true, view: { ...view, id: stored.id } };
  }
}

/** Whether a message is newer than `oldest` of a call. */
function isSince({ oldest = 0 }: SlackFields): (message: StoredMessage) => boolean {
  return ({ ts }) => Number(ts) > Number(oldest);
}

function refused(error: string): SlackFields {
  return { ok: false, error };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
