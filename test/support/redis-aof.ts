/**
 * A Redis that writes everything it acknowledges to its append-only file first, to be killed, cut and started again.
 */
import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisServer, startRedis } from './redis-server.js';

const args = ['--appendonly', 'yes', '--appendfsync', 'always', '--aof-load-truncated', 'yes'];

export class AofRedis {
  readonly dir: string;
  readonly port: number;
  readonly url: string;
  #server: RedisServer;

  private constructor(server: RedisServer, dir: string) {
    this.#server = server;
    this.dir = dir;
    this.port = server.port;
    this.url = server.url;
  }

  /** On a folder of its own, or on a copy of another's. */
  static async begin(from?: { readonly dir: string; readonly cut: number }): Promise<AofRedis> {
    const dir = await mkdtemp(join(tmpdir(), 'askback-aof-'));
    if (from !== undefined) {
      await cp(from.dir, dir, { recursive: true });
      await cutTail(dir, from.cut);
    }
    return new AofRedis(await startRedis({ dir, args }), dir);
  }

  /** kill -9; what it had acknowledged is in its files. */
  async kill(): Promise<void> {
    this.#server.kill('SIGKILL');
    await this.#server.exited;
  }

  /** Starts it again where it was, without the last bytes of its file. */
  async restart(cut = 0): Promise<void> {
    if (cut > 0) await cutTail(this.dir, cut);
    this.#server = await startRedis({ dir: this.dir, port: this.port, args });
  }

  /** How many bytes its file has that can be cut. */
  async size(): Promise<number> {
    return (await stat(await lastFile(this.dir))).size;
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}

async function cutTail(dir: string, bytes: number): Promise<void> {
  const file = await lastFile(dir);
  await truncate(file, (await stat(file)).size - bytes);
}

/** The file that Redis appends to. */
async function lastFile(dir: string): Promise<string> {
  const folder = join(dir, 'appendonlydir');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof')).sort();
  const last = names.at(-1);
  if (last === undefined) throw new Error(`Redis has written no append-only file in ${folder}.`);
  return join(folder, last);
}
