/** The channel contract for mail: one person who writes to the address of the agent. */
import { describe, test } from 'vitest';
import { channelContract } from '../../../src/testing/index.js';
import { mailDriver } from '../../support/mail/world.js';

describe('email', () => {
  channelContract({
    test,
    open: mailDriver,
    patience: 60_000,
    skip: [
      {
        reason: 'A mail has no buttons',
        tests: [
          'an option that is pressed names its ask and its id',
          'a press that comes twice is one answer',
          'a question that is over has no controls any more',
        ],
      },
      {
        reason: 'A mail that is no reply to the question names nothing',
        tests: ['what is typed after a question answers it'],
      },
    ],
  });
});
