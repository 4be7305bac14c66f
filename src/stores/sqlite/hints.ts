/**
 * Hints: given to listeners of this process at once, and written into the file for other processes, which poll it while they
 * have listeners. A lost hint only costs time, so nothing here fails a step or is retried.
 */
import { type Clock, randomId } from '../../machine/clock.js';
import type { Hint } from '../port.js';
import type { Batches } from './batches.js';
import type { Database } from './database.js';
import type { SqliteLogger } from './options.js';

/** How often a process with listeners polls the file, in ms: SQLite cannot notify it. */
const every = 50;
/** How many hints stay in the file for other processes. */
const kept = 1_000;

interface Stored {
  readonly n: number;
  readonly conversation: string;
  readonly entry: string | null;
  readonly unsent: number;
}

export class SqliteHints {
  private readonly clock: Clock;
  private readonly logger: SqliteLogger;
  /** The id of this process: its own hints are not read back. */
  private readonly writer = randomId();
  private readonly listeners = new Set<{ readonly tell: (hint: Hint) => void }>();
  private batches: Batches | undefined;
  private cancel: (() => void) | undefined;
  private version = 0;
  private seen = 0;

  constructor(clock: Clock, logger: SqliteLogger) {
    this.clock = clock;
    this.logger = logger;
  }

  /** Uses an open file; starts to poll it at once if there are listeners already. */
  attach(batches: Batches): void {
    this.batches = batches;
    if (this.listeners.size > 0) this.start();
  }

  detach(): void {
    this.batches = undefined;
    this.stop();
  }

  give(hint: Hint): void {
    for (const listener of this.listeners) queueMicrotask(() => this.tell(listener, hint));
    const { conversationId, entryId, unsent } = hint;
    this.batches
      ?.write('hint', (db) => {
        const sql = 'INSERT INTO hint (writer, conversation, entry, unsent) VALUES (?, ?, ?, ?)';
        db.run(sql, this.writer, conversationId, entryId ?? null, unsent ? 1 : 0);
        db.run('DELETE FROM hint WHERE n <= (SELECT max(n) FROM hint) - ?', kept);
      })
      .catch((error: unknown) => this.debug('A hint was not written', error));
  }

  add(tell: (hint: Hint) => void): () => void {
    const listener = { tell };
    this.listeners.add(listener);
    if (this.cancel === undefined && this.batches !== undefined) this.start();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.stop();
    };
  }

  private start(): void {
    this.look((db) => {
      this.version = versionOf(db);
      this.seen = db.get<{ n: number | null }>('SELECT max(n) AS n FROM hint')?.n ?? 0;
    });
  }

  private stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  /** Polls, and schedules the next poll. */
  private look(work: (db: Database) => void): void {
    try {
      if (this.batches !== undefined) work(this.batches.db);
    } catch (error) {
      this.debug('Hints could not be looked for', error);
    }
    if (this.listeners.size === 0 || this.batches === undefined) return; // a listener removed itself or closed the store
    this.cancel = this.clock.after(every, () => this.look((db) => this.collect(db)));
  }

  private collect(db: Database): void {
    const version = versionOf(db);
    if (version === this.version) return;
    const sql = 'SELECT n, conversation, entry, unsent FROM hint WHERE n > ? AND writer <> ? ORDER BY n';
    const found = db.all<Stored>(sql, this.seen, this.writer);
    this.version = version;
    for (const { n, conversation, entry, unsent } of found) {
      this.seen = n;
      if (conversation === '') continue; // erased since
      const more = { ...(entry !== null && { entryId: entry }), ...(unsent === 1 && { unsent: true as const }) };
      for (const listener of this.listeners) this.tell(listener, { conversationId: conversation, ...more });
    }
  }

  private tell(listener: { readonly tell: (hint: Hint) => void }, hint: Hint): void {
    if (!this.listeners.has(listener)) return;
    try {
      listener.tell(hint);
    } catch (error) {
      this.debug('A listener failed', error); // the other listeners still get the hint
    }
  }

  private debug(what: string, error: unknown): void {
    this.logger.debug(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A number that changes when another connection has written. */
function versionOf(db: Database): number {
  return db.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
}
