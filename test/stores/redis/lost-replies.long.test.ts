/** The store contract while every fourth step loses its reply: Redis has done it, and the client sends it again. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/port.js';
import { storeContract } from '../../../src/testing/store-contract/index.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { pass, storeOn } from '../../support/redis-store.js';

/** Not erase: its repeat finds nothing any more, and says so. */
const steps = new Set(['take', 'save', 'remember', 'renew', 'sent']);
const every = 4;

let server: RedisServer;
let proxy: FaultProxy;
let client: Redis;
let [made, lost] = [0, 0];
beforeAll(async () => {
  server = await startRedis();
  proxy = await FaultProxy.begin(server.port);
  client = new Redis(proxy.url);
});
afterAll(async () => {
  client.disconnect();
  await proxy.close();
  await server.stop();
});

/** The store, whose next call loses its reply before some of its steps. */
function losing(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (!steps.has(String(name))) return method;
      return (...args: unknown[]) => {
        made += 1;
        if (made % every === 0) {
          const isScript = ([command = '']: readonly string[]) => /^eval/i.test(command);
          proxy.once('execute then cut', isScript, { within: 60_000 }).then(
            () => {
              lost += 1;
            },
            () => {}, // the step sent nothing
          );
        }
        return method(...args);
      };
    },
  });
}

storeContract({
  test,
  open: async () => {
    const store = storeOn(client, { commandTimeout: 5_000 });
    return { store: losing(store), pass, close: () => store.close() };
  },
});

test('replies were lost', () => {
  expect(lost).toBeGreaterThan(50);
});
