/** All that a run has started: servers, processes, a folder. close() ends and removes every bit of it, at any moment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../test/support/redis-server.js';
import { Contender } from './crew.js';

/** From so many keys on, a table is moved for seconds. */
const large = 1_048_576;

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

  /**
   * Redis doubles its table of keys when it is full. Moving one of four million takes ten seconds, with about a fifth less
   * throughput meanwhile; where that would come within the next `soon` keys, it is brought about and finished here.
   */
  async enlarge(soon: number): Promise<void> {
    const keys = await this.#admin.dbsize();
    const full = 2 ** Math.ceil(Math.log2(keys + 1));
    if (full < large || keys + soon <= full) return;
    const batch = (n: number) => Array.from({ length: 1_000 }, (_, i) => `enlarge:${n + i}`);
    const more = full - keys + 1;
    for (let n = 0; n < more; n += 1_000) await this.#admin.mset(batch(n).flatMap((name) => [name, '']));
    for (let n = 0; n < 1.2 * full; n += 1_000) await this.#admin.exists(batch(n)); // each look moves a bit of the table
    for (let n = 0; n < more; n += 1_000) await this.#admin.unlink(batch(n));
  }

  async stop(): Promise<void> {
    this.#admin.disconnect();
    await this.#server.stop();
  }
}

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
    const server = new Server(await startRedis({ args: fsync === undefined ? [] : persistence(fsync) }));
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
