/**
 * What is looked at before the store is used: that Redis is there, keeps what it is given, and holds our format.
 * It changes nothing but the one key that names the format.
 */
import { AgentError } from '../../core/errors.js';
import { systemClock } from '../../machine/clock.js';
import { type Connector, masters, type RedisConnection } from './client.js';
import { storeError } from './errors.js';

/** What the store tells its operator. `console` and pino fit. */
export interface RedisLogger {
  warn(text: string): void;
  debug(text: string): void;
}

const format = 1;

/** Connects, or says within `limit` ms why not. The connection goes on trying until somebody disconnects it. */
export async function connected(connection: RedisConnection, address: string, limit: number): Promise<void> {
  let last: Error | undefined;
  const failed = () =>
    new AgentError(
      'store-unavailable',
      `Redis at ${address} could not be reached within ${limit} ms${last ? `: ${last.message || last.name}` : ''}. Start it, or check address, password and TLS of the client you gave.`,
      { cause: last },
    );
  await new Promise<void>((resolve, reject) => {
    const cancel = systemClock.after(limit, () => reject(failed()));
    connection.on('error', (error) => {
      last = error as Error;
    });
    connection.on('ready', () => {
      cancel();
      resolve();
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

/** Refuses a server that would lose or mix up data; warns of one that may. Returns the oldest major version. */
export async function inspected(connection: RedisConnection, { isCluster, address }: Connector, logger: RedisLogger) {
  let oldest = Number.POSITIVE_INFINITY;
  for (const master of masters(connection, isCluster)) {
    let text = '';
    try {
      text = await master.info();
    } catch (cause) {
      if (!(cause instanceof Error && cause.message.startsWith('NOPERM'))) throw storeError(cause, address);
    }
    const info = new Map(text.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
    refuseUnfit(info, address);
    const major = Number.parseInt(info.get('redis_version') ?? '', 10);
    if (major < oldest) oldest = major;
    if (!info.has('maxmemory_policy')) {
      logger.warn(`Redis at ${address} does not tell its maxmemory-policy. Make sure that it is noeviction.`);
    }
    if (info.get('aof_enabled') === '0') {
      logger.warn(
        `Redis at ${address} writes no append-only file: what it acknowledged is lost when it stops. Set appendonly yes.`,
      );
    }
    if (major < 7) {
      logger.warn(
        `Redis at ${address} is version ${info.get('redis_version')}, expected 7 or newer: when it is out of memory, running turns cannot be saved either. Update it.`,
      );
    }
  }
  return oldest;
}

function refuseUnfit(info: ReadonlyMap<string, string>, address: string): void {
  if (info.get('role') === 'slave') {
    throw new AgentError(
      'store-unfit',
      `Redis at ${address} is a replica, expected a master: what is written there is refused or lost. Give a client of the master, or one that asks Sentinel.`,
    );
  }
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (Number(info.get('maxmemory') ?? 0) > 0 && policy !== 'noeviction') {
    throw new AgentError(
      'store-unfit',
      `Redis at ${address} has maxmemory-policy ${policy}, expected noeviction: it would drop conversations when memory is short. Run: CONFIG SET maxmemory-policy noeviction`,
    );
  }
}

/** Writes down our format where there is none, and refuses any other. */
export async function checkFormat(connection: RedisConnection, key: string, address: string): Promise<void> {
  let found: string | null;
  try {
    found = await connection.get(key);
    if (found === null) {
      await connection.set(key, `askback ${format}`, 'NX');
      found = await connection.get(key);
    }
  } catch (error) {
    throw storeError(error, address);
  }
  const version = Number(/^askback (\d+)$/.exec(found ?? '')?.[1]);
  if (version === format) return;
  if (version > format) {
    throw new AgentError(
      'newer-record',
      `Redis at ${address} holds format ${version} under ${key}, this release reads up to ${format}. Finish the roll-out of the newer release.`,
    );
  }
  throw new AgentError(
    'bad-record',
    `Redis at ${address} holds ${JSON.stringify(found?.slice(0, 60))} under ${key}, expected "askback ${format}". Give the store a prefix of its own.`,
  );
}
