/**
 * The driver port: the calls of SQLite that the store uses, and the two drivers that have them: `node:sqlite` where Node
 * has it, else the package `libsql`. No SQL lives here. Only strings, numbers and null are bound: libsql crashes the process on
 * a boolean.
 */
import { AgentError, failureOf } from '../../core/errors.js';
import { installLine } from '../../core/optional-package.js';
import { driverPackage } from './packages.js';

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

export interface Prepared {
  run(...values: Value[]): unknown;
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
}

/** One connection to one file. Everything is synchronous. */
export interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): Prepared;
  close(): unknown;
}

export type OpenDriver = (path: string) => Driver;

type DriverClass = new (path: string) => Driver;

/** Where drivers are loaded from; a test leaves some out. */
export interface DriverSources {
  /** The module `node:sqlite`, or undefined where Node has none. */
  readonly builtIn: () => { readonly DatabaseSync: DriverClass } | undefined;
  readonly libsql: () => Promise<{ readonly default: unknown }>;
}

const machine: DriverSources = {
  builtIn: () => quietly(() => process.getBuiltinModule?.('node:sqlite') as ReturnType<DriverSources['builtIn']>),
  libsql: () => import('libsql'),
};

/** The driver that this machine has, or an error with the line that installs one. */
export async function findDriver(sources: DriverSources = machine): Promise<OpenDriver> {
  const builtIn = sources.builtIn()?.DatabaseSync;
  if (builtIn !== undefined) return (path) => new builtIn(path);
  let Libsql: new (path: string) => Libsql;
  try {
    Libsql = (await sources.libsql()).default as typeof Libsql;
  } catch (cause) {
    if (!isNotFound(cause)) throw unloadable(cause);
    throw new AgentError(
      'missing-package',
      `SqliteStore needs a driver, and Node ${process.versions.node} brings none (from 22.13 on it does). Run: ${installLine(driverPackage)}`,
      { cause },
    );
  }
  return (path) => inRows(new Libsql(path));
}

const isNotFound = (cause: unknown): boolean =>
  ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(String((cause as { code?: unknown } | undefined)?.code));

/** It is installed: a bundler that took it into its own file, or a binary for another machine. */
function unloadable(cause: unknown): AgentError {
  return new AgentError(
    'missing-package',
    `SqliteStore: the driver libsql could not be loaded: ${failureOf(cause).message}. If a bundler made this program, keep libsql external; else install it anew on this machine: ${installLine(driverPackage)}`,
    { cause },
  );
}

/** What only libsql has: rows as lists, which it makes in half the time that its objects take. */
interface Libsql extends Driver {
  prepare(sql: string): LibsqlStatement;
}

interface LibsqlStatement extends Prepared {
  readonly reader: boolean;
  raw(on: true): unknown;
  columns(): readonly { readonly name: string }[];
}

function inRows(libsql: Libsql): Driver {
  return {
    exec: (sql) => libsql.exec(sql),
    close: () => libsql.close(),
    prepare: (sql) => {
      const statement = libsql.prepare(sql);
      if (!statement.reader) return statement;
      const names = statement.columns().map(({ name }) => name);
      statement.raw(true);
      const named = (row: unknown): Row => {
        const values: Record<string, Value> = {};
        for (let i = 0; i < names.length; i += 1) values[names[i] as string] = (row as readonly Value[])[i] as Value;
        return values;
      };
      return {
        run: (...values) => statement.run(...values),
        get: (...values) => {
          const row = statement.get(...values);
          return row === undefined ? undefined : named(row);
        },
        all: (...values) => statement.all(...values).map(named),
      };
    },
  };
}

/** Loads what Node calls experimental without its warning: we know, and nobody else can act on it. */
function quietly<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning; // nothing else ran meanwhile
  }
}
