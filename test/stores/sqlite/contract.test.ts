/** The SQLite store keeps the store contract, by a clock that is moved. */
import { describe, test } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { storeContract } from '../../../src/testing/store-contract/index.js';
import { freshPath } from '../../support/sqlite-store.js';
import { quickest, silent, standing } from '../../support/store.js';

describe('the store contract, by a clock that is moved', () => {
  storeContract({
    test,
    open: async () => {
      const clock = standing();
      const pass = async (ms: number) => {
        clock.time += ms;
        await Promise.resolve();
      };
      return { store: new SqliteStore({ path: freshPath(quickest), clock, logger: silent }), pass };
    },
  });
});
