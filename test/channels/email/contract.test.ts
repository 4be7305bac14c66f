/** The channel contract for mail: one person who writes to the address of the agent. */
import { describe, test } from 'vitest';
import { channelContract } from '../../../src/testing/index.js';
import { mailDriver } from '../../support/mail/world.js';

describe('email', () => {
  channelContract({
    test,
    open: mailDriver,
    can: ['quotes', 'addresses', 'people'],
    patience: 60_000,
    skip: [
      {
        reason: 'A mail that is no reply to the question names nothing',
        tests: ['what is typed after a question answers it'],
      },
    ],
  });
});
