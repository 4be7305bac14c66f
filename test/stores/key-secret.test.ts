/** The secret of a store that the ids of asks with a key are made of: one for all processes on it, and kept over a restart. */
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, MemoryStore, type Store } from '../../src/index.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { startRedis } from '../support/redis-server.js';
import { freshPath } from '../support/sqlite-store.js';
import { silent } from '../support/store.js';

const stores: readonly (readonly [string, () => Promise<() => Store>])[] = [
  [
    'memory',
    async () => {
      const store = new MemoryStore();
      return () => store;
    },
  ],
  [
    'SQLite',
    async () => {
      const path = freshPath();
      return () => new SqliteStore({ path, logger: silent });
    },
  ],
  [
    'Redis',
    async () => {
      const redis = await startRedis();
      onTestFinished(() => redis.stop());
      return () => new RedisStore({ url: redis.url, logger: silent });
    },
  ],
];

test.each(stores)(
  '%s: processes that start at once agree on the id of a key, and so does one that starts later',
  async (_, make) => {
    const connect = await make();
    const replica = () => new AgentRegistry({ store: connect() });
    const ask = async (registry: AgentRegistry) =>
      (await registry.ask('Which size?', { channel: 'handle', conversationId: 'anna', key: 'size:t1' })).askId;
    const first = [replica(), replica(), replica()];
    const ids = await Promise.all(first.map(ask));
    expect(new Set(ids).size).toBe(1);
    await Promise.all(first.map((registry) => registry.stop()));
    const later = replica();
    expect(await ask(later)).toBe(ids[0]);
    await later.stop();
  },
);
