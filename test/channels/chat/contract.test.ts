/** The channel contract for the chat SDK, on its adapters for each platform that it names: one person in the direct messages of a bot. */
import { describe, test } from 'vitest';
import { channelContract } from '../../../src/testing/index.js';
import { slackBridgeDriver } from '../../support/chat/slack.js';
import { discordDriver } from '../../support/discord/driver.js';
import { googleChatDriver } from '../../support/google-chat/driver.js';
import { teamsDriver } from '../../support/teams/driver.js';
import { telegramDriver } from '../../support/telegram/driver.js';
import { whatsAppDriver } from '../../support/whatsapp/driver.js';

/** What `chat` leaves out of the contract, on whichever platform. */
const skip = [
  {
    reason:
      'Adapters of chat give the platform no key: after a crash between sending and noting it, a message is sent twice',
    tests: ['a message that is sent twice is shown once, or carries its key twice'],
  },
];

const unquoted = {
  reason: 'What is quoted there is not looked up',
  tests: ['a reply that quotes a question names it'],
};

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

describe('chat, on WhatsApp', () => {
  const uneditable = {
    reason:
      'WhatsApp changes no message that was sent: a press on a button that stays is told that the question is over',
    tests: ['a question that is over has no controls any more'],
  };
  channelContract({ test, open: whatsAppDriver, skip: [...skip, unquoted, uneditable] });
});

describe('chat, on Google Chat', () => {
  channelContract({ test, open: googleChatDriver, skip: [...skip, unquoted] });
});
