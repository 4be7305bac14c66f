/**
 * The store's own connections: one for commands, one for hints once somebody listens. Opened, checked and closed here;
 * the user's client is only copied.
 */
import {
  boolean,
  type CheckedOptions,
  checkOptions,
  expecting,
  having,
  integer,
  longestTimer,
  matching,
  type OptionRules,
  optional,
} from '../../../core/check-options.js';
import { AgentError, badOption } from '../../../core/errors.js';
import { describe } from '../../../core/ids.js';
import { BusyPoll } from '../../../machine/busy-poll.js';
import { sleep, systemClock, within } from '../../../machine/clock.js';
import type { Hint } from '../../port.js';
import type { Keys } from '../keys.js';
import { StepBatches } from './batches.js';
import { checkFormat, checkTime, connected, inspected, type RedisLogger } from './checks.js';
import { type Connector, fromClient, fromUrl, type RedisClient, type RedisConnection } from './client.js';
import { storeError } from './errors.js';
import { Hints } from './hints.js';
import { Runner } from './runner.js';

/** The options of a `RedisStore`. */
export interface RedisStoreOptions {
  /** Your ioredis or iovalkey client, single, Sentinel or Cluster. It is copied, and never closed. */
  readonly client?: RedisClient;
  /** Instead of a client: where Redis is, such as `redis://localhost:6379`. Needs the package ioredis. */
  readonly url?: string;
  /** The beginning of every key. */
  readonly prefix?: string;
  /** How long one command may take, in ms. */
  readonly commandTimeout?: number;
  /**
   * False: the process sleeps whenever it waits for Redis. Otherwise its event loop goes round for up to 0.2 ms where
   * answers come that fast, which makes a turn quicker and takes CPU while little is to be done.
   */
  readonly busyPoll?: boolean;
  /** Where warnings go. */
  readonly logger?: RedisLogger;
}

/** Commands one after the other that are waited for at the start. */
const mostInChecks = 4;
/** How long a server may take to answer that the connection ends, in ms. */
const longestQuit = 1_000;
/** How often the format is looked at, in ms. */
const formatInterval = 60_000;

const quiet: RedisLogger = { warn: (text) => console.warn(`askback: ${text}`), debug: () => {} };

const rules = {
  client: optional(
    expecting<RedisClient>(
      'an ioredis or iovalkey client',
      (value) => typeof (value as Partial<RedisClient> | null)?.duplicate === 'function',
    ),
  ),
  url: optional(checkedUrl),
  prefix: optional(
    matching('a string without spaces and braces', (prefix) => /^[^{}\s]+$/.test(prefix)),
    'askback',
  ),
  commandTimeout: optional(integer({ of: 'milliseconds', min: 1, max: longestTimer }), 2_000),
  busyPoll: optional(boolean()),
  logger: optional(having<RedisLogger>('a logger', 'warn', 'debug'), quiet),
} satisfies OptionRules<RedisStoreOptions>;

type CheckedRedisOptions = CheckedOptions<typeof rules>;

/** Options that can work, or an error that names the one that cannot. */
export function checkedRedisOptions(options: RedisStoreOptions): CheckedRedisOptions {
  const checked = checkOptions('RedisStore', options, rules, "{ url: 'redis://localhost:6379' }");
  if ((checked.client === undefined) !== (checked.url === undefined)) return checked;
  throw badOption('RedisStore: give either client (an ioredis or iovalkey client) or url.');
}

function checkedUrl(url: unknown, name: string): string {
  if (typeof url === 'string' && /^rediss?:\/\/./.test(url) && URL.canParse(url)) {
    const { pathname, searchParams } = new URL(url);
    const database = searchParams.get('db') ?? pathname.slice(1);
    if (/^\d*$/.test(database)) return url; // else the client ends the process, or goes on in database 0
    throw badOption(
      `${name} must end with the number of a database, such as redis://localhost:6379/0, or have none, got one that ends otherwise. In a password, write characters such as @, / and # percent-encoded.`,
    );
  }
  const got = typeof url === 'string' && url !== '' ? wrongUrl(url) : describe(url);
  throw badOption(`${name} must be an address such as redis://localhost:6379, got ${got}.`);
}

/** What is wrong with an address, without showing it: it may contain a password. */
function wrongUrl(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1];
  if (scheme === undefined) return 'a string that does not begin with redis:// or rediss://';
  if (scheme !== 'redis' && scheme !== 'rediss') return `one that begins with ${scheme}://`;
  return 'one that is no valid URL. In a password, write characters such as @, / and # percent-encoded';
}

export class Connections {
  private readonly options: CheckedRedisOptions;
  private readonly keys: Keys;
  private readonly hints: Hints;
  private opening: Promise<void> | undefined;
  private listening: Promise<void> | undefined;
  private connector: Connector | undefined;
  private formatCheckedAt = 0;
  /** What runs commands, and what runs the steps of conversations. */
  private current: { readonly commands: Runner; readonly batches: StepBatches } | undefined;
  private closed = false;
  /** All that were made, for closing. */
  private readonly made = new Set<RedisConnection>();

  constructor(options: CheckedRedisOptions, keys: Keys) {
    this.options = options;
    this.keys = keys;
    this.hints = new Hints(keys.hints, options.logger);
  }

  open(): Promise<void> {
    this.opening ??= this.start().catch((error: unknown) => {
      this.opening = undefined; // so that it can be tried again
      throw error;
    });
    return this.opening;
  }

  /**
   * Looks at the format again, once in a while: whoever empties Redis takes it along, and without it another release would
   * not know whose data this is.
   */
  async recheckFormat(): Promise<void> {
    const now = systemClock.elapsed();
    if (now < this.formatCheckedAt + formatInterval) return;
    this.formatCheckedAt = now;
    const { connection } = this.commands;
    const { address } = this.connector as Connector;
    const isLost = await this.inTime(checkFormat(connection, this.keys.format, address));
    if (isLost)
      this.options.logger.warn(
        `Redis at ${address} was emptied while in use: ${this.keys.format} was gone, and what else was stored is lost. The format was written again. Do not share the database with anything that calls FLUSHALL or FLUSHDB, and do not let Redis evict keys.`,
      );
  }

  /** What runs commands. */
  get commands(): Runner {
    return this.used().commands;
  }

  /** What runs the steps of conversations. */
  get batches(): StepBatches {
    return this.used().batches;
  }

  /** The error to throw for one that Redis or the client told. */
  error(error: unknown): unknown {
    return storeError(error, this.connector?.address ?? '');
  }

  /** A script may only touch one slot at a time then. */
  get isCluster(): boolean {
    return this.connector?.isCluster === true;
  }

  hint(hint: Hint): void {
    if (this.current !== undefined) this.hints.publish(this.current.commands, hint);
  }

  async watch(listener: (hint: Hint) => void): Promise<() => Promise<void>> {
    this.listening ??= this.listen().catch((error: unknown) => {
      this.listening = undefined;
      throw error;
    });
    await this.listening;
    const stop = this.hints.add(listener);
    return async () => stop();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.current?.commands.end();
    this.current = undefined;
    this.opening = undefined; // it can be opened again
    this.listening = undefined;
    await Promise.all([...this.made].map((connection) => this.end(connection)));
  }

  private used(): { readonly commands: Runner; readonly batches: StepBatches } {
    if (this.current !== undefined) return this.current;
    const state = this.closed ? 'closed' : 'not open yet';
    throw new AgentError('store-unavailable', `The RedisStore is ${state}. Call open() first.`);
  }

  private async start(): Promise<void> {
    this.closed = false;
    const { client, url, commandTimeout: timeout, logger, busyPoll } = this.options;
    this.connector = client ? fromClient(client, timeout) : await fromUrl(url as string, timeout);
    const { address } = this.connector;
    const connection = this.make('commands');
    try {
      await connected(connection, address, timeout);
      const version = await this.inTime(inspected(connection, this.connector, logger));
      await this.inTime(checkTime(connection, address));
      await this.inTime(checkFormat(connection, this.keys.format, address));
      this.formatCheckedAt = systemClock.elapsed();
      const commands = new Runner(connection, address, timeout);
      commands.isOld = version < 7;
      this.current = { commands, batches: new StepBatches(commands, new BusyPoll(busyPoll), this.isCluster) };
    } catch (error) {
      await this.end(connection);
      throw error;
    }
  }

  /** The commands' connection has no limit of its own, see runner.ts. */
  private inTime<T>(checks: Promise<T>): Promise<T> {
    return within(systemClock, mostInChecks * this.options.commandTimeout, checks, () => {
      throw this.error(new Error('the checks at the start timed out'));
    });
  }

  private async listen(): Promise<void> {
    const { connection } = this.commands;
    const { isCluster, address } = this.connector as Connector;
    // a Cluster client keeps a connection of its own for what it subscribes to
    const own = isCluster ? undefined : this.make('hints');
    try {
      if (own !== undefined) await connected(own, address, this.options.commandTimeout);
      await this.hints.subscribe(own ?? connection);
    } catch (error) {
      if (own !== undefined) await this.end(own);
      throw storeError(error, address);
    }
  }

  private make(purpose: 'commands' | 'hints'): RedisConnection {
    const connection = (this.connector as Connector).make(purpose);
    this.made.add(connection);
    // without a listener the client prints every lost connection; commands tell their callers themselves
    connection.on('error', (error) =>
      this.options.logger.debug(`Redis connection for ${purpose}: ${(error as Error).message}`),
    );
    return connection;
  }

  private async end(connection: RedisConnection): Promise<void> {
    this.made.delete(connection);
    // what was sent is answered first; a server that is away, or stands still, is not waited for
    if (connection.status === 'ready')
      await Promise.race([connection.quit().catch(() => {}), sleep(systemClock, longestQuit)]);
    connection.disconnect();
  }
}
