/**
 * The store's connection to its file: opens, checks and closes it. After a close it can be opened again.
 */
import { statSync } from 'node:fs';
import { AgentError } from '../../core/errors.js';
import { Time } from '../time.js';
import { Batches } from './batches.js';
import { findDriver } from './driver.js';
import { FileIdentity, openFile } from './file.js';
import { SqliteHints } from './hints.js';
import { withoutLock } from './lock-wait.js';
import type { SqliteStoreOptions } from './options.js';

/** If the file's time is this far ahead of the clock, in ms, the clock was wrong then or is wrong now. */
const farAhead = 60_000;

export class Connection {
  private readonly options: Required<SqliteStoreOptions>;
  readonly hints: SqliteHints;
  private opening: Promise<void> | undefined;
  private current: Batches | undefined;
  private closed = false;

  constructor(options: Required<SqliteStoreOptions>) {
    this.options = options;
    this.hints = new SqliteHints(options.clock, options.logger);
  }

  open(): Promise<void> {
    this.opening ??= this.start().catch((error: unknown) => {
      this.opening = undefined; // so that the next call tries again
      throw error;
    });
    return this.opening;
  }

  /** What runs steps. */
  get batches(): Batches {
    if (this.current !== undefined) return this.current;
    const state = this.closed ? 'closed' : 'not open yet';
    throw new AgentError(
      'store-unavailable',
      `The SqliteStore on ${this.options.path} is ${state}. Call open() first.`,
    );
  }

  /** Empties the `-wal` file, which holds what was deleted or overwritten in the file itself. */
  tidy(): void {
    const log = statSync(`${this.options.path}-wal`, { throwIfNoEntry: false });
    if (log !== undefined && log.size > 0) this.current?.db.tidy(); // no transaction stays open between two ticks
  }

  /** Waits for the steps that were begun, then closes. */
  async close(): Promise<void> {
    this.closed = true;
    await this.opening?.catch(() => {});
    const { current } = this;
    this.current = undefined;
    this.opening = undefined;
    this.hints.detach();
    if (current === undefined) return;
    await current.idle();
    current.db.tidy(); // leaves one file to copy, and no erased data in the -wal file
    current.db.close();
  }

  private async start(): Promise<void> {
    const { path, clock, logger } = this.options;
    const driver = await findDriver();
    // another process may be opening or closing it at the same time
    const db = await withoutLock(clock, path, () => openFile(driver, path));
    const last = db.get<{ last: number }>('SELECT last FROM askback')?.last ?? 0;
    const ahead = last - clock.now();
    if (ahead > farAhead) {
      logger.warn(
        `The file ${path} was written ${Math.round(ahead / 1000)} s after the time that this machine shows. Its time goes on from there; check the machine's clock.`,
      );
    }
    this.closed = false;
    const identity = new FileIdentity(path, logger);
    this.current = new Batches(db, new Time(clock), clock, path, identity);
    this.hints.attach(this.current);
  }
}
