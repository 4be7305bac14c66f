/** The SQLite store keeps the store contract, by a clock that is moved and by the machine's own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { storeContract } from '../../src/testing/store-contract/index.js';
import { freshPath, silent, standing } from './sqlite-kit.js';

describe('the store contract, by a clock that is moved', () => {
  storeContract({
    test,
    open: async () => {
      const clock = standing();
      const pass = async (ms: number) => {
        clock.time += ms;
        await Promise.resolve();
      };
      return { store: new SqliteStore({ path: freshPath(), clock, logger: silent }), pass };
    },
  });
});

describe('the store contract, by the machine’s clock', () => {
  storeContract({
    test,
    open: async () => {
      const pass = async (ms: number) => {
        await sleep(ms);
      };
      return { store: new SqliteStore({ path: freshPath(), logger: silent }), pass };
    },
  });
});
