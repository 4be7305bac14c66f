/** The Redis servers that other tests stand on. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../support/processes.js';
import { findRedis, startCluster, startRedis } from '../../support/redis-server.js';

test('a redis-server is found or fetched', async () => {
  const { server } = await findRedis();
  expect(existsSync(server)).toBe(true);
});

test('a server answers, keeps a value, and is gone after stop', async () => {
  const server = await startRedis();
  const client = new Redis(server.url);
  expect(await client.ping()).toBe('PONG');
  await client.set('greeting', 'hello');
  expect(await client.get('greeting')).toBe('hello');
  await client.quit();

  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
  expect(existsSync(server.dir)).toBe(false);
});

test('two servers at once do not meet', async () => {
  const servers = await Promise.all([startRedis(), startRedis()]);
  expect(servers[0].port).not.toBe(servers[1].port);
  const clients = servers.map((server) => new Redis(server.url));
  await clients[0]?.set('key', 'first');
  expect(await clients[1]?.get('key')).toBeNull();
  for (const client of clients) await client.quit();
  for (const server of servers) await server.stop();
});

test('a paused server can be stopped', async () => {
  const server = await startRedis();
  server.kill('SIGSTOP');
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
});

test('after a kill a new server on the same port and folder has what was written', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'askback-kept-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const args = ['--appendonly', 'yes', '--appendfsync', 'always'];

  const first = await startRedis({ args, dir });
  const writer = new Redis(first.url);
  await writer.set('kept', 'yes');
  writer.disconnect();
  first.kill('SIGKILL');
  await first.exited;

  const second = await startRedis({ args, dir, port: first.port });
  const reader = new Redis(second.url);
  expect(await reader.get('kept')).toBe('yes');
  await reader.quit();
  await second.stop();
  expect(existsSync(dir)).toBe(true); // not ours to remove
});

test('a server that cannot start says why', async () => {
  await expect(startRedis({ args: ['--no-such-option', '1'] })).rejects.toThrow(/Bad directive/);
});

test('a cluster of three takes a key on each node, and is gone after stop', async () => {
  const cluster = await startCluster(3);
  const client = new Cluster(cluster.ports.map((port) => ({ host: '127.0.0.1', port })));
  const keys = Array.from({ length: 60 }, (_, i) => `key-${i}`);
  for (const key of keys) await client.set(key, key);
  for (const key of keys) expect(await client.get(key)).toBe(key);
  await client.quit();

  for (const node of cluster.nodes) {
    const direct = new Redis(node.url);
    expect(await direct.dbsize()).toBeGreaterThan(0);
    await direct.quit();
  }

  await cluster.stop();
  expect(cluster.nodes.filter((node) => isAlive(node.pid))).toEqual([]);
});
