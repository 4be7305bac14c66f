/**
 * The open streams of the web chat: server-sent events that follow a conversation. A stream reads on only when its reader has taken what
 * it was given, so nothing is buffered for a slow one; a reader that takes nothing for a while is let go and comes again with its cursor.
 */
import type { Followed } from '../../core/conversation/said.js';
import type { Clock } from '../../machine/clock.js';

/** One stream: who reads it, and where more comes from. */
export interface StreamSource {
  readonly visitor: string;
  readonly conversationId: string;
  readonly after: string | undefined;
  /** When the visitor's token is over, in ms of the wall clock. */
  readonly expiresAt: number | undefined;
  next(after: string | undefined, signal: AbortSignal): Promise<Followed>;
  /** A batch as the page draws it. */
  draw(followed: Followed): object;
}

export interface StreamLimits {
  readonly total: number;
  readonly perVisitor: number;
}

/** Between two signs of life, so that no proxy takes the connection for dead. */
const heartbeat = 15_000;
/** How often it is looked whether a stream needs one. */
const beatInterval = 1_000;
/** How long a reader may leave what it was given untaken. */
const stallLimit = 30_000;

/** How long the page of a replaced stream stays away. */
const replacedPause = 60_000;

const comment = (text: string): string => `: ${text}\n\n`;

/** JSON has no line break, so it is one line of the event. */
const eventOf = (data: object, { name, id }: { readonly name?: string; readonly id?: string } = {}): string =>
  `${name === undefined ? '' : `event: ${name}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

class VisitorStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly source: StreamSource;
  readonly #clock: Clock;
  readonly #onEnd: (stream: VisitorStream) => void;
  readonly #ending = new AbortController();
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #after: string | undefined;
  /** When it was last written to, in ms of the process. */
  #wroteAt = 0;

  constructor(source: StreamSource, clock: Clock, onEnd: (stream: VisitorStream) => void) {
    [this.source, this.#clock, this.#onEnd, this.#after] = [source, clock, onEnd, source.after];
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        this.#write(comment('open')); // sends the headers
      },
      pull: () => this.#pull(),
      cancel: () => this.end(),
    });
  }

  /** A text that is kept nowhere. A reader that is behind does not get it. */
  pushTransient(text: string): void {
    if (this.#isTaken) this.#write(eventOf({ text }, { name: 'progress' }));
  }

  /** Gives a sign of life to a stream that is quiet. Ends one whose visitor's time is over, and one that takes nothing. */
  beat(): void {
    const { expiresAt = Number.POSITIVE_INFINITY } = this.source;
    const quiet = this.#clock.elapsed() - this.#wroteAt;
    if (expiresAt <= this.#clock.now()) this.end();
    else if (this.#isTaken && quiet >= heartbeat) this.#write(comment('still here'));
    else if (!this.#isTaken && quiet >= stallLimit) this.end();
  }

  /** Ends it for a newer one of the same visitor. A page that came again at once would only end another one. */
  replace(): void {
    this.#write(eventOf({ retry: replacedPause }, { name: 'bye' }));
    this.end();
  }

  /** Ends it cleanly: the page comes again with its cursor, to whichever process is there. */
  end(): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    this.#onEnd(this);
    try {
      this.#controller?.close();
    } catch {
      // the reader has closed it
    }
  }

  async #pull(): Promise<void> {
    try {
      const followed = await this.source.next(this.#after, this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      this.#after = followed.cursor;
      const isNews = followed.items.length > 0 || followed.gap === true;
      if (isNews) this.#write(eventOf(this.source.draw(followed), { id: followed.cursor }));
      if (followed.stopped) return this.end();
      if (!isNews) this.#write(comment('still here'));
    } catch {
      this.end(); // the store cannot be read: the page tries again, and is told what is wrong by the status
    }
  }

  #write(text: string): void {
    if (this.#ending.signal.aborted) return;
    this.#controller?.enqueue(this.#encoder.encode(text));
    this.#wroteAt = this.#clock.elapsed();
  }

  /** The reader has everything that it was given. */
  get #isTaken(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }
}

export class VisitorStreams {
  readonly #clock: Clock;
  readonly #limits: StreamLimits;
  /** In the order in which they were opened. */
  readonly #open = new Set<VisitorStream>();
  #isBeating = false;

  constructor(clock: Clock, limits: StreamLimits) {
    [this.#clock, this.#limits] = [clock, limits];
  }

  get isFull(): boolean {
    return this.#open.size >= this.#limits.total;
  }

  /** The oldest stream of a visitor who has too many is ended. */
  open(source: StreamSource): ReadableStream<Uint8Array> {
    const own = [...this.#open].filter((stream) => stream.source.visitor === source.visitor);
    if (own.length >= this.#limits.perVisitor) own[0]?.replace();
    const stream = new VisitorStream(source, this.#clock, (ended) => this.#open.delete(ended));
    this.#open.add(stream);
    if (!this.#isBeating) this.#scheduleBeat();
    return stream.body;
  }

  #scheduleBeat(): void {
    this.#isBeating = this.#open.size > 0;
    if (!this.#isBeating) return;
    this.#clock.after(beatInterval, () => {
      for (const stream of [...this.#open]) stream.beat();
      this.#scheduleBeat();
    });
  }

  pushTransient(conversationId: string, text: string): void {
    for (const stream of this.#open) if (stream.source.conversationId === conversationId) stream.pushTransient(text);
  }

  endAll(): void {
    for (const stream of [...this.#open]) stream.end();
  }
}
