/**
 * What is looked at before the store is used: that Redis is there, keeps what it is given, and holds our format.
 * It changes nothing but the one key that names the format.
 */
import { AgentError } from '../../../core/errors.js';
import { systemClock } from '../../../machine/clock.js';
import { reportsOf } from '../report.js';
import type { Connector, RedisConnection } from './client.js';
import { storeError } from './errors.js';

/** What the store tells its operator. `console` and pino fit. */
export interface RedisLogger {
  /** What may lose data, and what went wrong. */
  warn(text: string): void;
  /** What helps to find out what happened. */
  debug(text: string): void;
}

const format = 3;

/** Connects, or says within `limit` ms why not. The connection goes on trying until somebody disconnects it. */
export async function connected(connection: RedisConnection, address: string, limit: number): Promise<void> {
  let last: Error | undefined;
  const failed = () => {
    const why = last ? `: ${(last.message || last.name).replace(/\.$/, '')}` : '';
    // ioredis takes a URL with another scheme for the path of a socket
    const fix = address.startsWith('//')
      ? 'Begin its URL with redis:// or, with TLS, rediss://'
      : 'Check that it runs, and its address, password and TLS';
    const message = `Redis at ${address} could not be reached within ${limit} ms${why}. ${fix}.`;
    return new AgentError('store-unavailable', message, { cause: last });
  };
  await new Promise<void>((resolve, reject) => {
    const cancel = systemClock.after(limit, () => reject(failed()));
    connection.on('error', (error) => {
      last = error as Error;
    });
    connection.on('ready', () => {
      cancel();
      // the client would go on in database 0, among another application's keys
      if (/DB index is out of range/.test(last?.message ?? '')) reject(noSuchDatabase(address, last));
      else resolve();
    });
    connection.on('end', () => {
      cancel();
      reject(failed());
    });
    // a first failure is not the end: the events tell
    connection.connect().catch((error: Error) => {
      last ??= error;
    });
  });
}

function noSuchDatabase(address: string, cause: unknown): AgentError {
  return new AgentError(
    'store-unfit',
    `Redis at ${address} has no database with the number that the client asks for. Give it a lower one (db, or the number after the last / of its URL); 0 is always there.`,
    { cause },
  );
}

/** Refuses a server that would lose or mix up data; warns of one that may. Returns the oldest major version. */
export async function inspected(
  connection: RedisConnection,
  { isCluster, address }: Connector,
  logger: RedisLogger,
): Promise<number> {
  const reports = await reportsOf(connection, isCluster, address);
  for (const { faults, warnings } of reports) {
    if (faults[0] !== undefined) throw new AgentError('store-unfit', faults[0]);
    for (const warning of warnings) logger.warn(warning);
  }
  return Math.min(...reports.map((report) => Number.parseInt(report.version ?? '', 10) || Number.POSITIVE_INFINITY));
}

/** Refuses a user who may not ask for the time, which every step does. */
export async function checkTime(connection: RedisConnection, address: string): Promise<void> {
  try {
    await connection.time();
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.startsWith('NOPERM')) throw storeError(cause, address);
    throw new AgentError(
      'store-unfit',
      `Redis at ${address} does not let this user run TIME, and every step is timed by the server. Run: ACL SETUSER <user> +time`,
      { cause },
    );
  }
}

/** Writes down our format where there is none, and refuses any other. True if there was none. */
export async function checkFormat(connection: RedisConnection, key: string, address: string): Promise<boolean> {
  let found: string | null;
  let isNew = false;
  try {
    found = await connection.get(key);
    if (found === null) {
      isNew = true;
      await connection.set(key, `askback ${format}`, 'NX');
      found = await connection.get(key);
    }
  } catch (error) {
    throw storeError(error, address);
  }
  const version = Number(/^askback (\d+)$/.exec(found ?? '')?.[1]);
  if (version === format) return isNew;
  if (version > format) {
    throw new AgentError(
      'newer-record',
      `Redis at ${address} holds format ${version} under ${key}, this release reads up to ${format}. Finish the roll-out of the newer release.`,
    );
  }
  if (version >= 1) {
    throw new AgentError(
      'store-unfit',
      `Redis at ${address} holds format ${version} under ${key}, this release reads format ${format} only. Nothing was written: give the store a prefix of its own, or go on with the release that wrote it until its conversations are over.`,
    );
  }
  throw new AgentError(
    'bad-record',
    `Redis at ${address} holds ${JSON.stringify(found?.slice(0, 60))} under ${key}, expected "askback ${format}". Give the store a prefix of its own.`,
  );
}
