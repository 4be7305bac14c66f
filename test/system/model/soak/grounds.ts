/**
 * What the soak run stands on: Redis with its AOF behind a line that fails, a file, Redis under Sentinel, a Cluster.
 * Each knows how a replica reaches it and what can happen to it.
 */
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import * as libsql from 'libsql'; // at once: where the run is imported by a script, nothing can be imported later
import { Database } from '../../../../src/stores/sqlite/database.js';
import { findDriver } from '../../../../src/stores/sqlite/driver.js';
import { FaultProxy } from '../../../support/fault-proxy.js';
import { diesWithUs } from '../../../support/processes.js';
import { findRedis, type RedisServer, startCluster, startRedis } from '../../../support/redis-server.js';
import type { Random } from '../../../support/seed.js';

export interface Ground {
  readonly name: string;
  /** How the replica in this place reaches the store. */
  store(place: number): object;
  /** What can happen to the store and the way to it. */
  readonly faults: Readonly<Record<string, () => Promise<void>>>;
  /** Undoes what is still wrong. */
  heal(): Promise<void>;
  /** Redis's own promise is weaker here: conversations that a fault met may have lost what was acknowledged. */
  readonly forgets?: string;
  /** The clocks of its replicas may be wrong. */
  readonly skews: boolean;
  close(): Promise<void>;
}

const between = (random: Random) => (least: number, most: number) => least + random() * (most - least);

/** Every write is on the disk before it is acknowledged, so a killed server loses none. */
const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];

export async function onRedis(dir: string, replicas: number, random: Random): Promise<Ground> {
  const some = between(random);
  const folder = join(dir, 'redis');
  await mkdir(folder);
  let server: RedisServer = await startRedis({ dir: folder, args: durable });
  const { port } = server;
  const lines = await Promise.all(Array.from({ length: replicas }, () => FaultProxy.begin(port)));
  const client = new Redis(server.url, { retryStrategy: () => 50 });
  client.on('error', () => {});
  const line = () => lines[Math.floor(some(0, replicas))] as FaultProxy;
  const script = ([name]: readonly string[]) => /^eval/i.test(name ?? '');
  return {
    name: 'redis',
    store: (place) => ({ redis: lines[place]?.url, prefix: 'soak' }),
    skews: true,
    faults: {
      cut: async () => line().cut(),
      'lost reply': () =>
        line()
          .once('execute then cut', script, { within: 2_000 })
          .catch(() => {}),
      'lost command': () =>
        line()
          .once('cut before', script, { within: 2_000 })
          .catch(() => {}),
      stall: async () => {
        const stalled = line();
        stalled.stall();
        await sleep(some(300, 1_500));
        stalled.heal();
      },
      slow: async () => {
        const slow = line();
        slow.delay(some(20, 200));
        await sleep(some(300, 1_500));
        slow.heal();
      },
      'script flush': async () => void (await client.script('FLUSH').catch(() => {})),
      'client kill': async () => void (await client.call('CLIENT', 'KILL', 'TYPE', 'normal').catch(() => {})),
      'redis killed': async () => {
        server.kill('SIGKILL');
        await server.exited;
        await sleep(some(50, 800));
        server = await startRedis({ dir: folder, port, args: durable });
      },
    },
    heal: async () => {
      for (const each of lines) each.heal();
    },
    close: async () => {
      client.disconnect();
      await Promise.all(lines.map((each) => each.close()));
      await server.stop();
    },
  };
}

export async function onFile(dir: string, random: Random): Promise<Ground> {
  const some = between(random);
  const path = join(dir, 'askback.db');
  const driver = await findDriver({ builtIn: () => undefined, libsql: async () => libsql });
  return {
    name: 'sqlite',
    store: () => ({ sqlite: path }),
    skews: false, // processes of one machine have one clock
    faults: {
      lock: async () => {
        const db = new Database(driver(path));
        try {
          db.exec('PRAGMA busy_timeout = 2000');
          db.exec('BEGIN IMMEDIATE');
          await sleep(some(50, 800));
          db.exec('ROLLBACK');
        } catch {
          // the file was busy for longer than we waited, which is as good
        } finally {
          db.close();
        }
      },
    },
    heal: async () => {},
    close: async () => {},
  };
}

/** A master, a replica of it and a Sentinel that swaps them. */
export async function onSentinel(dir: string): Promise<Ground> {
  const master = await startRedis({ args: durable });
  const replica = await startRedis({ args: [...durable, '--replicaof', '127.0.0.1', `${master.port}`] });
  const { server, env } = await findRedis();
  const probe = await startRedis();
  const { port } = probe; // a port that was free a moment ago
  await probe.stop();
  const config = join(dir, 'sentinel.conf');
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`, `sentinel monitor soak 127.0.0.1 ${master.port} 1`];
  writeFileSync(config, `${[...lines, 'sentinel down-after-milliseconds soak 1000', ''].join('\n')}`);
  const child = spawn(server, [config, '--sentinel'], { env, stdio: 'ignore' });
  diesWithUs(child);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 100, maxRetriesPerRequest: null });
  client.on('error', () => {});
  const replicas = async () => String(await client.call('SENTINEL', 'REPLICAS', 'soak'));
  for (let i = 0; i < 150 && !(await replicas()).includes(`${replica.port}`); i += 1) await sleep(100);
  const current = new Redis({ sentinels: [{ host: '127.0.0.1', port }], name: 'soak', maxRetriesPerRequest: null });
  current.on('error', () => {});
  /** How far the master has written, and how far its replica says that it has followed. */
  const offsets = async () => {
    const told = await current.info('replication');
    const at = (field: RegExp) => Number(field.exec(told)?.[1] ?? 0);
    return { written: at(/master_repl_offset:(\d+)/), followed: at(/slave0:.*state=online,offset=(\d+)/) };
  };
  const isReplica = async (of: number) => {
    const old = new Redis(of, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
    const told = await old.info('replication').catch(() => '');
    old.disconnect();
    return told.includes('role:slave');
  };
  const flush = async () => void (await current.script('FLUSH').catch(() => {}));
  return {
    name: 'sentinel',
    store: () => ({ sentinel: { port, name: 'soak' }, prefix: 'soak' }),
    skews: true,
    forgets: 'fail-over',
    faults: {
      ...{ 'script flush': () => flush(), calm: () => sleep(2_000).then(() => {}) },
      'fail-over': async () => {
        // not before the replica has all that was written until now: only those who talk from now on are in doubt
        const { written } = await offsets();
        let hasAll = false;
        for (let i = 0; i < 100 && !hasAll; i += 1) {
          hasAll = (await offsets()).followed >= written;
          if (!hasAll) await sleep(100);
        }
        if (!hasAll) return;
        const [, old] = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'soak')) as [string, string];
        await client.call('SENTINEL', 'FAILOVER', 'soak').catch(() => {});
        // whoever still reaches the old master writes into the void, until it has become a replica
        for (let i = 0; i < 200 && !(await isReplica(Number(old))); i += 1) await sleep(100);
        await sleep(1_000);
      },
    },
    heal: () => sleep(500).then(() => {}),
    close: async () => {
      client.disconnect();
      current.disconnect();
      child.kill('SIGKILL');
      await exited;
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}

/** Three masters, and slots that move between them while they are used. */
export async function onCluster(): Promise<Ground> {
  const cluster = await startCluster(3);
  const { cli, env } = await findRedis();
  const run = promisify(execFile);
  const [first] = cluster.ports;
  const ids: string[] = [];
  for (const port of cluster.ports) {
    const client = new Redis(port, '127.0.0.1');
    ids.push(String(await client.call('CLUSTER', 'MYID')));
    client.disconnect();
  }
  let moving = 0;
  return {
    name: 'cluster',
    store: () => ({ cluster: cluster.ports, prefix: 'soak' }),
    skews: true,
    faults: {
      'slots moved': async () => {
        const from = ids[moving % 3] as string;
        const to = ids[(moving + 1) % 3] as string;
        moving += 1;
        const how = ['--cluster-from', from, '--cluster-to', to, '--cluster-slots', '400', '--cluster-yes'];
        await run(cli, ['--cluster', 'reshard', `127.0.0.1:${first}`, ...how], { env, timeout: 10_000 }).catch(
          () => {},
        );
      },
      calm: () => sleep(1_000).then(() => {}),
    },
    heal: async () => {
      await run(cli, ['--cluster', 'fix', `127.0.0.1:${first}`], { env, timeout: 15_000 }).catch(() => {});
    },
    close: () => cluster.stop(),
  };
}
