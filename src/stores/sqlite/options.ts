/**
 * The options of the SQLite store, checked at the door.
 */
import { resolve } from 'node:path';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import { type Clock, systemClock } from '../../machine/clock.js';

/** What the store tells its operator. `console` and pino fit. */
export interface SqliteLogger {
  warn(text: string): void;
  debug(text: string): void;
}

export interface SqliteStoreOptions {
  /** The file, such as `./askback.db`. It is made if it is not there; its folder must be. */
  readonly path: string;
  /** Where the store's time comes from; a fake one in tests. */
  readonly clock?: Clock;
  /** Default: warnings go to the console. */
  readonly logger?: SqliteLogger;
}

const quiet: SqliteLogger = { warn: (text) => console.warn(text), debug: () => {} };

export function checkedOptions(options: SqliteStoreOptions): Required<SqliteStoreOptions> {
  const path: unknown = options?.path;
  if (typeof path !== 'string' || path.trim() === '' || path.includes('\0')) {
    throw wrong(`a file's path, such as './askback.db', got ${describe(path)}`);
  }
  if (path === ':memory:' || /^[a-z]{2,}:/i.test(path)) {
    throw wrong(`a file's path, such as './askback.db', got ${describe(path)}. For memory there is MemoryStore`);
  }
  return { path: resolve(path), clock: options.clock ?? systemClock, logger: options.logger ?? quiet };
}

function wrong(what: string): AgentError {
  return new AgentError('bad-option', `SqliteStore: path must be ${what}.`);
}
