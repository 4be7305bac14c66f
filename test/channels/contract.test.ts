/** Every channel that we ship keeps the channel contract, as far as its platform can. */
import { describe, test } from 'vitest';
import { channelContract } from '../../src/testing/index.js';
import { callbackDriver, scheduledDriver, terminalDriver, webDriver, webhookDriver } from './drivers.js';

describe('terminal', () => {
  channelContract({
    test,
    open: terminalDriver,
    can: ['addresses'],
    skip: [
      {
        reason: 'A terminal waits for no acknowledgement',
        tests: ['a message is acknowledged only after it is recorded'],
      },
      { reason: 'A line has no id', tests: ['the same message again is one message'] },
      { reason: 'A line is only text', tests: ['nobody can write as somebody else by what a message says'] },
      { reason: 'Every line is a message', tests: ['malformed input is refused, and what follows is taken'] },
      {
        reason: 'What was printed is not kept',
        tests: ['a message that is sent twice is shown once, or carries its key twice'],
      },
      { reason: 'It has no credentials', tests: ['errors and logs carry no secrets'] },
    ],
  });
});

describe('scheduled', () => {
  channelContract({
    test,
    open: scheduledDriver,
    skip: [
      {
        reason: 'Nobody reads on a schedule',
        tests: [
          'what is typed after a question answers it',
          'what is said is shown, in order',
          'a message that is sent twice is shown once, or carries its key twice',
          'a question shows its text, its details and its options',
          'text is shown as it stands, and without characters that change what is around it',
          'a character that draws nothing is shown as its code, and ordinary text as it stands',
          'the context of an ask never leaves',
          'a send that the platform did not take rejects, and it is shown when the platform is back',
          'errors and logs carry no secrets',
        ],
      },
      {
        reason: 'A run says what its job says',
        tests: [
          'a message arrives as it was written',
          'the same message again is one message',
          'nobody can write as somebody else by what a message says',
          'malformed input is refused, and what follows is taken',
          'a message that is too long is refused, or its author is told',
        ],
      },
      {
        reason: 'The channel tries again by itself what could not be recorded',
        tests: ['a message that cannot be recorded is not acknowledged, and is taken when it comes again'],
      },
    ],
  });
});

describe('webhook, in the response', () => {
  channelContract({
    test,
    open: webhookDriver,
    can: ['buttons', 'update', 'quotes', 'addresses'],
    skip: [
      {
        reason: 'Nothing is pushed: it is fetched',
        tests: [
          'an update that comes twice changes nothing more',
          'a send that the platform did not take rejects, and it is shown when the platform is back',
          'errors and logs carry no secrets',
        ],
      },
    ],
  });
});

describe('web chat', () => {
  channelContract({
    test,
    open: webDriver,
    can: ['buttons', 'quotes', 'addresses'],
    skip: [
      {
        reason: 'Nothing is pushed: pages read it',
        tests: [
          'a send that the platform did not take rejects, and it is shown when the platform is back',
          'errors and logs carry no secrets',
        ],
      },
    ],
  });
});

describe('webhook, by callback', () => {
  channelContract({ test, open: callbackDriver, can: ['buttons', 'update', 'quotes', 'addresses'] });
});
