/**
 * What the tests of the SQLite store share: files of their own that go with the test, and a look behind the store's back.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Database } from '../../src/stores/sqlite/database.js';
import { findDriver } from '../../src/stores/sqlite/driver.js';
import { SqliteStore, type SqliteStoreOptions } from '../../src/stores/sqlite/index.js';
import { textStore } from '../../src/testing/store-contract/texts.js';
import { silent } from './store.js';

/** A folder that goes with the test. */
export function freshFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'askback-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const freshPath = (parent = tmpdir()) => join(freshFolder(parent), 'askback.db');

/** An open store, closed with its test: `raw`, and with strings as records. */
export async function opened(more: Partial<SqliteStoreOptions> = {}) {
  const path = more.path ?? freshPath();
  const raw = new SqliteStore({ path, logger: silent, ...more });
  await raw.open();
  onTestFinished(() => raw.close());
  return { raw, store: textStore(raw), path };
}

/** The file, opened by somebody else. */
export async function beside(path: string): Promise<Database> {
  const db = new Database((await findDriver())(path));
  onTestFinished(() => db.close());
  return db;
}
