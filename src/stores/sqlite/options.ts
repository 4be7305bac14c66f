/**
 * The options of the SQLite store, and their check.
 */
import { resolve } from 'node:path';
import { checkOptions, having, type OptionRules, optional, wrongOption } from '../../core/check-options.js';
import { type Clock, clockOption, systemClock } from '../../machine/clock.js';

/** What the store tells its operator. `console` and pino fit. */
export interface SqliteLogger {
  /** What may lose data, and what went wrong. */
  warn(text: string): void;
  /** What helps to find out what happened. */
  debug(text: string): void;
}

/** The options of a `SqliteStore`. */
export interface SqliteStoreOptions {
  /** The file, such as `./askback.db`. It is made if it is not there; its folder must be. */
  readonly path: string;
  /** Where the store's time comes from; a fake one in tests. */
  readonly clock?: Clock;
  /**
   * Where warnings go.
   *
   * @default the console
   */
  readonly logger?: SqliteLogger;
}

const quiet: SqliteLogger = { warn: (text) => console.warn(`askback: ${text}`), debug: () => {} };

const rules = {
  path: checkedPath,
  clock: optional(clockOption, systemClock),
  logger: optional(having<SqliteLogger>('a logger', 'warn', 'debug'), quiet),
} satisfies OptionRules<SqliteStoreOptions>;

export function checkedOptions(options: SqliteStoreOptions): Required<SqliteStoreOptions> {
  return checkOptions('SqliteStore', options, rules, "{ path: './askback.db' }");
}

function checkedPath(path: unknown, name: string): string {
  const expected = "a file's path, such as './askback.db'";
  if (typeof path !== 'string' || path.trim() === '' || path.includes('\0')) throw wrongOption(name, expected, path);
  if (path === ':memory:' || /^[a-z]{2,}:/i.test(path))
    throw wrongOption(name, expected, path, { hint: 'For memory there is MemoryStore.' });
  return resolve(path);
}
