/**
 * What the tests of the Redis store share: stores with a place of their own, and stores that are looked at after every step.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { routedId } from '../../src/core/ids.js';
import { MemoryStore } from '../../src/stores/memory/store.js';
import type { Store } from '../../src/stores/port.js';
import { RedisStore, type RedisStoreOptions } from '../../src/stores/redis/index.js';
import { begin, finishing, out, type SaveChanges, saved } from '../../src/testing/store-contract/kit.js';
import { type Store as TextStore, textStore } from '../../src/testing/store-contract/texts.js';
import { patience } from './processes.js';
import { checkKeys } from './redis-look.js';
import { silent } from './store.js';

export { checkKeys };

let made = 0;
export const freshPrefix = () => `test${++made}`;

/** A store with a place of its own in Redis. A command that a busy machine delays is no outage. */
export function storeOn(client: NonNullable<RedisStoreOptions['client']>, more: Partial<RedisStoreOptions> = {}) {
  return new RedisStore({ client, prefix: freshPrefix(), logger: silent, commandTimeout: patience, ...more });
}

/** A store for each of two processes that share their conversations, in memory and on Redis. */
export const sharedStores = (client: Redis): readonly (readonly [string, () => readonly [Store, Store]])[] => [
  [
    'memory',
    () => {
      const store = new MemoryStore();
      return [store, store];
    },
  ],
  [
    'Redis',
    () => {
      const prefix = freshPrefix();
      return [storeOn(client, { prefix }), storeOn(client, { prefix })];
    },
  ],
];

export const pass = async (ms: number): Promise<void> => {
  await sleep(ms);
};

/** An open store, closed with its test (`raw`, and with strings as records), the keys it has, and a way to let them run out. */
export async function opened(client: Redis, more: Partial<RedisStoreOptions> = {}) {
  const prefix = freshPrefix();
  const raw = storeOn(client, { prefix, ...more });
  await raw.open();
  onTestFinished(() => raw.close());
  const keys = async () => (await client.keys(`${prefix}:{*`)).sort();
  /** Makes all keys that run out do so earlier by `ms`: a retention is over without waiting for it. Times that are stored stay. */
  const outlast = async (ms: number) => {
    for (const key of await keys()) {
      const left = await client.pttl(key);
      if (left > ms) await client.pexpire(key, left - ms);
      else if (left >= 0) await client.del(key);
    }
  };
  return { raw, store: textStore(raw), prefix, keys, outlast };
}

/** A turn that asks: it leaves an open ask, a question to send, and somebody who takes part. */
export async function asked(store: TextStore, conversationId: string, outputs = [out('q')], more: SaveChanges = {}) {
  const ask = routedId(conversationId, 'ask');
  const by = await begin(store, conversationId);
  const asks = { opened: [{ id: ask, at: by.now }], settled: [] };
  const changes = { document: 'asked', open: true, history: ['in', 'out'], people: ['p'], outputs, asks, ...more };
  await saved(store, finishing(conversationId, by, changes));
  return { ask, by };
}

/** The store, with a look into Redis after each step. */
export function watched(store: Store, redis: Redis, prefix: string): Store {
  const steps = new Set(['take', 'save', 'remember', 'renew', 'unsent', 'sent', 'erase']);
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  /** One look at a time, and one for all steps that end meanwhile: a look reads everything there is. */
  const look = (): Promise<void> => {
    next ??= last = last
      .catch(() => {})
      .then(() => {
        next = undefined;
        return checkKeys(redis, prefix);
      });
    return next;
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (!steps.has(String(name))) return method;
      return async (...args: unknown[]) => {
        const result = await method(...args);
        await look();
        return result;
      };
    },
  });
}
