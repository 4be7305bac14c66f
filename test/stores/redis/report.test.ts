/** checkRedis: what it sees of a real server, and what the store makes of it. */
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { expect, onTestFinished, test } from 'vitest';
import { checkRedis, RedisStore } from '../../../src/stores/redis/index.js';
import { reportsOf } from '../../../src/stores/redis/report.js';
import type { RedisConnection } from '../../../src/stores/redis/transport/client.js';
import { startRedis } from '../../support/redis-server.js';

async function reportOf(args: string[]) {
  const server = await startRedis({ args });
  const client = new Redis(server.url);
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  const [report] = await checkRedis(client);
  return { report, server, client };
}

test('a server with an append-only file that is synced always has no fault and no warning', async () => {
  const { report, server } = await reportOf(['--appendonly', 'yes', '--appendfsync', 'always']);
  expect(report).toMatchObject({
    address: `127.0.0.1:${server.port}`,
    role: 'master',
    maxmemoryPolicy: 'noeviction',
    appendOnly: true,
    appendFsync: 'always',
    faults: [],
    warnings: [],
  });
  expect(report?.version).toMatch(/^\d+\./);
  expect(report?.latency).toBeGreaterThan(0);
});

test('without an append-only file, or with one that is not synced, it warns and says what to set', async () => {
  const none = await reportOf([]);
  expect(none.report).toMatchObject({ appendOnly: false, faults: [] });
  expect(none.report?.warnings).toEqual([expect.stringContaining('Set appendonly yes')]);
  const lazy = await reportOf(['--appendonly', 'yes', '--appendfsync', 'no']);
  expect(lazy.report?.warnings).toEqual([expect.stringContaining('appendfsync no')]);
});

test('a server that evicts is at fault, with the line that mends it, and the store refuses it with the same words', async () => {
  const { report, client } = await reportOf(['--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru']);
  expect(report?.faults).toEqual([expect.stringContaining('CONFIG SET maxmemory-policy noeviction')]);
  await expect(new RedisStore({ client }).open()).rejects.toMatchObject({
    code: 'store-unfit',
    message: report?.faults[0],
  });
});

test('a server older than 6.2 is at fault, and of one older than 7 it warns', async () => {
  const said = (version: string) => {
    const server = {
      info: async () => `redis_version:${version}\r\nrole:master\r\nmaxmemory_policy:noeviction\r\naof_enabled:1`,
      config: async () => [],
      ping: async () => 'PONG',
    };
    return reportsOf(server as Partial<RedisConnection> as RedisConnection, false, 'there');
  };
  const [old, older, good] = await Promise.all(['6.2.14', '6.0.16', '7.0.15'].map(said));
  expect(old?.[0]).toMatchObject({ faults: [], warnings: [expect.stringContaining('expected 7 or newer')] });
  expect(older?.[0]?.faults).toEqual([expect.stringContaining('is version 6.0.16, expected 6.2 or newer')]);
  expect(good?.[0]).toMatchObject({ faults: [], warnings: [] });
});

test('a replica is at fault', async () => {
  const { server } = await reportOf([]);
  const { report } = await reportOf(['--replicaof', '127.0.0.1', String(server.port)]);
  expect(report).toMatchObject({ role: 'slave', faults: [expect.stringContaining('is a replica')] });
});

test('a server that forbids CONFIG and INFO is reported as far as it tells', async () => {
  const { client } = await reportOf(['--appendonly', 'yes']);
  await client.acl('SETUSER', 'default', '-config', '-info');
  const [report] = await checkRedis(client);
  expect(report).not.toHaveProperty('appendFsync');
  expect(report?.warnings).toEqual([expect.stringContaining('does not let us look at it with INFO')]);
});

test('it takes a client of ioredis 6 too', async () => {
  const { server } = await reportOf(['--appendonly', 'yes']);
  const client = new Redis6(server.url);
  onTestFinished(() => client.disconnect());
  expect(await checkRedis(client)).toMatchObject([{ appendOnly: true, appendFsync: 'everysec' }]);
});
