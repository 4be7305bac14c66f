/**
 * One live connection: the ids of asks that have changed and were not sent yet, and a stream that takes them one by one. An ask is
 * looked up when the reader has room for it, so what is sent is never older than that, and a slow reader costs ids, not events. What
 * the person sees is decided by the rights, for each event again.
 */
import { Buffer } from 'node:buffer';
import { toolOf } from '../../core/ask/tool-call.js';
import type { Tombstone } from '../../core/format/document.js';
import type { Clock } from '../../machine/clock.js';
import type { RecordedAsk } from '../../registry/inbox/inbox-port.js';
import type { InboxAsk } from '../ask-view.js';
import type { InboxPerson } from '../person.js';
import { hearsOfErased, seesAsk } from '../rights.js';
import { frameText, type LiveFrame } from './frames.js';

/** Who the connection belongs to, asked again while it lasts. `unavailable`: nobody can tell now. */
export type LiveIdentity = InboxPerson | 'nobody' | 'unavailable';

/** An ask as it is now, or what is left of it; null if there is none, or its tombstone has run out. */
export type LiveAsk = RecordedAsk | Tombstone | null;

/** What a connection needs to know of an ask. */
export interface LiveSource {
  readonly clock: Clock;
  read(id: string): Promise<LiveAsk>;
  /** The ask as this person sees it; null if they do not. */
  viewFor(person: InboxPerson, recorded: RecordedAsk): Promise<LiveView | null>;
}

/** An ask as somebody sees it, and the same as JSON. */
export interface LiveView {
  readonly ask: InboxAsk;
  readonly json: string;
}

/** Which asks a client wants to hear of. */
export interface LiveFilter {
  readonly agentName?: string;
  readonly conversationId?: string;
  readonly tool?: string;
}

export interface LiveRequest {
  readonly person: InboxPerson;
  identify(): Promise<LiveIdentity>;
  readonly filter: LiveFilter;
  /** The cursor that the client has got to; null for one that was not given out here. */
  readonly after?: string | null | undefined;
  /** The cursor as it leaves the server: it is of all tenants, and would tell how much changes there. */
  sealed(cursor: string): string;
}

/** Bytes that wait in the stream before the reader counts as slow. */
const roomInBytes = 16_384;
/** More changes than this are not told one by one: the client reads its list again. */
export const mostPending = 256;
/** Asks that were sent and are remembered, so that one that is no longer seen can be taken back. */
const mostSent = 1_000;
/** A client that comes back at once would be no relief: this one is over its limit, or cannot keep up. */
const longRetry = 60_000;
const identityAge = 10_000;
const heartbeatAge = 15_000;
/** A reader that takes nothing for so long is gone, or will never keep up. */
const stalledAge = 60_000;

export class LiveConnection {
  readonly body: ReadableStream<Uint8Array>;
  readonly after: LiveRequest['after'];
  readonly #source: LiveSource;
  readonly #request: LiveRequest;
  readonly #retry: number;
  readonly #left: (connection: LiveConnection) => void;
  #person: InboxPerson;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #pending = new Set<string>();
  /** Those of them that changed while the client was away. Which asks it shows from before is not known. */
  readonly #missed = new Set<string>();
  /** Whether the ask was sent as settled, the one sent last at the end. */
  readonly #sent = new Map<string, boolean>();
  #needsReset = false;
  #isPumping = false;
  #isOver = false;
  /** What the client has heard of once nothing is pending. */
  #cursor: string | undefined;
  #identifiedAt: number;
  #wroteAt: number;
  #tookAt: number;

  constructor(source: LiveSource, request: LiveRequest, retry: number, left: (connection: LiveConnection) => void) {
    [this.#source, this.#request, this.#person, this.#retry] = [source, request, request.person, retry];
    [this.after, this.#left] = [request.after, left];
    const now = source.clock.elapsed();
    [this.#identifiedAt, this.#wroteAt, this.#tookAt] = [now, now, now];
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          this.#write({ retry });
        },
        pull: () => {
          this.#tookAt = source.clock.elapsed();
          void this.#pump(); // not awaited: the stream would not pull again until then
        },
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: roomInBytes }),
    );
  }

  get person(): InboxPerson {
    return this.#person;
  }

  /** Whether it was sent, or may be for this person. It asks nobody: the rights are checked when it is sent. */
  concerns(id: string, found: LiveAsk): boolean {
    if (this.#sent.has(id)) return true;
    if (found === null) return false;
    return 'erased' in found ? hearsOfErased(this.#person, found.tenant) : seesAsk(this.#person, found.ask, true);
  }

  /** These asks have changed, and all changes up to the cursor are known. */
  changed(ids: Iterable<string>, cursor: string): void {
    this.#cursor = cursor;
    if (!this.#needsReset) for (const id of ids) this.#pending.add(id);
    if (this.#pending.size > mostPending) this.reset(cursor);
    else void this.#pump();
  }

  /** The same for what has changed while the client was away. */
  missed(ids: readonly string[], cursor: string): void {
    for (const id of ids) this.#missed.add(id);
    this.changed(ids, cursor);
  }

  /** The client must read its list again: changes were missed, or are too many. */
  reset(cursor: string): void {
    this.#cursor = cursor;
    this.#needsReset = true;
    this.#pending.clear();
    this.#missed.clear();
    void this.#pump();
  }

  /** Once in a while: is anybody there, is it still the same person, and does the line stay open. */
  async beat(): Promise<void> {
    const now = this.#source.clock.elapsed();
    if (!this.#hasRoom()) {
      if (now - this.#tookAt >= stalledAge) this.#drop();
      return;
    }
    if (now - this.#wroteAt < heartbeatAge || this.#isPumping) return;
    this.#wroteAt = now; // the next beat must not start a second check while this one asks
    // with the cursor in any case: its absence would tell that nothing has changed anywhere
    if (await this.#isIdentified()) this.#write({ comment: 'here', id: this.#sealedCursor() });
  }

  /** Ends the stream with a last event. */
  end(event: 'bye' | 'signed-out', reason: string, retry?: 'long'): void {
    if (this.#isOver) return;
    const data = JSON.stringify({ reason });
    this.#write({ event, data, retry: retry === undefined ? this.#retry : this.#retry + longRetry });
    this.#controller?.close();
    this.#leave();
  }

  /** Sends what is pending while the reader has room. */
  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#hasRoom() && (this.#needsReset || this.#pending.size > 0)) {
        if (!(await this.#isIdentified())) return;
        if (this.#needsReset) {
          this.#needsReset = false;
          this.#write({ event: 'reset', data: '{}', id: this.#sealedCursor() });
        } else await this.#sendNext();
      }
    } catch {
      this.end('bye', 'store'); // the client comes back with its cursor, and misses nothing
    } finally {
      this.#isPumping = false;
    }
  }

  async #sendNext(): Promise<void> {
    const [id] = this.#pending;
    if (id === undefined) return;
    this.#pending.delete(id);
    const isMissed = this.#missed.delete(id);
    const found = await this.#source.read(id);
    const isErased = found !== null && 'erased' in found;
    const recorded = isErased ? null : found;
    const view = recorded && (await this.#source.viewFor(this.#person, recorded));
    if (this.#isOver || this.#needsReset) return;
    if (view === null) {
      // which asks the page was drawn with is not known
      const mayShow = isErased && hearsOfErased(this.#person, found.tenant);
      if (this.#sent.delete(id) || mayShow)
        this.#write({ event: 'gone', data: JSON.stringify({ id }), id: this.#sealedCursor() });
      // the client may show it, or may never have heard of it: a reset names no id
      else if (isMissed && this.#cursor !== undefined && this.#mayShow(recorded)) this.reset(this.#cursor);
      return;
    }
    const { ask, json } = view;
    const isSettled = ask.status !== 'pending';
    if (!isWanted(ask, this.#request.filter)) return;
    if (this.#sent.get(id) === true && !isSettled) return; // read before it was settled, which the client knows already
    this.#sent.delete(id);
    this.#sent.set(id, isSettled);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > mostSent && oldest !== undefined) this.#sent.delete(oldest);
    this.#write({ event: 'ask', data: json, id: this.#sealedCursor() });
  }

  #mayShow(recorded: RecordedAsk | null): boolean {
    if (recorded === null) return true;
    const { ask, conversationId } = recorded;
    return isWanted({ agentName: ask.agentName, conversationId, tool: toolOf(ask) }, this.#request.filter);
  }

  /** The cursor for the client, if all changes up to it are sent. */
  #sealedCursor(): string | undefined {
    if (this.#pending.size > 0 || this.#needsReset || this.#cursor === undefined) return undefined;
    return this.#request.sealed(this.#cursor);
  }

  async #isIdentified(): Promise<boolean> {
    const now = this.#source.clock.elapsed();
    if (now - this.#identifiedAt < identityAge) return !this.#isOver;
    this.#identifiedAt = now;
    const known = await this.#request.identify();
    if (this.#isOver) return false;
    if (known === 'unavailable') this.end('bye', 'identity');
    else if (known === 'nobody' || known.id !== this.#person.id || known.tenant !== this.#person.tenant)
      this.end('signed-out', 'identity');
    else if (JSON.stringify(known) !== JSON.stringify(this.#person)) {
      this.#person = known; // other rights: what the client shows may be too much or too little
      if (this.#cursor !== undefined) this.reset(this.#cursor);
    }
    return !this.#isOver;
  }

  #hasRoom(): boolean {
    return !this.#isOver && (this.#controller?.desiredSize ?? 0) > 0;
  }

  #write(frame: LiveFrame): void {
    if (this.#isOver) return;
    this.#wroteAt = this.#source.clock.elapsed();
    this.#controller?.enqueue(Buffer.from(frameText(frame)));
  }

  /** Ends a stream whose reader takes nothing: an orderly end would wait for it. */
  #drop(): void {
    this.#controller?.error(new Error('The reader of live events takes nothing.'));
    this.#leave();
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pending.clear();
    this.#missed.clear();
    this.#sent.clear();
    this.#left(this);
  }
}

function isWanted(
  ask: { readonly [K in keyof LiveFilter]: InboxAsk[K] | undefined },
  { agentName, conversationId, tool }: LiveFilter,
): boolean {
  return (
    (agentName === undefined || ask.agentName === agentName) &&
    (conversationId === undefined || ask.conversationId === conversationId) &&
    (tool === undefined || ask.tool === tool)
  );
}
