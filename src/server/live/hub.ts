/**
 * The live connections of an inbox, and the one reader of the store's feed of changes that serves them all while there are any. It
 * reads each changed ask once and passes it to the connections that it concerns. What a person is sent is decided in connection.ts.
 */
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, failureOf, isUnreadable } from '../../core/errors.js';
import { bucketOf, buckets, digest } from '../../core/ids.js';
import type { Clock } from '../../machine/clock.js';
import type { InboxPort, RecordedAsk } from '../../registry/inbox/inbox-port.js';
import { viewFor } from '../ask-view.js';
import type { InboxCalls } from '../calls.js';
import type { LiveOptions } from '../options.js';
import type { InboxPerson } from '../person.js';
import { operates } from '../rights.js';
import {
  type LiveAsk,
  LiveConnection,
  type LiveRequest,
  type LiveSource,
  type LiveView,
  mostPending,
} from './connection.js';

export interface LiveParts {
  readonly port: Pick<InboxPort, 'clock' | 'logger' | 'changes' | 'newId' | 'find' | 'erased'>;
  readonly calls: Pick<InboxCalls, 'answers'>;
}

const pollEvery = 1_000;
/** Between two reads after a change by this process itself. */
const shortestPause = 25;
const longestPause = 15_000;
const beatEvery = 1_000;
const changesPerRead = 200;
/** How many asks, or cursors of clients, are read at once. */
const atOnce = 32;
/** How many asks are kept as they were last read. */
const mostKept = 1_000;
/** When a client reconnects, in ms, spread so that not all come at once. */
const [shortestRetry, retrySpread] = [1_000, 4_000];

/** The ids that a client has missed since its cursor. */
type Missed = readonly string[] | 'reset';

export class LiveHub implements LiveSource {
  readonly clock: Clock;
  readonly #port: LiveParts['port'];
  readonly #calls: LiveParts['calls'];
  readonly #limits: Required<LiveOptions>;
  readonly #all = new Set<LiveConnection>();
  readonly #byPerson = new Map<string, Set<LiveConnection>>();
  /** Connections that the reader does not serve yet: what they have missed is read first. */
  #joining: LiveConnection[] = [];
  readonly #served = new Set<LiveConnection>();
  /** Asks as the reader read them last, the latest at the end. */
  readonly #kept = new Map<string, LiveAsk>();
  readonly #views = new WeakMap<RecordedAsk, Map<string, LiveView>>();
  #cursor: string | undefined;
  #isReading = false;
  #isClosed = false;
  #wasNudged = false;
  #wake: (() => void) | undefined;

  constructor({ port, calls }: LiveParts, limits: Required<LiveOptions>) {
    [this.#port, this.#calls, this.#limits, this.clock] = [port, calls, limits, port.clock];
  }

  /** The number of connections. */
  get size(): number {
    return this.#all.size;
  }

  /** The stream of a new connection; if there are too many, the seconds after which to try again. */
  open(request: LiveRequest): ReadableStream<Uint8Array> | { readonly retryAfter: number } {
    const retry = shortestRetry + this.#jitter(retrySpread);
    if (this.#isClosed || this.size >= this.#limits.connections) return { retryAfter: Math.ceil(retry / 1_000) };
    const { id, tenant = '' } = request.person;
    const key = digest(id, tenant);
    const own = this.#byPerson.get(key) ?? new Set();
    const [oldest] = own;
    if (own.size >= this.#limits.perPerson) oldest?.end('bye', 'too-many', 'long');
    const connection = new LiveConnection(this, request, retry, (left) => {
      this.#all.delete(left);
      this.#served.delete(left);
      own.delete(left);
      if (own.size === 0 && this.#byPerson.get(key) === own) this.#byPerson.delete(key);
    });
    this.#all.add(connection);
    this.#byPerson.set(key, own.add(connection));
    this.#joining.push(connection);
    this.nudge();
    if (!this.#isReading) void this.#serve();
    return connection.body;
  }

  /** The cursor of now: a page that is rendered afterwards, and connects with it, misses nothing. */
  async cursor(): Promise<string> {
    return (await this.#port.changes({ limit: 1 })).cursor;
  }

  /** Reads the feed soon: this process has changed something. */
  nudge(): void {
    this.#wasNudged = true;
    this.#wake?.();
  }

  /** Ends all streams. The clients reconnect, to another process or to the next one. */
  close(): void {
    this.#isClosed = true;
    for (const each of [...this.#all]) each.end('bye', 'closing');
    this.#wake?.();
  }

  /** The ask as the reader read it last. One that is not kept any more is looked up, and not kept: a later read may be newer. */
  async read(id: string): Promise<LiveAsk> {
    return this.#kept.get(id) ?? this.#find(id);
  }

  /** The view is made once for all people with the same rights: whether they may answer, and whether they operate. */
  async viewFor(person: InboxPerson, recorded: RecordedAsk): Promise<LiveView | null> {
    const answers = await this.#calls.answers(person, recorded);
    if (answers === null) return null;
    const views = this.#views.get(recorded) ?? new Map<string, LiveView>();
    this.#views.set(recorded, views);
    const key = `${answers} ${operates(person, recorded.ask.audience.tenant)}`;
    const found = views.get(key);
    if (found !== undefined) return found;
    const ask = viewFor(person, recorded, answers);
    const view = { ask, json: JSON.stringify(ask) };
    views.set(key, view);
    return view;
  }

  /** Reads the feed while there are connections. */
  async #serve(): Promise<void> {
    this.#isReading = true;
    const stopBeating = this.#startBeating();
    let failures = 0;
    while (this.size > 0) {
      try {
        await this.#readOnce();
        failures = 0;
      } catch (error) {
        failures += 1;
        const about = { failures, failure: failureOf(error) };
        this.#port.logger.warn('The changes of asks could not be read; live events are late', about);
      }
      await this.#pause(failures === 0 ? pollEvery : Math.min(longestPause, pollEvery * 2 ** failures));
    }
    stopBeating();
    [this.#isReading, this.#cursor] = [false, undefined];
    this.#kept.clear();
    if (this.size > 0) void this.#serve(); // a client connected while the last one left
  }

  /** Waits until it is time or this process has changed something, with a short pause in any case. */
  async #pause(ms: number): Promise<void> {
    await this.#sleep(Math.min(ms, shortestPause));
    if (ms > shortestPause && !this.#wasNudged && this.size > 0) await this.#sleep(ms - shortestPause, 'wakeable');
  }

  #sleep(ms: number, wakeable?: 'wakeable'): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#wake = undefined;
        resolve();
      };
      const cancel = this.clock.after(ms, wake);
      if (wakeable !== undefined) this.#wake = wake;
    });
  }

  /** Reads the feed to its end. New connections are first sent what they have missed. */
  async #readOnce(): Promise<void> {
    this.#wasNudged = false;
    const joining = this.#joining;
    this.#joining = [];
    try {
      this.#cursor ??= await this.cursor();
      await this.#catchUp(joining, this.#cursor);
      for (const each of joining) if (this.#all.has(each)) this.#served.add(each);
    } catch (error) {
      this.#joining.unshift(...joining);
      throw error;
    }
    await this.#readOn();
  }

  async #readOn(): Promise<void> {
    for (let before = this.#cursor; ; before = this.#cursor) {
      const page = await this.#port.changes({ limit: changesPerRead, ...definedFields({ cursor: before }) });
      if (page.gap) for (const each of this.#served) each.reset(page.cursor);
      else this.#tell(this.#served, await this.#refreshed(page.items), page.cursor);
      this.#cursor = page.cursor;
      if (page.items.length === 0) return; // by the items: a cursor may differ with each read
    }
  }

  /** Clients that were cut off together reconnect with the same cursor: what they have missed is read once. */
  async #catchUp(joining: readonly LiveConnection[], cursor: string): Promise<void> {
    const byCursor = new Map<LiveRequest['after'], LiveConnection[]>();
    for (const each of joining) byCursor.set(each.after, [...(byCursor.get(each.after) ?? []), each]);
    const groups = [...byCursor];
    for (let start = 0; start < groups.length; start += atOnce) {
      const some = groups.slice(start, start + atOnce);
      const missed = await Promise.all(some.map(([after]) => this.#missed(after)));
      const ids = new Set(missed.flatMap((each) => (each === 'reset' ? [] : each)));
      const asks = await this.#refreshed([...ids].map((id) => ({ id })));
      for (const [i, [, connections]] of some.entries()) {
        const own = missed[i] ?? 'reset';
        if (own === 'reset') for (const each of connections) each.reset(cursor);
        else
          for (const each of connections)
            each.missed(
              own.filter((id) => each.concerns(id, asks.get(id) ?? null)),
              cursor,
            );
      }
    }
  }

  async #missed(after: LiveRequest['after']): Promise<Missed> {
    if (after === undefined) return [];
    if (after === null) return 'reset';
    const ids = new Set<string>();
    let cursor = after;
    while (ids.size <= mostPending) {
      const page = await this.#port.changes({ limit: changesPerRead, cursor }).catch(wrongCursor);
      if (page === undefined || page.gap) return 'reset';
      if (page.items.length === 0) return [...ids];
      for (const { id } of page.items) ids.add(id);
      cursor = page.cursor;
    }
    return 'reset';
  }

  #tell(connections: Iterable<LiveConnection>, asks: ReadonlyMap<string, LiveAsk>, cursor: string): void {
    const changed = [...asks];
    for (const each of connections) {
      const own = changed.flatMap(([id, recorded]) => (each.concerns(id, recorded) ? [id] : []));
      each.changed(own, cursor);
    }
  }

  /** These asks as they are now. */
  async #refreshed(items: readonly { readonly id: string }[]): Promise<ReadonlyMap<string, LiveAsk>> {
    const asks = new Map<string, LiveAsk>();
    for (let start = 0; start < items.length; start += atOnce) {
      const some = items.slice(start, start + atOnce);
      const found = await Promise.all(some.map(({ id }) => this.#find(id)));
      for (const [i, { id }] of some.entries()) asks.set(id, found[i] ?? null);
    }
    for (const [id, recorded] of asks) {
      this.#kept.delete(id);
      this.#kept.set(id, recorded);
    }
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break;
      this.#kept.delete(id);
    }
    return asks;
  }

  /** A record that cannot be read hides no other one. */
  async #find(id: string): Promise<LiveAsk> {
    try {
      return (await this.#port.find(id)) ?? (await this.#port.erased(id));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#port.logger.warn('An ask cannot be read; live events leave it out', {
        askId: id,
        failure: failureOf(error),
      });
      return null;
    }
  }

  #startBeating(): () => void {
    let stop = (): void => {};
    const beat = (): void => {
      for (const each of [...this.#all]) void each.beat();
      stop = this.clock.after(beatEvery, beat);
    };
    beat();
    return () => stop();
  }

  /** A number below `most`, another one for each connection. */
  #jitter(most: number): number {
    return Math.floor((bucketOf(this.#port.newId()) * most) / buckets);
  }
}

/** A cursor of another store counts as one that is too old. */
function wrongCursor(error: unknown): undefined {
  if (error instanceof AgentError && error.code === 'bad-option') return undefined;
  throw error;
}
