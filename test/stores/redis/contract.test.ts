import { describe, test } from 'vitest';
import { storeContract } from '../../../src/testing/store-contract/index.js';
import { redisForFile } from '../../support/for-file.js';
import { freshPrefix, pass, storeOn, watched } from '../../support/redis-store.js';

const { client } = await redisForFile();

describe('Redis, looked into after every step', () => {
  storeContract({
    test,
    open: async () => {
      const prefix = freshPrefix();
      const store = storeOn(client, { prefix });
      return { store: watched(store, client, prefix), pass, close: () => store.close() };
    },
  });
});
