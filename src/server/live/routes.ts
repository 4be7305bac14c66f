/**
 * The routes of live events: from a request to a stream, for whoever may have one. The page comes with its session, the API with a
 * bearer token.
 */
import { jsonResponse } from '../../channels/http.js';
import type { RegistryEvents } from '../../core/events.js';
import { describe } from '../../core/ids.js';
import type { InboxPort } from '../../registry/inbox/inbox-port.js';
import type { AgentRegistry } from '../../registry/registry.js';
import type { Access, Caller } from '../access/caller.js';
import type { CursorPlace } from '../access/cursors.js';
import { streamRefusal } from '../access/origin.js';
import { type Refusal, refusalResponse } from '../access/refusal.js';
import type { InboxCalls } from '../calls.js';
import type { InboxPerson } from '../person.js';
import type { LiveFilter, LiveIdentity } from './connection.js';
import { streamHeaders } from './frames.js';
import { LiveHub, type LiveLimits } from './hub.js';

/** After these a list may look different. */
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

const filterNames = ['agentName', 'conversationId', 'tool'] as const satisfies readonly (keyof LiveFilter)[];
const longestValue = 512;
/** One of Redis names a place in each of its 64 buckets, and is sealed. */
const longestCursor = 2_048;

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

  constructor({ registry, port, calls, access }: LiveEventParts, limits: LiveLimits) {
    this.#access = access;
    this.hub = new LiveHub(
      {
        clock: port.clock,
        logger: port.logger,
        feed: port,
        newId: () => port.newId(),
        find: (id) => port.find(id),
        erased: (id) => port.erased(id),
        answers: (person, recorded) => calls.answers(person, recorded),
      },
      limits,
    );
    this.#offs = changing.map((event) => registry.on(event, () => this.hub.nudge()));
    void port.stopping.then(() => this.close());
  }

  /** For the page: a request of the browser, with its session. */
  async page(request: Request): Promise<Response> {
    const refused = streamRefusal(request);
    return refused === undefined
      ? this.#stream(request, (again) => this.#access.page(again))
      : refusalResponse(refused);
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
    if (caller.type === 'refused') return refusalResponse(caller);
    const asked = queryOf(request);
    if ('problem' in asked) return jsonResponse(400, { error: { code: 'bad-option', message: asked.problem } });
    if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders }); // nobody would read the stream
    const { url, headers } = request;
    const again = new Request(url, { headers }); // the request itself would hold its socket
    const { person } = caller;
    const place = placeOf(person);
    const { cursors } = this.#access;
    const { filter, after } = asked;
    const body = this.hub.open({
      filter,
      after: after === undefined ? undefined : (cursors.open(place, after) ?? null),
      sealed: (cursor) => cursors.seal(place, cursor),
      person,
      identify: async () => identityOf(await identify(again)),
    });
    if (body instanceof ReadableStream) return new Response(body, { headers: streamHeaders });
    const retry = { 'retry-after': String(body.retryAfter) };
    const message = 'There are too many live connections. Try again later.';
    return jsonResponse(503, { error: { code: 'too-many-connections', message } }, retry);
  }
}

const placeOf = (person: InboxPerson): CursorPlace => ({ person, list: 'events', filter: {} });

function identityOf(caller: Caller | Refusal): LiveIdentity {
  if (caller.type === 'caller') return caller.person;
  return caller.status === 503 ? 'unavailable' : 'nobody';
}

/** What the client wants, and where it has got to. A browser that comes back says so in the header. */
function queryOf({ url, headers }: Request): { filter: LiveFilter; after: string | undefined } | { problem: string } {
  const query = new URL(url).searchParams;
  const filter: Record<string, string> = {};
  for (const [name, value] of query) {
    if (query.getAll(name).length > 1) return { problem: `The parameter ${describe(name)} is given twice.` };
    if (name === 'after') continue;
    if (value === '' || value.length > longestValue)
      return { problem: `${name} must have 1 to ${longestValue} characters.` };
    if (!filterNames.some((each) => each === name))
      return {
        problem: `${JSON.stringify(name.slice(0, 60))} is not known here. Use after, ${filterNames.join(', ')}.`,
      };
    filter[name] = value;
  }
  const after = headers.get('last-event-id') || query.get('after') || undefined;
  return after === undefined || after.length <= longestCursor
    ? { filter, after }
    : { problem: `Last-Event-ID must have at most ${longestCursor} characters.` };
}
