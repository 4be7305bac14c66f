/** The channel contract for the chat SDK, on its adapters for Telegram, Slack, Discord and Teams: one person in the direct messages of a bot. */
import { describe, test } from 'vitest';
import { channelContract } from '../../../src/testing/index.js';
import { slackBridgeDriver } from '../../support/chat/slack.js';
import { discordDriver } from '../../support/discord/driver.js';
import { teamsDriver } from '../../support/teams/driver.js';
import { telegramDriver } from '../../support/telegram/driver.js';

/** What `chat` leaves out of the contract, on whichever platform. */
const skip = [
  {
    reason:
      'Adapters of chat give the platform no key: after a crash between sending and noting it, a message is sent twice',
    tests: ['a message that is sent twice is shown once, or carries its key twice'],
  },
  {
    reason: 'Not every adapter of chat tells which message is quoted',
    tests: ['a reply that quotes a question names it'],
  },
];

describe('chat, on Telegram', () => {
  channelContract({ test, open: telegramDriver, skip });
});

describe('chat, on Slack', () => {
  channelContract({ test, open: slackBridgeDriver, skip });
});

describe('chat, on Discord', () => {
  channelContract({ test, open: discordDriver, skip });
});

describe('chat, on Teams', () => {
  channelContract({ test, open: teamsDriver, skip });
});
