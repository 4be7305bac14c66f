/**
 * The routes of live events: from a request of an authenticated caller to a stream. The page comes with its session, the API with a
 * bearer token.
 */

import { definedFields } from '../../core/defined-fields.js';
import type { RegistryEvents } from '../../core/events.js';
import type { InboxPort } from '../../registry/inbox/inbox-port.js';
import type { AgentRegistry } from '../../registry/registry.js';
import type { Access, Caller } from '../access/caller.js';
import type { CursorPlace } from '../access/cursors.js';
import { streamRefusal } from '../access/origin.js';
import type { Refusal } from '../access/refusal.js';
import type { Described } from '../api/endpoint.js';
import { refusalReply } from '../api/errors.js';
import { name } from '../api/fields.js';
import { readQuery } from '../api/read-request.js';
import { responseOf } from '../api/reply.js';
import type { InboxCalls } from '../calls.js';
import type { LiveOptions } from '../options.js';
import { z } from '../packages.js';
import type { InboxPerson } from '../person.js';
import type { LiveIdentity } from './connection.js';
import { streamHeaders } from './frames.js';
import { LiveHub } from './hub.js';

/** The events after which a list may have changed. */
const changing = [
  'asked',
  'voted',
  'answered',
  'declined',
  'exhausted',
  'expired',
  'cancelled',
  'undeliverable',
] as const satisfies readonly (keyof RegistryEvents)[];

/** A cursor of Redis has a position in each of its 64 buckets, and is sealed. */
const longestCursor = 2_048;

const eventsQuery = z.strictObject({
  after: z
    .string()
    .max(longestCursor, { error: `at most ${longestCursor} characters long` })
    .optional()
    .openapi({ description: 'Where to go on; the header Last-Event-ID counts before it.' }),
  agentName: name().optional(),
  conversationId: name().optional(),
  tool: name().optional(),
});

/** The route as the OpenAPI document describes it. */
export const eventsDescribed: Described = {
  method: 'get',
  path: '/events',
  summary: 'Live events: asks as they are now, whenever one that you see changes.',
  query: eventsQuery,
  reply: z.string(),
  replyType: {
    type: 'text/event-stream',
    description: 'Server-sent events: ask, gone, reset, signed-out, bye.',
  },
};

type Identify = (request: Request) => Promise<Caller | Refusal>;

export interface LiveEventParts {
  readonly registry: AgentRegistry;
  readonly port: InboxPort;
  readonly calls: InboxCalls;
  readonly access: Pick<Access, 'page' | 'api' | 'cursors'>;
}

/** The live events of an inbox. */
export class LiveEvents {
  readonly hub: LiveHub;
  readonly #offs: readonly (() => void)[];
  readonly #access: Pick<Access, 'page' | 'api' | 'cursors'>;

  constructor({ registry, port, calls, access }: LiveEventParts, limits: Required<LiveOptions>) {
    this.#access = access;
    this.hub = new LiveHub({ port, calls }, limits);
    this.#offs = changing.map((event) => registry.on(event, () => this.hub.nudge()));
    void port.stopping.then(() => this.close());
  }

  /** For the page: a request of the browser, with its session. */
  async page(request: Request): Promise<Response> {
    const refused = streamRefusal(request);
    return refused === undefined
      ? this.#stream(request, (again) => this.#access.page(again))
      : responseOf(refusalReply(refused));
  }

  /** For programs, with a bearer token. */
  api(request: Request): Promise<Response> {
    return this.#stream(request, (again) => this.#access.api(again));
  }

  /** The cursor of now for this person: a page that is drawn after this, and connects with `after`, misses nothing. */
  async cursor(person: InboxPerson): Promise<string> {
    return this.#access.cursors.seal(placeOf(person), await this.hub.cursor());
  }

  /** Ends all streams. */
  close(): void {
    for (const off of this.#offs) off();
    this.hub.close();
  }

  async #stream(request: Request, identify: Identify): Promise<Response> {
    const caller = await identify(request);
    if (caller.type === 'refused') return responseOf(refusalReply(caller));
    const { url, headers } = request;
    const lastSeen = headers.get('last-event-id') || undefined; // a browser that comes back says so in the header
    const query = readQuery(url, eventsQuery, definedFields({ after: lastSeen }));
    if (!query.ok) return responseOf(query.reply);
    if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders });
    const again = new Request(url, { headers }); // the request itself would hold its socket
    const { person } = caller;
    const place = placeOf(person);
    const { cursors } = this.#access;
    const { after, ...filter } = query.value;
    const body = this.hub.open({
      filter: definedFields(filter),
      after: after ? (cursors.open(place, after) ?? null) : undefined,
      sealed: (cursor) => cursors.seal(place, cursor),
      person,
      identify: async () => identityOf(await identify(again)),
    });
    if (body instanceof ReadableStream) return new Response(body, { headers: streamHeaders });
    const message = 'There are too many live connections. Try again later.';
    const error = { code: 'too-many-connections', message };
    return responseOf({ status: 503, body: { error }, headers: { 'retry-after': String(body.retryAfter) } });
  }
}

const placeOf = (person: InboxPerson): CursorPlace => ({ person, list: 'events', filter: {} });

function identityOf(caller: Caller | Refusal): LiveIdentity {
  if (caller.type === 'caller') return caller.person;
  return caller.status === 503 ? 'unavailable' : 'nobody';
}
