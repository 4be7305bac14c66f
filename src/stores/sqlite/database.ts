/**
 * One open connection with its statements, prepared once each. It knows no tables.
 * Strings with a NUL character are escaped on the way in and out, because drivers cut them off there.
 */
import { badOption } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Driver, Prepared, Value } from './driver.js';

export class Database {
  private readonly driver: Driver;
  private readonly statements = new Map<string, Prepared>();

  constructor(driver: Driver) {
    this.driver = driver;
  }

  /**
   * Runs statements that take no values; they are not kept. Transactions begin and end here only: a prepared BEGIN that
   * found the file locked stays half done in libsql, and no later COMMIT gets past it.
   */
  exec(sql: string): void {
    this.driver.exec(sql);
  }

  run(sql: string, ...values: Value[]): void {
    this.prepared(sql).run(...values.map(bound));
  }

  /** The first row; the caller knows its columns. */
  get<T extends object>(sql: string, ...values: Value[]): T | undefined {
    const row = this.prepared(sql).get(...values.map(bound));
    return row === undefined ? undefined : given(row as T);
  }

  all<T extends object>(sql: string, ...values: Value[]): T[] {
    return this.prepared(sql)
      .all(...values.map(bound))
      .map((row) => given(row as T));
  }

  /** Runs work in one transaction: reads see the same snapshot, and writes are done whole or not at all. */
  transaction<T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
    this.exec(begin);
    try {
      const value = work();
      this.exec('COMMIT');
      return value;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  rollback(): void {
    try {
      this.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back already
    }
  }

  /** Checkpoints: moves the content of the `-wal` file into the file itself, which also frees disk space. */
  tidy(): void {
    try {
      this.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // another process uses the file, or the disk is full; SQLite does it later
    }
  }

  close(): void {
    this.statements.clear(); // libsql releases the file only when they are garbage collected
    this.driver.close();
  }

  private prepared(sql: string): Prepared {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const made = this.driver.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }
}

const mark = '\u0001';

function bound(value: Value): Value {
  if (typeof value === 'number' || value === null) return value;
  // a driver would crash on anything else, or take an object for several values
  if (typeof value !== 'string') throw badOption(`A string was expected, got ${describe(value)}.`);
  if (!value.includes('\0') && !value.includes(mark)) return value;
  return value.replaceAll(mark, `${mark}1`).replaceAll('\0', `${mark}0`);
}

function given<T extends object>(row: T): T {
  const values = row as Record<string, unknown>;
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (typeof value !== 'string' || !value.includes(mark)) continue;
    values[name] = value.replaceAll(`${mark}0`, '\0').replaceAll(`${mark}1`, mark);
  }
  return row;
}
