/** What tests of live events share: people that come by a header, and a reader of streams. */
import type { Caller } from '../../src/server/access/caller.js';
import { Cursors } from '../../src/server/access/cursors.js';
import { Keyring } from '../../src/server/access/keyring.js';
import { type Refusal, refusal } from '../../src/server/access/refusal.js';
import { type LiveEventParts, LiveEvents } from '../../src/server/live/routes.js';
import type { InboxPerson } from '../../src/server/person.js';
import { settle } from '../support/engine.js';

/** Lets in whoever the header `x-person` names; a test changes who that is. */
export class People {
  readonly known = new Map<string, InboxPerson | 'unavailable'>();
  readonly cursors = new Cursors(new Keyring(['a secret of thirty-two characters'], '/inbox'));
  asked = 0;

  constructor(...people: readonly InboxPerson[]) {
    for (const each of people) this.known.set(each.id, each);
  }

  readonly page = (request: Request): Promise<Caller | Refusal> => this.api(request);

  async api({ headers }: Request): Promise<Caller | Refusal> {
    this.asked += 1;
    const person = this.known.get(headers.get('x-person') ?? '');
    if (person === undefined) return refusal('unauthenticated');
    if (person === 'unavailable') return refusal('authenticate-failed');
    return { type: 'caller', person, via: 'bearer', key: `person:${person.id}`, expiresAt: Number.MAX_SAFE_INTEGER };
  }
}

export const usualLimits = { connections: 5_000, perPerson: 12 };

export function liveOf(parts: Omit<LiveEventParts, 'access'>, people: People, limits = usualLimits): LiveEvents {
  return new LiveEvents({ ...parts, access: people }, limits);
}

export interface Heard {
  readonly event: string;
  readonly id?: string;
  readonly data: { readonly id?: string; readonly status?: string; readonly reason?: string };
}

/** A client: it reads what comes, and remembers where it has got to. */
export class Client {
  readonly events: Heard[] = [];
  comments = 0;
  lastId: string | undefined;
  ended: 'no' | 'ended' | 'dropped' = 'no';
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = '';

  constructor(response: Response) {
    if (response.status !== 200) throw new Error(`No stream: ${response.status}`);
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
    void this.#read();
  }

  /** The events of asks, shortened. */
  get asks(): string[] {
    return this.events.flatMap(({ event, data }) => (event === 'ask' ? [`${data.id} ${data.status}`] : []));
  }

  get names(): string[] {
    return this.events.map(({ event }) => event);
  }

  leave(): Promise<void> {
    return this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for (let next = await this.#reader.read(); !next.done; next = await this.#reader.read()) {
        this.#text += decoder.decode(next.value, { stream: true });
        const blocks = this.#text.split('\n\n');
        this.#text = blocks.pop() ?? '';
        for (const block of blocks) this.#block(block);
      }
      this.ended = 'ended';
    } catch {
      this.ended = 'dropped';
    }
  }

  #block(block: string): void {
    const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
    const [event, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')];
    if (id !== undefined) this.lastId = id;
    if (fields.has('')) this.comments += 1;
    if (event === undefined || data === undefined) return;
    this.events.push({ event, data: JSON.parse(data) as Heard['data'], ...(id !== undefined && { id }) });
  }
}

export function requestOf(
  personId: string,
  { after, query = '' }: { after?: string | undefined; query?: string } = {},
): Request {
  const headers = { 'x-person': personId, ...(after !== undefined && { 'last-event-id': after }) };
  return new Request(`http://localhost/inbox/live${query}`, { headers });
}

export async function connect(
  live: LiveEvents,
  personId: string,
  more: Parameters<typeof requestOf>[1] = {},
): Promise<Client> {
  const client = new Client(await live.api(requestOf(personId, more)));
  await settle();
  return client;
}
