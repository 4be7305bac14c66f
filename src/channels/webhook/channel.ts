/**
 * The webhook channel: a signed request in, what was said in its response or by a signed callback. It decides nothing and follows no
 * address that a request names.
 */
import { isIP } from 'node:net';
import {
  boolean,
  type CheckedOptions,
  checkOptions,
  dictionary,
  func,
  hasFields,
  integer,
  longestTimer,
  milliseconds,
  nonBlank,
  type OptionRule,
  type OptionRules,
  object,
  optional,
} from '../../core/check-options.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import type { Handled, Outputs } from '../../core/conversation/said.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { describe, digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { checkedPerson, type Participant } from '../../core/participant.js';
import { type Clock, clockOption, systemClock } from '../../machine/clock.js';
import { assertJson, errorResponse, jsonResponse, limitedBody, notServed, parsedJson } from '../http.js';
import { StartedDesk } from '../kit/started-desk.js';
import type { Channel, Desk, IncomingMessage } from '../port.js';
import { hostOf, post } from './callback.js';
import { drawn, type WebhookResponse } from './drawing.js';
import { readMessage, sessionOf, type WebhookCaller, type WebhookSession } from './incoming.js';
import { isPublicAddress } from './public-address.js';
import { isWebhookId, secretsOption, signWebhook, verifyWebhook } from './signature.js';

/** An address that outputs are posted to. */
export interface WebhookCallback {
  /** Where outputs are posted: https. Redirects are not followed. */
  readonly url: string;
  /** The secret that signs them; several while one is replaced. */
  readonly secret: string | readonly string[];
  /**
   * The host may resolve to a private or loopback address, and the address may then be http.
   *
   * @default false
   */
  readonly allowPrivate?: boolean;
}

/** The options of a `WebhookChannel`. `secret`, `authenticate` or both are needed. */
export interface WebhookOptions {
  /**
   * The name of the channel.
   *
   * @default 'webhook'
   */
  readonly name?: string;
  /** The secret that signs requests, as Standard Webhooks has it; several while one is replaced. Who has it may write as anybody. */
  readonly secret?: string | readonly string[];
  /** Who sends a request that is not signed, by its headers; undefined or null for an unknown sender. It is given the request without its body. */
  readonly authenticate?: (
    request: Request,
  ) => WebhookCaller | null | undefined | Promise<WebhookCaller | null | undefined>;
  /** Where outputs can be posted, by the names that messages and `via` use. */
  readonly callbacks?: Readonly<Record<string, WebhookCallback>>;
  /**
   * How long a request waits for what is said, in ms. Then the response says where to look.
   *
   * @default 25_000
   */
  readonly timeout?: number;
  /**
   * How long a callback may take, in ms.
   *
   * @default 10_000
   */
  readonly callbackTimeout?: number;
  /**
   * The most bytes of a request's body.
   *
   * @default 262_144
   */
  readonly bodyBytes?: number;
  /** Time and timers, for tests. */
  readonly clock?: Clock;
}

const callbackRules = {
  url: callbackUrl,
  secret: secretsOption,
  allowPrivate: optional(boolean(), false),
} satisfies OptionRules<WebhookCallback>;

const callbackOption: OptionRule<CheckedOptions<typeof callbackRules>> = (value, name) => {
  const callback = object(callbackRules, "{ url: 'https://example.com/askback', secret }")(value, name);
  const url = new URL(callback.url);
  const isPrivate = isIP(hostOf(url)) !== 0 && !isPublicAddress(hostOf(url));
  if (callback.allowPrivate || (url.protocol === 'https:' && !isPrivate)) return callback;
  throw new AgentError(
    'bad-option',
    `${name}.url must be https and public. For an address of your own network set allowPrivate: true.`,
  );
};

const rules = {
  name: optional(nonBlank(), 'webhook'),
  secret: optional(secretsOption),
  authenticate: optional(func<NonNullable<WebhookOptions['authenticate']>>()),
  callbacks: optional(dictionary(callbackOption, 'an object of callbacks by name'), {}),
  timeout: optional(milliseconds({ max: longestTimer }), 25_000),
  callbackTimeout: optional(milliseconds({ max: longestTimer }), 10_000),
  bodyBytes: optional(integer({ min: 1, of: 'bytes' }), 262_144),
  clock: optional(clockOption, systemClock),
} satisfies OptionRules<WebhookOptions>;

type WebhookDesk = StartedDesk<'handle' | 'outputs'>['current'];

/** Who has sent a request: undefined for one that was signed. */
interface Sender {
  readonly caller?: WebhookCaller;
  readonly body: Uint8Array;
  /** The id that was signed. */
  readonly signedId?: string;
}

/**
 * Requests in, what was said in the same response or by a signed callback. Mount `fetch` in any server: `POST` takes a message,
 * `GET …/outputs` gives what was said since.
 *
 * @example
 * import { agent, AgentRegistry } from 'askback';
 * import { WebhookChannel } from 'askback/channels/webhook';
 *
 * const webhook = new WebhookChannel({ secret: process.env.WEBHOOK_SECRET ?? '' });
 * const echo = agent('echo').onMessage(({ message }) => `You said ${message}.`);
 * await new AgentRegistry({ agents: [echo], channels: [webhook] }).start();
 * const response = await webhook.fetch(new Request('https://example.com/webhook', { method: 'POST' })); // 415: no JSON
 */
export class WebhookChannel implements Channel {
  /** The name of the channel. */
  readonly name: string;
  readonly #options: CheckedOptions<typeof rules>;
  readonly #desk: StartedDesk<'handle' | 'outputs'>;
  #stopped = new AbortController();

  constructor(options: WebhookOptions) {
    this.#options = checkOptions('WebhookChannel', options, rules, '{ secret }');
    this.name = this.#options.name;
    this.#desk = new StartedDesk('WebhookChannel', this.name, ['handle', 'outputs']);
    const { secret, authenticate } = this.#options;
    if (secret === undefined && authenticate === undefined)
      throw new AgentError(
        'bad-option',
        'WebhookChannel: secret or authenticate is needed, else anybody could write as anybody.',
      );
  }

  /** Begins to take requests. The registry calls it. */
  start(desk: Desk): void {
    this.#desk.begin(desk);
    this.#stopped = new AbortController();
  }

  /** Takes no more requests, and ends callbacks under way. */
  async stop(): Promise<void> {
    this.#desk.end();
    this.#stopped.abort();
  }

  /** Posts what was said to the callback that its message or `via` named. Without one it waits to be fetched. */
  async send(message: OutgoingMessage): Promise<string | void> {
    const callback = this.#callbackIn(message.address);
    if (callback === undefined) return;
    await this.#post(callback, eventOf(message), message);
    return message.key;
  }

  /** Tells the callback that a question is over. */
  async update(_sentId: string, message: OutgoingMessage): Promise<void> {
    const callback = this.#callbackIn(message.address);
    if (callback !== undefined) await this.#post(callback, 'question.settled', message);
  }

  /** The conversation that `to` names, else one for each callback. */
  conversationFor(to: Json): string {
    const { conversationId } = addressIn(to);
    if (typeof conversationId === 'string' && conversationId !== '') return conversationId;
    const callback = this.#callbackIn(to);
    if (callback !== undefined) return `${this.name}:${callback}`;
    throw new AgentError(
      'bad-option',
      `WebhookChannel ${JSON.stringify(this.name)}: to must be an object such as { callback: 'orders' }, { conversationId: 's1' } or both, got ${describe(to)}.`,
    );
  }

  /** Messages come from a callback or from none; the conversation is no part of their address. */
  addressFor(to: Json): Json {
    return addressOf(this.#callbackIn(to));
  }

  /** Serves a request, wherever it is mounted: only the end of the path counts. Never rejects. */
  readonly fetch = async (request: Request): Promise<Response> => {
    try {
      const desk = this.#desk.current;
      const isOutputs = /\/outputs\/?$/.test(new URL(request.url).pathname);
      const allowed = isOutputs ? 'GET' : 'POST';
      if (request.method !== allowed) throw notServed(`Only ${allowed} is served here.`, [allowed]);
      return isOutputs ? await this.#outputs(desk, request) : await this.#message(desk, request);
    } catch (error) {
      return errorResponse(error, `WebhookChannel ${JSON.stringify(this.name)}`);
    }
  };

  async #message(desk: WebhookDesk, request: Request): Promise<Response> {
    assertJson(request);
    const { body, caller, signedId } = await this.#authenticated(request);
    const message = readMessage(parsedJson(body));
    const session = sessionOf(request, message, caller, this.name);
    const incoming = this.#incoming(message, session, caller, signedId ?? request.headers.get('webhook-id'));
    const { callback } = message;
    if (callback !== undefined) {
      await desk.receive(incoming);
      return messageResponse(202, { disposition: { type: 'received' }, outputs: [], callback, ...session });
    }
    const handled = await desk.handle(incoming, { timeout: this.#options.timeout });
    const { disposition, metadata } = handled;
    const said = { ...toldOf(disposition), ...definedFields({ metadata }), ...outputsFor(handled, caller), ...session };
    if (disposition.type !== 'received') return messageResponse(200, said);
    const where = whereAfter(request, session, handled.cursor);
    return messageResponse(202, { ...said, where }, { location: where });
  }

  #incoming(
    message: ReturnType<typeof readMessage>,
    { conversationId }: WebhookSession,
    caller: WebhookCaller | undefined,
    webhookId: string | null,
  ): IncomingMessage {
    const { id = webhookId ?? '', text = '', askId, choice, value, callback } = message;
    const { intent, data, automated, sentAt } = message;
    if (id === '')
      throw new AgentError(
        'bad-message',
        'The message has no id. Send an id of your own, and the same one when you send it again.',
      );
    if (message.text === undefined && choice === undefined && value === undefined)
      throw new AgentError('bad-message', 'The message has no text, no choice and no value. Send one of them.');
    if (caller !== undefined && message.participant !== undefined)
      throw new AgentError('bad-message', 'The message names a participant. Leave it out: it is whoever sends it.');
    if (callback !== undefined) this.#callbackIn({ callback });
    const participant = caller?.participant ?? message.participant;
    return {
      id,
      conversationId,
      text,
      address: addressOf(callback),
      ...definedFields({ participant, askId, choice, value, intent, data, automated, sentAt }),
    };
  }

  async #outputs(desk: WebhookDesk, request: Request): Promise<Response> {
    const { caller } = await this.#authenticated(request);
    const session = sessionOf(request, {}, caller, this.name);
    const { searchParams } = new URL(request.url);
    const after = searchParams.get('after') ?? undefined;
    const wait = Math.min(this.#options.timeout, waitIn(searchParams.get('wait')));
    const said = await desk.outputs(session.conversationId, { wait, ...definedFields({ after }) });
    return jsonResponse(200, { ...outputsFor(said, caller), ...session });
  }

  /** Who has sent the request. A signature covers the body, or the query of a request without one. */
  async #authenticated(request: Request): Promise<Sender> {
    const { secret, authenticate, bodyBytes, clock } = this.#options;
    if (secret !== undefined && request.headers.has('webhook-signature')) {
      const body = await limitedBody(request, bodyBytes);
      const signed = request.method === 'GET' ? new URL(request.url).search.slice(1) : body;
      return { body, signedId: verifyWebhook(secret, request.headers, signed, clock.now()) };
    }
    const caller = await callerBy(authenticate, request);
    if (caller === undefined) throw unproved(secret !== undefined);
    assertWellFormed(caller.participant);
    return { caller, body: await limitedBody(request, bodyBytes) };
  }

  /** The name of a configured callback in an address. */
  #callbackIn(address: Json): string | undefined {
    const { callback } = addressIn(address);
    if (callback === undefined) return undefined;
    if (typeof callback === 'string' && Object.hasOwn(this.#options.callbacks, callback)) return callback;
    throw new AgentError(
      'bad-option',
      `WebhookChannel ${JSON.stringify(this.name)} has no callback ${describe(callback)}. Name it in callbacks.`,
    );
  }

  async #post(name: string, type: string, message: OutgoingMessage): Promise<void> {
    const { callbacks, clock, callbackTimeout: limit } = this.#options;
    const { url, secret, allowPrivate } = callbacks[name] as (typeof callbacks)[string]; // #callbackIn has found it
    const { conversationId, address, key } = message;
    const body = JSON.stringify({ type, data: { conversationId, to: address, ...drawn(message) } });
    const id = isWebhookId(key) ? key : digest(key);
    const headers = { 'content-type': 'application/json', ...signWebhook(secret, { id, body, now: clock.now() }) };
    const { signal } = this.#stopped;
    const status = await post({ url: new URL(url), allowPrivate }, body, headers, { clock, limit, signal });
    if (status >= 200 && status < 300) return;
    const answered = `The callback ${JSON.stringify(name)} answered with ${status}.`;
    if (status === 410) throw new AgentError('undeliverable', `${answered} It wants no more.`);
    if (status >= 300 && status < 400)
      throw new Error(`${answered} Redirects are not followed: configure the address that it leads to.`);
    throw new Error(answered);
  }
}

/** The caller that `authenticate` names. An error in it is not the caller's. */
async function callerBy(
  authenticate: WebhookOptions['authenticate'],
  { url, method, headers }: Request,
): Promise<WebhookCaller | undefined> {
  try {
    const found = await authenticate?.(new Request(url, { method, headers }));
    if (found === undefined || found === null) return undefined;
    return { ...found, participant: checkedPerson(found.participant, 'authenticate') };
  } catch (cause) {
    throw new Error(`authenticate failed: ${failureOf(cause).message}`, { cause });
  }
}

function unproved(isSignable: boolean): AgentError {
  const advice = isSignable
    ? ' Sign it: the headers webhook-id, webhook-timestamp and webhook-signature of Standard Webhooks, as signWebhook() makes them.'
    : '';
  return new AgentError('unauthenticated', `The request does not prove who sent it.${advice}`);
}

/** A conversation is named after its caller, and half of a surrogate pair has no name in a URL. */
function assertWellFormed({ id, tenant = '' }: Participant): void {
  if (id.isWellFormed() && tenant.isWellFormed()) return;
  throw new AgentError(
    'unauthenticated',
    'The id and the tenant of the caller must be well-formed Unicode, got half of a surrogate pair. Let authenticate give another id.',
  );
}

function eventOf({ ask, transient }: OutgoingMessage): string {
  if (transient) return 'message.progress';
  return ask === undefined ? 'message.said' : 'question.asked';
}

function addressIn(address: Json): { readonly callback?: Json; readonly conversationId?: Json } {
  return hasFields(address) ? (address as { readonly [name: string]: Json }) : {};
}

/** Where outputs go: to a callback, or nowhere, to be fetched. */
function addressOf(callback: string | undefined): Json {
  return callback === undefined ? null : { callback };
}

function callbackUrl(value: unknown, name: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url !== undefined && isHttp && url.username === '' && url.password === '') return url.href;
  throw new AgentError(
    'bad-option',
    `${name} must be an address such as 'https://example.com/askback', without a user and a password.`,
  );
}

function messageResponse(status: number, body: WebhookResponse, headers?: Readonly<Record<string, string>>): Response {
  return jsonResponse(status, body, headers);
}

/** The outcome without the message of an error of the agent. */
function toldOf(disposition: Handled['disposition']): Pick<WebhookResponse, 'disposition'> {
  return { disposition: disposition.type === 'failed' ? { type: 'failed' } : disposition };
}

/** What may be given to this caller: to one person nothing that concerns only another. */
function outputsFor({ outputs, cursor, gap }: Outputs, caller: WebhookCaller | undefined) {
  const isTrusted = caller === undefined || caller.conversations === 'any';
  const mine = outputs.filter(({ only }) => isTrusted || only === undefined || only === caller.participant.id);
  return { outputs: mine.map(drawn), cursor, ...definedFields({ gap }) };
}

/** Where the rest can be fetched: below the address that the message was posted to. */
function whereAfter(request: Request, { sessionId }: WebhookSession, after: string): string {
  const { pathname } = new URL(request.url);
  return `${pathname.replace(/\/$/, '')}/outputs?${new URLSearchParams({ sessionId, after })}`;
}

function waitIn(wait: string | null): number {
  if (wait === null) return 0;
  const ms = Number(wait);
  if (Number.isSafeInteger(ms) && ms >= 0) return Math.min(ms, 60_000);
  throw new AgentError('bad-message', 'wait must be a whole number of milliseconds.');
}
