/**
 * The web chat as a channel: messages are posted, what happens is read as a stream, on any replica. It pushes nothing: streams read the
 * conversation by the desk. It keeps no visitors, sets no cookies, and decides nothing.
 */
import { gzipSync } from 'node:zlib';
import { chatScript } from '../../browser/chat-script.js';
import {
  boolean,
  type CheckedOptions,
  checkOptions,
  integer,
  milliseconds,
  nonBlank,
  type OptionRules,
  optional,
  wrongOption,
} from '../../core/check-options.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import type { Followed } from '../../core/conversation/said.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { inert } from '../../core/text.js';
import { type Clock, clockOption, systemClock } from '../../machine/clock.js';
import { secretRule } from '../../machine/secrets.js';
import { assertJson, errorResponse, jsonResponse, limitedBody, notServed, parsedJson, refusal } from '../http.js';
import { StartedDesk } from '../kit/started-desk.js';
import type { Channel, Desk } from '../port.js';
import { drawnBatch } from './drawing.js';
import { namedConversation, postedLocale, postedMessage } from './incoming.js';
import { chatPage } from './page.js';
import { VisitorStreams } from './streams.js';
import type { KnownVisitor } from './visitor.js';
import {
  assertVisitorId,
  conversationOf,
  newVisitor,
  participantOf,
  renewalOf,
  renewedToken,
  visitorOf,
} from './visitor.js';

/**
 * The options of a `WebChannel`.
 *
 * @example
 * import type { WebChannelOptions } from 'askback/channels/web';
 *
 * const options: WebChannelOptions = { origins: ['https://shop.example'], secret: 'a secret of at least 32 characters' };
 */
export interface WebChannelOptions {
  /**
   * The name of the channel. It begins the ids of its visitors and conversations.
   *
   * @default 'web'
   */
  readonly name?: string;
  /** The origins of the pages that may use the chat, such as `https://shop.example`: of your own site, too. All others are refused. */
  readonly origins: readonly string[];
  /**
   * Signs visitors: at least 32 characters that nobody can guess, the same in every process. Of several, the first signs and all are
   * accepted.
   */
  readonly secret: string | readonly string[];
  /**
   * Whether visitors without a token get one. With false only visitors that your backend has signed can write.
   *
   * @default true
   */
  readonly anonymous?: boolean;
  /**
   * How long a token that the channel issues lasts, in ms. It is renewed when it is used in the second half of that time.
   *
   * @default 30 days
   */
  readonly visitorLifetime?: number;
  /** The title of the chat's own page. @default 'Chat' */
  readonly title?: string;
  /** How many streams are open at once in this process. @default 2000 */
  readonly maxStreams?: number;
  /** How many streams one visitor has at once; the oldest is ended for a new one. @default 8 */
  readonly maxStreamsPerVisitor?: number;
  /** Time and timers, for tests. */
  readonly clock?: Clock;
}

const originsRule = (value: unknown, name: string): ReadonlySet<string> => {
  const isOrigin = (each: unknown): each is string =>
    typeof each === 'string' && URL.canParse(each) && /^https?:/.test(each) && new URL(each).origin === each;
  if (Array.isArray(value) && value.length > 0 && value.every(isOrigin)) return new Set(value);
  const wrong: unknown = Array.isArray(value) && value.length > 0 ? value.find((each) => !isOrigin(each)) : value;
  throw wrongOption(name, 'a list of at least one origin such as https://shop.example, without a path', wrong);
};

const rules = {
  name: optional(nonBlank(), 'web'),
  origins: originsRule,
  secret: secretRule,
  anonymous: optional(boolean(), true),
  visitorLifetime: optional(milliseconds(), 30 * 86_400_000),
  title: optional(nonBlank(), 'Chat'),
  maxStreams: optional(integer({ min: 1 }), 2_000),
  maxStreamsPerVisitor: optional(integer({ min: 1 }), 8),
  clock: optional(clockOption, systemClock),
} satisfies Record<keyof OptionRules<WebChannelOptions>, unknown>;

/** A text of 64 KiB, and what is around it. */
const longestBody = 80 * 1024;
const batchSize = 100;
/** A stream waits until something happens; waiting costs no reads. */
const longestWait = 60 * 60_000;
const vary = 'origin, accept-encoding';
/** The header of a response that has a new token for the same visitor. */
const renewalHeader = 'askback-visitor';

/** The requests that the channel knows, by the last part of their path. */
type ChatRoute = 'messages' | 'stream' | 'visitors' | 'chat.js' | 'page';
const methods: Readonly<Record<ChatRoute, readonly string[]>> = {
  messages: ['GET', 'POST'],
  stream: ['GET'],
  visitors: ['POST'],
  'chat.js': ['GET', 'HEAD'],
  page: ['GET', 'HEAD'],
};

/** A request of a visitor whose token was checked. */
interface VisitorCall {
  readonly visitor: KnownVisitor;
  readonly participant: Participant;
  readonly conversationId: string;
  readonly url: URL;
}

/**
 * A chat on any web page. `fetch` serves it wherever you mount it; the inbox mounts it under `/channels/web`. A page shows it with one
 * tag: `<script src="https://your.example/inbox/channels/web/chat.js" async></script>`.
 *
 * @example
 * import { agent, AgentRegistry } from 'askback';
 * import { WebChannel } from 'askback/channels/web';
 *
 * const web = new WebChannel({ origins: ['https://shop.example'], secret: 'a secret of at least 32 characters' });
 * const support = agent('support').onMessage(({ message }) => `You said ${message}`);
 * await new AgentRegistry({ agents: [support], channels: [web] }).start();
 * export default { fetch: web.fetch };
 */
export class WebChannel implements Channel {
  /** The name of the channel. */
  readonly name: string;
  /** Pages read the conversation. */
  readonly isFetched = true;
  /** An id as visitors have them here. */
  readonly idForm: string;
  /** It draws buttons and forms, and shows what became of them. */
  readonly can = { buttons: true, edit: true };
  readonly #options: CheckedOptions<typeof rules>;
  readonly #streams: VisitorStreams;
  readonly #desk: StartedDesk<'follow'>;
  #hasWarnedOfOrigin = false;

  constructor(options: WebChannelOptions) {
    const example = "{ origins: ['https://shop.example'], secret: process.env.CHAT_SECRET }";
    this.#options = checkOptions('WebChannel', options, rules, example);
    this.name = this.#options.name;
    this.#desk = new StartedDesk('WebChannel', this.name, ['follow']);
    this.idForm = `${this.name}:4711`;
    const { clock, maxStreams: total, maxStreamsPerVisitor: perVisitor } = this.#options;
    this.#streams = new VisitorStreams(clock, { total, perVisitor });
  }

  /** Begins to take messages. The registry calls it. */
  start(desk: Desk): void {
    this.#desk.begin(desk);
  }

  /** Nothing is pushed: streams read it in the conversation. What `progress()` says is stored nowhere, so it is written to them here. */
  async send({ transient, conversationId, text }: OutgoingMessage): Promise<void> {
    if (transient) this.#streams.pushTransient(conversationId, inert(text));
  }

  /** The conversation of a visitor: `to` is the id, or `{ id, tenant?, conversation? }`. */
  conversationFor(to: Json): string {
    const named = typeof to === 'string' ? { id: to } : (Object(to) as object);
    const { id, tenant, conversation } = named as { id?: unknown; tenant?: string; conversation?: string };
    if (typeof id !== 'string' || id === '')
      throw new AgentError('bad-option', `A visitor is named by an id or { id, tenant }, got ${describe(to)}.`);
    assertVisitorId(this.name, id, 'to');
    return conversationOf(this.name, { id, tenant }, conversation);
  }

  /** Each visitor has a conversation: their messages have no address. */
  addressFor(): null {
    return null;
  }

  /** Ends the streams: pages come again with their cursor, to another process. */
  async stop(): Promise<void> {
    this.#desk.end();
    this.#streams.endAll();
  }

  /** Answers a request. It is bound: mount it as it is. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const origin = request.headers.get('origin');
    const headers = this.#corsHeaders(origin);
    try {
      if (origin !== null && headers['access-control-allow-origin'] === undefined) throw this.#foreign(origin);
      const response = await this.#answer(request);
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    } catch (error) {
      return errorResponse(error, `The channel ${JSON.stringify(this.name)}`, headers);
    }
  };

  /** Only the first refused origin is logged: any page can send more. */
  #foreign(origin: string): AgentError {
    const problem = `The origin ${describe(origin)} is not among the origins of the channel`;
    if (!this.#hasWarnedOfOrigin)
      process.emitWarning(
        `The channel ${JSON.stringify(this.name)}: a request was refused. ${problem}. If a page of yours has it, add it to origins, as the address bar shows it`,
        'AskbackWarning',
      );
    this.#hasWarnedOfOrigin = true;
    return refusal(403, `${problem}.`, 'unauthenticated');
  }

  #corsHeaders(origin: string | null): Readonly<Record<string, string>> {
    if (origin === null || !this.#options.origins.has(origin)) return { vary };
    return { vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': renewalHeader };
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const last = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
    if (last === this.name) return new Response(null, { status: 308, headers: { location: `${last}/${url.search}` } });
    const route = last === '' ? 'page' : last;
    if (!Object.hasOwn(methods, route)) throw refusal(404, `There is no ${describe(last)} here.`);
    const allowed = methods[route as ChatRoute];
    if (request.method === 'OPTIONS') return preflight(allowed);
    if (!allowed.includes(request.method))
      throw notServed(`${request.method} is not known here. Use ${allowed.join(' or ')}.`, allowed);
    if (route === 'page') return chatPage(this.#options.title);
    if (route === 'chat.js') return scriptResponse(/\bgzip\b/.test(request.headers.get('accept-encoding') ?? ''));
    if (route === 'visitors') return this.#issue(request);
    const call = this.#callOf(request, url);
    const response = await this.#answerTo(request, route, call);
    const renewed = renewedToken(this.#options, call.visitor, this.#options.clock.now());
    if (renewed !== undefined) response.headers.set(renewalHeader, renewed);
    return response;
  }

  #answerTo(request: Request, route: string, call: VisitorCall): Promise<Response> {
    if (route === 'stream') return this.#stream(request, call);
    return request.method === 'POST' ? this.#receive(request, call) : this.#read(call);
  }

  /** A new visitor. Nothing is stored, so there is nothing to fill up. */
  async #issue(request: Request): Promise<Response> {
    if (!this.#options.anonymous)
      throw refusal(403, 'Visitors are signed by the site: show it the token of your backend.', 'unauthenticated');
    assertJson(request);
    const locale = postedLocale(parsedJson(await limitedBody(request, longestBody)));
    return jsonResponse(201, { visitor: newVisitor(this.#options, locale, this.#options.clock.now()) });
  }

  /** Who calls, and about which of their conversations. */
  #callOf(request: Request, url: URL): VisitorCall {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const visitor = token === undefined ? undefined : visitorOf(token, this.#options, this.#options.clock.now());
    if (visitor === undefined)
      throw new AgentError(
        'unauthenticated',
        'The visitor is missing, was not signed here, or its time is over. Send Authorization: Bearer and a token of POST visitors or of your backend.',
      );
    const participant = participantOf(this.name, visitor);
    const conversationId = conversationOf(this.name, visitor, namedConversation(url.searchParams.get('conversation')));
    return { visitor, participant, conversationId, url };
  }

  /** 202 once it is recorded. The same id again is the same message. */
  async #receive(request: Request, { participant, conversationId }: VisitorCall): Promise<Response> {
    assertJson(request);
    const posted = postedMessage(parsedJson(await limitedBody(request, longestBody)));
    const status = await this.#desk.current.receive({ ...posted, conversationId, participant, address: null });
    return jsonResponse(202, { status });
  }

  /** What happened since a cursor, at once: for a page that has no stream of its own. */
  async #read(call: VisitorCall): Promise<Response> {
    const followed = await this.#follow(call, afterIn(call.url), 0);
    return jsonResponse(200, drawnBatch(followed));
  }

  async #stream(request: Request, call: VisitorCall): Promise<Response> {
    this.#assertRoom();
    const after = afterIn(call.url) ?? request.headers.get('last-event-id') ?? undefined;
    // reads once before it accepts: a wrong cursor and a store that is down are reported by the status
    let first: Followed | undefined = await this.#follow(call, after, 0);
    this.#assertRoom(); // others may have opened theirs meanwhile
    const renewal = renewalOf(this.#options, call.visitor); // the page comes again then, and gets a new token
    const body = this.#streams.open({
      visitor: call.participant.id,
      conversationId: call.conversationId,
      after,
      expiresAt:
        renewal > this.#options.clock.now() ? Math.min(renewal, call.visitor.expiresAt) : call.visitor.expiresAt,
      next: async (cursor, signal) => {
        const ready = first;
        first = undefined;
        const isNews = ready !== undefined && (ready.items.length > 0 || ready.gap === true);
        return isNews ? ready : this.#follow(call, cursor, longestWait, signal);
      },
      draw: drawnBatch,
    });
    return new Response(body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no', // a proxy in front passes each event on at once
        'x-content-type-options': 'nosniff',
      },
    });
  }

  #assertRoom(): void {
    if (this.#streams.isFull)
      throw refusal(503, 'This process has as many streams as it may have. Come again.', 'queue-full');
  }

  async #follow(call: VisitorCall, after: string | undefined, wait: number, signal?: AbortSignal): Promise<Followed> {
    const { participant, conversationId } = call;
    const options = { for: participant, wait, limit: batchSize, ...definedFields({ after, signal }) };
    return this.#desk.current.follow(conversationId, options);
  }
}

function afterIn(url: URL): string | undefined {
  return url.searchParams.get('after') ?? undefined;
}

function preflight(allowed: readonly string[]): Response {
  const headers = {
    'access-control-allow-methods': allowed.join(', '),
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '600',
  };
  return new Response(null, { status: 204, headers });
}

let compressedScript: Uint8Array<ArrayBuffer> | undefined;

function scriptResponse(isCompressed: boolean): Response {
  compressedScript ??= new Uint8Array(gzipSync(chatScript));
  return new Response(isCompressed ? compressedScript : chatScript, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin', // a tag of any page may load it; only listed origins may use it
      'x-content-type-options': 'nosniff',
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    },
  });
}
