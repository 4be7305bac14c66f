/**
 * The file: its tables, their format, and how it is opened. It is used only if it is an SQLite file of this library, of a
 * known format, and writable. Any other file is left as it was.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AgentError } from '../../core/errors.js';
import { afterDeadlines } from '../pages.js';
import { Database } from './database.js';
import type { Driver, OpenDriver } from './driver.js';
import { damaged, isBusy, unusable } from './errors.js';
import type { SqliteLogger } from './options.js';

/** Raised when a release could not read what another wrote. */
const format = 3;
/** Marks a file as ours, in SQLite's own header: `askb`. */
const applicationId = 0x61_73_6b_62;

/** The place of an open ask by deadline. */
export const rank = `coalesce(rank, ${afterDeadlines} + at)`;

/**
 * Every string is opaque; records, queued entries and marks are in the layout of rules/record-text.ts.
 * Times are REAL, because they are JavaScript's numbers. `c` is always the id of a conversation.
 */
const schema = `
-- one row: the format, the latest time that anything was written at, and the number up to which changes may be gone
CREATE TABLE askback (format INTEGER NOT NULL, last REAL NOT NULL, dropped INTEGER NOT NULL DEFAULT 0);
INSERT INTO askback (format, last) VALUES (${format}, 0);

-- due: when it wants a holder; ends: when it is forgotten; kept: of a retired one, for how long it is kept when its last
-- output has gone out, before which it has no end. A table with row numbers: in one without, SQLite moves a record
-- of more than a quarter of a page to pages of its own
CREATE TABLE conversation (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, record TEXT NOT NULL, document TEXT, due REAL, ends REAL, kept REAL);
CREATE INDEX conversation_due ON conversation (due) WHERE due IS NOT NULL;
CREATE INDEX conversation_ends ON conversation (ends) WHERE ends IS NOT NULL;

-- documents that are too long for that row
CREATE TABLE document (c TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;

-- entries behind the front one, which is in the record
CREATE TABLE queue (n INTEGER PRIMARY KEY, c TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, entry TEXT NOT NULL);
CREATE INDEX queue_c ON queue (c, n);

-- dedupe marks that are not in the record; they outlive their conversation. ends: 0 while the entry waits
CREATE TABLE mark (
  c TEXT NOT NULL, entry TEXT NOT NULL, ends REAL NOT NULL, mark TEXT NOT NULL,
  PRIMARY KEY (c, entry)
) WITHOUT ROWID;
CREATE INDEX mark_ends ON mark (ends) WHERE ends > 0;

-- unsent outputs in the order of saving; free: from when on it is lent to anyone
CREATE TABLE output (
  n INTEGER PRIMARY KEY, c TEXT NOT NULL, key TEXT NOT NULL, channel TEXT NOT NULL, data TEXT NOT NULL, free REAL NOT NULL,
  UNIQUE (c, key)
);
CREATE INDEX output_free ON output (channel, free, n);
CREATE TABLE sent (c TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (c, name)) WITHOUT ROWID;

CREATE TABLE memo (
  c TEXT NOT NULL, turn TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (c, turn, key)
) WITHOUT ROWID;
CREATE TABLE history (c TEXT NOT NULL, n INTEGER NOT NULL, item TEXT NOT NULL, PRIMARY KEY (c, n)) WITHOUT ROWID;
CREATE TABLE person (id TEXT NOT NULL, c TEXT NOT NULL, PRIMARY KEY (id, c)) WITHOUT ROWID;
CREATE INDEX person_c ON person (c);

-- open asks and parked entries; rank: an open ask's place by deadline, if it has one
CREATE TABLE listed (
  what TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, c TEXT NOT NULL, rank REAL,
  PRIMARY KEY (what, id)
) WITHOUT ROWID;
CREATE INDEX listed_at ON listed (what, at, id);
CREATE INDEX listed_rank ON listed (what, ${rank}, id);
CREATE INDEX listed_c ON listed (c);
-- records of settled asks; they outlive their conversation (c and decided are null for a tombstone)
CREATE TABLE settled (
  id TEXT PRIMARY KEY, record TEXT NOT NULL, until REAL NOT NULL, c TEXT, decided REAL
) WITHOUT ROWID;
CREATE INDEX settled_until ON settled (until);
CREATE INDEX settled_c ON settled (c) WHERE c IS NOT NULL;
CREATE INDEX settled_decided ON settled (decided, id) WHERE decided IS NOT NULL;
-- the last change of each ask, numbered in the order of the saves
CREATE TABLE change (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, c TEXT NOT NULL, at REAL NOT NULL);
-- values of swap
CREATE TABLE kept (key TEXT PRIMARY KEY, value TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX kept_until ON kept (until);
-- the last hints, for other processes
CREATE TABLE hint (n INTEGER PRIMARY KEY, writer TEXT NOT NULL, conversation TEXT NOT NULL, entry TEXT, unsent INTEGER NOT NULL);

PRAGMA application_id = ${applicationId};
`;

/** Drivers block the whole process while they wait for a lock, so this is short, in ms; `Batches` waits longer without blocking. */
const lockWait = 10;

/** Opens the file, creates the tables if it is empty, and refuses a file that is not ours. Throws the driver's errors. */
export function openFile(open: OpenDriver, path: string): Database {
  refuseOddities(path);
  const driver = opened(open, path);
  const db = new Database(driver);
  try {
    db.exec(`PRAGMA busy_timeout = ${lockWait}`);
    const isNew = !isOurs(db, path);
    if (!isNew) checkFormat(db, path); // before anything is written
    const mode = db.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode;
    if (mode !== 'wal') throw noWal(path, String(mode));
    db.exec('PRAGMA synchronous = FULL'); // acknowledged steps survive a failure of the machine, not only of the process
    db.exec('PRAGMA secure_delete = ON'); // erased data is overwritten
    if (isNew) create(db, path);
    checkFormat(db, path);
    db.exec('UPDATE askback SET last = last'); // fails now if the file cannot be written, not at the first message
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function opened(open: OpenDriver, path: string): Driver {
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new AgentError(
      'store-unavailable',
      `${path} is in no folder: ${folder} is not there. Run: mkdir -p ${folder}`,
    );
  }
  try {
    return open(path);
  } catch (cause) {
    if (isBusy(cause)) throw cause;
    throw unusable(path, cause); // libsql gives no code here
  }
}

/** The reason why SQLite cannot open the path. The file itself is never opened here: closing it would release SQLite's locks. */
function refuseOddities(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw new AgentError(
    'store-unavailable',
    `${path} is ${found.isDirectory() ? 'a folder' : 'no file'}, expected a file. Give the store a path such as ${path}/askback.db`,
  );
}

function noWal(path: string, mode: string): AgentError {
  return new AgentError(
    'store-unfit',
    `The file ${path} cannot be shared by processes: its journal mode stays ${mode}, expected wal. Put it on a local disk, not on a network share.`,
  );
}

/** True for a file of ours, false for an empty one. */
function isOurs(db: Database, path: string): boolean {
  const isMarked = () => db.get<{ application_id: number }>('PRAGMA application_id')?.application_id === applicationId;
  if (isMarked()) return true;
  const tables = db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 3");
  if (tables.length === 0) return false;
  if (isMarked()) return true; // another process created them between the two reads
  const names = tables.map(({ name }) => name).join(', ');
  throw new AgentError(
    'bad-record',
    `The file ${path} is a SQLite database of something else (tables ${names}), expected one of SqliteStore. It was left as it is: give the store a path of its own.`,
  );
}

/** Creates the tables, unless another process was first. */
function create(db: Database, path: string): void {
  db.transaction('BEGIN IMMEDIATE', () => {
    if (!isOurs(db, path)) db.exec(schema);
  });
}

function checkFormat(db: Database, path: string): void {
  const { format: found, last } = db.get<{ format: unknown; last: unknown }>('SELECT format, last FROM askback') ?? {};
  if (typeof found !== 'number') throw damaged(path, 'it has no format');
  if (typeof last !== 'number') throw damaged(path, `its latest time is ${JSON.stringify(last)}`);
  if (found === format) return;
  if (found > format) {
    throw new AgentError(
      'newer-record',
      `The file ${path} has format ${found}, this release reads up to ${format}. It was left as it is: finish the roll-out of the newer release.`,
    );
  }
  throw new AgentError(
    'store-unfit',
    `The file ${path} has format ${found}, this release reads format ${format} only. It was left as it is: give the store a path of its own, or go on with the release that wrote the file until its conversations are over.`,
  );
}

/**
 * Notices that the file was removed or replaced while it is open. SQLite goes on writing to a file that no name leads to
 * any more: what is acknowledged then is lost with the process.
 */
export class FileIdentity {
  private readonly path: string;
  private readonly logger: SqliteLogger;
  private readonly opened: string | undefined;
  private isTold = false;

  constructor(path: string, logger: SqliteLogger) {
    this.path = path;
    this.logger = logger;
    this.opened = this.look();
  }

  /** Throws unless the path still leads to the file that was opened. Logged once. */
  check(): void {
    const found = this.look();
    if (found === this.opened) return;
    const what = found === undefined ? 'removed' : 'replaced by another one';
    const error = new AgentError(
      'store-unavailable',
      `The file ${this.path} was ${what} while this process had it open; nothing was written. Put it back, or restart the processes that use it.`,
    );
    if (!this.isTold) this.logger.warn(error.message);
    this.isTold = true;
    throw error;
  }

  private look(): string | undefined {
    const found = statSync(this.path, { throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  }
}
