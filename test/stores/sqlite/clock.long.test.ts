/** The SQLite store keeps the store contract by the machine's own clock, too. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { storeContract } from '../../../src/testing/store-contract/index.js';
import { freshPath } from '../../support/sqlite-store.js';
import { quickest, silent } from '../../support/store.js';

storeContract({
  test,
  open: async () => ({
    store: new SqliteStore({ path: freshPath(quickest), logger: silent }),
    pass: async (ms) => {
      await sleep(ms);
    },
  }),
});
