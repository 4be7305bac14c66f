/**
 * What the store needs of a Redis client, by shape: ioredis 5 and 6, iovalkey, single, Sentinel or Cluster all fit.
 * Makes connections of our own from the user's client, and never closes or changes the user's.
 */
import { imported, type OptionalPackage } from '../../../core/optional-package.js';

/** What a command takes. */
export type RedisArgument = string | number | Buffer;

/** One connection, or one set of them to a Cluster. */
export interface RedisConnection {
  /** `ready` once it is connected. */
  readonly status: string;
  /** Runs a script by its digest. */
  evalsha(sha: string, keys: number, ...args: RedisArgument[]): Promise<unknown>;
  /** Runs a script by its source. */
  eval(script: string, keys: number, ...args: RedisArgument[]): Promise<unknown>;
  /** Reads a key. */
  get(key: string): Promise<string | null>;
  /** Reads a field of a hash. */
  hget(key: string, field: string): Promise<string | null>;
  /** Sets a key that does not exist yet. */
  set(key: string, value: string, how: 'NX'): Promise<unknown>;
  /** The server's time. */
  time(): Promise<unknown>;
  /** What the server says of itself. */
  info(): Promise<string>;
  /** Asks whether it answers. */
  ping(): Promise<unknown>;
  /** Reads a setting of the server. */
  config(how: 'GET', name: string): Promise<unknown>;
  /** Listens to a channel. */
  subscribe(channel: string): Promise<unknown>;
  /** Connects. */
  connect(): Promise<void>;
  /** Ends the connection at once. */
  disconnect(reconnect?: boolean): void;
  /** Ends the connection after what was sent. */
  quit(): Promise<unknown>;
  /** Adds an event listener. */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** The user's client. */
export interface RedisClient extends RedisConnection {
  /** True for a client of a Cluster. */
  readonly isCluster?: boolean;
  /** The options that connections of our own are made with. */
  readonly options: object;
  /** Makes another connection with the same options. */
  duplicate(...args: never[]): unknown;
}

interface Cluster extends RedisConnection {
  nodes(role: 'master'): RedisConnection[];
}

export interface Connector {
  readonly isCluster: boolean;
  /** For messages; never has a password in it. */
  readonly address: string;
  /** A connection that is not yet connected. */
  make(purpose: 'commands' | 'hints'): RedisConnection;
}

function ours(purpose: 'commands' | 'hints', commandTimeout: number): Record<string, unknown> {
  return {
    lazyConnect: true,
    commandTimeout: purpose === 'hints' ? commandTimeout : undefined, // see runner.ts
    connectTimeout: Math.max(commandTimeout, 1_000),
    // While there is no connection a command fails at once, so that ingress can say "not now".
    enableOfflineQueue: purpose === 'hints',
    // What was under way when a connection broke is sent again: every script may be repeated.
    autoResendUnfulfilledCommands: true,
    maxRetriesPerRequest: purpose === 'hints' ? null : 3,
    autoResubscribe: true,
    retryStrategy: (times: number) => Math.min(times * 50, 1_000),
    // After a failover the old master answers READONLY on a connection that looks well.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    enableAutoPipelining: false, // one write per tick is cheaper, see cork.ts
    stringNumbers: false,
    readOnly: false,
    monitor: false,
  };
}

export function fromClient(client: RedisClient, commandTimeout: number): Connector {
  const isCluster = client.isCluster === true;
  // `duplicate` differs between Redis and Cluster, and between releases: only the call itself can be typed
  const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => RedisConnection;
  const make = (purpose: 'commands' | 'hints'): RedisConnection => {
    const options = ours(purpose, commandTimeout);
    if (!isCluster) return duplicate(options);
    const { retryStrategy: _, enableOfflineQueue, readOnly: __, ...redisOptions } = options;
    const theirs = (client.options as { redisOptions?: object }).redisOptions;
    return duplicate([], {
      lazyConnect: true,
      enableOfflineQueue,
      enableAutoPipelining: false,
      scaleReads: 'master',
      redisOptions: { ...theirs, ...redisOptions },
    });
  };
  return { isCluster, address: addressOf(client), make };
}

/** It comes with askback, unless an installer has left it out. */
const ioredis: OptionalPackage = { name: 'ioredis', users: ['RedisStore({ url })'] };

export async function fromUrl(url: string, commandTimeout: number): Promise<Connector> {
  const { Redis } = await imported(ioredis, () => import('ioredis'));
  const make = (purpose: 'commands' | 'hints'): RedisConnection => new Redis(url, ours(purpose, commandTimeout));
  const { host } = new URL(url);
  return { isCluster: false, address: host, make };
}

/** Every master behind a connection. */
export function masters(connection: RedisConnection, isCluster: boolean): RedisConnection[] {
  return isCluster ? (connection as Cluster).nodes('master') : [connection];
}

export function addressOf(client: RedisClient): string {
  const one = (node: unknown): string => {
    if (typeof node !== 'object' || node === null) return String(node).replace(/^.*@/, '');
    const { host = 'localhost', port = 6379, path } = node as { host?: string; port?: number; path?: string };
    return path ?? `${host}:${port}`;
  };
  const { startupNodes } = client as { startupNodes?: readonly unknown[] };
  if (startupNodes) return startupNodes.map(one).join(', ');
  const { sentinels } = client.options as { sentinels?: readonly unknown[] | null };
  return sentinels ? `sentinels ${sentinels.map(one).join(', ')}` : one(client.options);
}
