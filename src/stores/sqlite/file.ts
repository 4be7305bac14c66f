/**
 * Opens the file and looks at it before it is used: that it is SQLite, ours, of a format we know, and can be written.
 * A file that is not ours is left as it was.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AgentError } from '../../core/errors.js';
import { Database } from './database.js';
import type { Driver, OpenDriver } from './driver.js';
import { damaged, isBusy, unusable } from './errors.js';
import { applicationId, format, schema } from './schema.js';

/** Drivers block the whole process while they wait for a lock, so this is short; `Batches` goes on waiting without. */
const lockWait = 10;

/** Opens the file, makes the tables where there are none, and refuses what is not ours. Throws as the driver does. */
export function openFile(open: OpenDriver, path: string): Database {
  refuseOddities(path);
  const driver = opened(open, path);
  const db = new Database(driver);
  try {
    db.exec(`PRAGMA busy_timeout = ${lockWait}`);
    const isNew = !isOurs(db, path);
    const mode = db.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode;
    if (mode !== 'wal') throw noWal(path, String(mode));
    db.exec('PRAGMA synchronous = FULL'); // what was acknowledged survives the machine, not only the process
    db.exec('PRAGMA secure_delete = ON'); // what was erased is overwritten
    if (isNew) create(db, path);
    checkFormat(db, path);
    db.exec('UPDATE askback SET last = last'); // better refused now than at the first message
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

/** What SQLite could only call unusable. The file is never opened beside SQLite: closing it would end SQLite's locks. */
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
  if (isMarked()) return true; // another process made them between the two looks
  const names = tables.map(({ name }) => name).join(', ');
  throw new AgentError(
    'bad-record',
    `The file ${path} is a SQLite database of something else (tables ${names}), expected one of SqliteStore. It was left as it is: give the store a path of its own.`,
  );
}

/** Makes the tables, unless another process was first. */
function create(db: Database, path: string): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    if (!isOurs(db, path)) db.exec(schema);
    db.exec('COMMIT');
  } catch (error) {
    db.rollback();
    throw error;
  }
}

function checkFormat(db: Database, path: string): void {
  const found = db.get<{ format: number }>('SELECT format FROM askback')?.format;
  if (found === format) return;
  if (found !== undefined && found > format) {
    throw new AgentError(
      'newer-record',
      `The file ${path} has format ${found}, this release reads up to ${format}. It was left as it is: finish the roll-out of the newer release.`,
    );
  }
  throw damaged(path, `its format is ${String(found)}, expected ${format}`);
}
