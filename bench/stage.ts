/** All that a run has started: servers, processes, a folder. close() ends and removes every bit of it, at any moment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../test/support/redis-server.js';
import { Contender } from './crew.js';

/** More keys than the pairs of all rounds leave behind. */
export const ofAllRounds = 500_000;

const hour = 3_600_000;
const batch = 1_000;

/** A Redis server with a look into it. */
export class Server {
  readonly url: string;
  readonly #server: RedisServer;
  readonly #admin: Redis;

  constructor(server: RedisServer) {
    this.url = server.url;
    this.#server = server;
    this.#admin = new Redis(server.url);
    this.#admin.on('error', () => {}); // whoever waits for an answer is told
  }

  /** What the main thread has used so far, in µs; undefined where the server does not say. */
  async cpu(): Promise<number | undefined> {
    const info = await this.#admin.info('cpu');
    const used = ['user', 'sys'].map((kind) =>
      Number(new RegExp(`used_cpu_${kind}_main_thread:([\\d.]+)`).exec(info)?.[1]),
    );
    const sum = used.reduce((a, b) => a + b, 0) * 1e6;
    return Number.isNaN(sum) ? undefined : sum;
  }

  async version(): Promise<string> {
    return /redis_version:(\S+)/.exec(await this.#admin.info('server'))?.[1] ?? 'of unknown version';
  }

  /** The bytes that data and its indexes take: without clients and scripts, once nothing moves any more. */
  async memory(): Promise<number> {
    let last = Number.NaN;
    for (let tries = 0; tries < 40; tries++) {
      const info = await this.#admin.info('memory');
      const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
      const now = field('used_memory') - field('mem_clients_normal') - field('used_memory_scripts');
      if (Math.abs(now - last) < 4_096) return now;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 250)); // a table may still be moving to its new size
    }
    return last;
  }

  /** The mean MEMORY USAGE of up to `most` keys that fit; undefined if there is none. */
  async usage(pattern: string, most: number): Promise<number | undefined> {
    const keys = new Set<string>();
    for (let cursor = '0', looked = 0; looked === 0 || (cursor !== '0' && keys.size < most); looked++) {
      const [next, found] = await this.#admin.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
      for (const key of found) if (keys.size < most) keys.add(key);
      cursor = next;
    }
    if (keys.size === 0) return undefined;
    const sizes = await Promise.all([...keys].map((key) => this.#admin.memory('USAGE', key, 'SAMPLES', 0)));
    return sizes.reduce<number>((sum, size) => sum + Number(size), 0) / keys.size;
  }

  /** How many keys it holds, and how many of them have a time to live. */
  async entries(): Promise<{ readonly keys: number; readonly expires: number }> {
    const [, keys = 0, expires = 0] = /^db0:keys=(\d+),expires=(\d+)/m.exec(await this.#admin.info('keyspace')) ?? [];
    return { keys: Number(keys), expires: Number(expires) };
  }

  /**
   * Redis doubles its table of keys, and that of times to live, when it is full. Moving one of a million takes it seconds,
   * with up to a quarter less throughput meanwhile: what would come within the next `soon` keys is brought about and
   * finished here, by keys that are removed again.
   */
  async enlarge(soon: number): Promise<void> {
    await this.#admin.config('SET', 'hz', 500); // how often a second Redis moves tables for a millisecond
    const sizes = await this.#still();
    const { keys, expires } = await this.entries();
    const mortal = wantedBy(sizes.expires, expires, soon);
    const all = Math.max(wantedBy(sizes.keys, keys, soon), mortal);
    const names = Array.from({ length: all }, (_, i) => `enlarge:${i}`);
    const sets = names.map((name, i) => ['set', name, '', ...(i < mortal ? ['PX', hour] : [])]);
    for (let n = 0; n < all; n += batch) await this.#admin.pipeline(sets.slice(n, n + batch)).exec();
    if (all > 0) await this.#still();
    for (let n = 0; n < all; n += batch) await this.#admin.unlink(names.slice(n, n + batch));
    await this.#admin.config('SET', 'hz', 10); // what it was
  }

  /** The sizes of both tables, once none is being moved; or as they are after two minutes. */
  async #still(): Promise<{ readonly keys: number; readonly expires: number }> {
    for (const start = performance.now(); ; ) {
      const look = performance.now();
      const stats = String(await this.#admin.call('DEBUG', 'HTSTATS', 0));
      const sizeIn = (part: string) => Number(/table size: (\d+)/.exec(part)?.[1] ?? 4);
      const [keys = 4, expires = 4] = stats.split('[Expires HT]').map(sizeIn);
      if (!stats.includes('rehashing target') || look - start > 120_000) return { keys, expires };
      // a look goes over all of a table, and nothing is moved meanwhile
      await new Promise((resolve) => setTimeout(resolve, 20 + 5 * (performance.now() - look)));
    }
  }

  async stop(): Promise<void> {
    this.#admin.disconnect();
    await this.#server.stop();
  }
}

/**
 * How many entries more make Redis take a table that has room for `soon`: never more than these. It doubles with the first
 * entry that there is no room for, and is made smaller again when filled to less than a tenth (newer versions: an eighth).
 */
function wantedBy(size: number, entries: number, soon: number): number {
  let most = entries;
  for (let full = size; full < entries + soon && full < 4 * entries; full *= 2) most = Math.max(entries, full + 1);
  return most - entries;
}

/** DEBUG tells whether a table is being moved. Redis before 7 allows it without being told to, and knows no such option. */
const debug = ['--enable-debug-command', 'local'];

const persistence = (fsync: string) => [
  ...['--appendonly', 'yes', '--appendfsync', fsync],
  ...['--auto-aof-rewrite-percentage', '0'], // a rewrite would fall on one contender only
];

export class Stage {
  readonly dir = mkdtempSync(join(tmpdir(), 'askback-bench-'));
  readonly #contenders = new Set<Contender>();
  readonly #servers = new Set<Server>();
  #closing: Promise<void> | undefined;

  async server(fsync?: 'everysec' | 'always'): Promise<Server> {
    const args = fsync === undefined ? [] : persistence(fsync);
    const server = new Server(await startRedis({ args: [...debug, ...args] }).catch(() => startRedis({ args })));
    this.#servers.add(server);
    await this.#open();
    return server;
  }

  async contender(module: string, config: object): Promise<Contender> {
    await this.#open();
    const contender = await Contender.open(module, config);
    this.#contenders.add(contender);
    await this.#open();
    return contender;
  }

  /** For a catch: what went wrong only because everything is being ended goes on to the top. */
  unlessClosed<T>(told: (error: unknown) => T): (error: unknown) => T {
    return (error) => {
      if (this.#closing !== undefined) throw error;
      return told(error);
    };
  }

  /** Ends these before the rest, to make room for others. */
  async end(...ended: readonly (Contender | Server)[]): Promise<void> {
    for (const each of ended) {
      if (each instanceof Server) {
        this.#servers.delete(each);
        await each.stop();
      } else {
        this.#contenders.delete(each);
        await each.end();
      }
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#contenders].map((each) => each.end()));
    await Promise.all([...this.#servers].map((each) => each.stop()));
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** What came up while everything was being closed goes down too. */
  async #open(): Promise<void> {
    if (this.#closing === undefined) return;
    await this.#closing;
    await this.#close();
    throw new Error('stopped');
  }
}
