/**
 * Real Redis servers for tests, on loopback, one per call. Uses the machine's redis-server, or unpacks Debian's own
 * packages beside node_modules without installing anything. No server outlives the process that started it.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { diesWithUs, patience } from './processes.js';

const run = promisify(execFile);

export interface RedisOptions {
  /** More of redis-server's own options, such as ['--appendonly', 'yes']. */
  args?: readonly string[];
  port?: number;
  /** Where it keeps its files. Without it a folder of its own, which stop() removes. */
  dir?: string;
}

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  readonly dir: string;
  readonly exited: Promise<void>;
  kill(signal?: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export interface RedisCluster {
  readonly ports: readonly number[];
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

/** Ready to take commands when it resolves. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  return start(options, () => freePort());
}

/** That many masters which share all slots; ready when every one of them says so. */
export async function startCluster(masters = 3): Promise<RedisCluster> {
  const { cli, env } = await findRedis();
  const nodes: RedisServer[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (let i = 0; i < masters; i++) {
      const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
      nodes.push(await start({ args }, freeClusterPort));
    }
    const addresses = nodes.map((node) => `127.0.0.1:${node.port}`);
    await run(cli, ['--cluster', 'create', ...addresses, '--cluster-replicas', '0', '--cluster-yes'], { env });
    for (const node of nodes) {
      await until('the cluster is complete', async () =>
        (await command(node.port, 'CLUSTER INFO')).includes('cluster_state:ok'),
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { ports: nodes.map((node) => node.port), nodes, stop };
}

async function start(options: RedisOptions, pickPort: () => Promise<number>): Promise<RedisServer> {
  const { server, env } = await findRedis();
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'askback-redis-')));
  for (let tries = 1; ; tries++) {
    const port = options.port ?? (await pickPort());
    const child = spawn(
      server,
      ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', '', ...(options.args ?? [])],
      { env, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-4000);
      });
    }
    let ended = false;
    const exited = new Promise<void>((resolve) => {
      child.once('close', () => {
        ended = true;
        resolve();
      });
    });
    const pid = diesWithUs(child);

    const stop = async () => {
      child.kill('SIGCONT'); // a test may have paused it
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(force);
      if (!options.dir) await rm(dir, { recursive: true, force: true });
    };
    try {
      await until('redis-server answers', async () => {
        if (ended) throw new Error(`redis-server ended at once:\n${log}`);
        return /^(\+PONG|-NOAUTH)/.test(await command(port, 'PING'));
      });
    } catch (error) {
      // somebody else may have taken the port between looking for it and using it
      if (options.port === undefined && tries < 5 && /address already in use/i.test(log)) continue;
      await stop();
      throw error;
    }
    const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
      child.kill(signal);
    };
    return { port, url: `redis://127.0.0.1:${port}`, pid, dir, exited, kill, stop };
  }
}

// --- where the programs come from ---

export interface RedisPrograms {
  readonly server: string;
  readonly cli: string;
  readonly env: NodeJS.ProcessEnv;
}

let found: Promise<RedisPrograms> | undefined;

/** REDIS_SERVER, else a redis-server on PATH, else Debian's packages unpacked into a cache. */
export function findRedis(): Promise<RedisPrograms> {
  found ??= find();
  return found;
}

const cache = fileURLToPath(new URL(`../../node_modules/.cache/askback-redis/${process.arch}`, import.meta.url));
const packages = ['redis-tools', 'redis-server', 'libjemalloc2', 'liblzf1', 'libatomic1'];

async function find(): Promise<RedisPrograms> {
  const named = process.env.REDIS_SERVER;
  if (named && !existsSync(named)) throw new Error(`REDIS_SERVER names ${named}, and there is no such file.`);
  const server = named || onPath('redis-server');
  try {
    return await tried(server ? beside(server) : await unpacked());
  } catch (error) {
    throw new Error(
      'The tests need redis-server, version 7 or newer. Install it (`apt-get install redis-server`, `brew install redis`) ' +
        `or set REDIS_SERVER to its path. What went wrong here: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

async function tried(programs: RedisPrograms): Promise<RedisPrograms> {
  const { stdout } = await run(programs.server, ['--version'], { env: programs.env });
  const version = /v=(\d+)[\d.]*/.exec(stdout);
  if (Number(version?.[1]) < 7) throw new Error(`${programs.server} is ${version?.[0]}.`);
  return programs;
}

function beside(server: string): RedisPrograms {
  const cli = join(dirname(server), 'redis-cli');
  return { server, cli: existsSync(cli) ? cli : (onPath('redis-cli') ?? cli), env: process.env };
}

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

async function unpacked(): Promise<RedisPrograms> {
  if (!existsSync(cache)) await unpack(cache, packages);
  const folders = [];
  for (const lib of [join(cache, 'usr/lib'), join(cache, 'lib')]) {
    if (!existsSync(lib)) continue;
    for (const name of await readdir(lib)) if (name.endsWith('-linux-gnu')) folders.push(join(lib, name));
  }
  const bin = join(cache, 'usr/bin');
  const env = { ...process.env, LD_LIBRARY_PATH: folders.join(delimiter) };
  return { server: join(bin, 'redis-server'), cli: join(bin, 'redis-cli'), env };
}

/**
 * Unpacks packages of Debian into a folder. Several processes may come here at once: each works in a folder of its own, and the first to
 * finish wins.
 */
export async function unpack(into: string, packages: readonly string[]): Promise<void> {
  await mkdir(dirname(into), { recursive: true });
  const work = await mkdtemp(join(dirname(into), 'unpacking-'));
  try {
    const apt = (...args: string[]) => run('apt-get', args, { cwd: work });
    await apt('download', ...packages).catch(async () => {
      // The machine's package lists are empty or stale. Lists of our own need no root and no lock.
      await mkdir(join(work, 'lists/partial'), { recursive: true });
      const own = [
        '-o',
        `Dir::State::Lists=${work}/lists`,
        '-o',
        `Dir::Cache=${work}`,
        '-o',
        'APT::Sandbox::User=root',
      ];
      await apt('update', ...own);
      await apt('download', ...own, ...packages);
    });
    for (const file of await readdir(work)) {
      if (file.endsWith('.deb')) await run('dpkg', ['-x', file, 'root'], { cwd: work });
    }
    await rename(join(work, 'root'), into).catch((error: unknown) => {
      if (!existsSync(into)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

// --- sockets ---

/** What the server at that port answers, as it is on the wire; empty while nobody listens. */
function command(port: number, line: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.setEncoding('utf8').setTimeout(1000);
    const end = (answer: string) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (answer) => end(String(answer)));
    socket.once('timeout', () => end(''));
    socket.once('error', () => end(''));
  });
}

async function until(what: string, holds: () => Promise<boolean>, timeoutMs = patience): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}.`);
    await sleep(10);
  }
}

/** A port nobody uses, asked of the system; or the given one, if nobody uses it. */
export function freePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** A cluster node also listens 10000 ports higher, where the other nodes talk to it. */
async function freeClusterPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + 10_000 > 65_535) continue;
    const free = await freePort(port + 10_000).catch(() => undefined);
    if (free) return port;
  }
}
