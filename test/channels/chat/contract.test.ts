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

const can = ['buttons', 'update', 'addresses', 'people'] as const;

describe('chat, on Telegram', () => {
  channelContract({ test, open: telegramDriver, can: [...can, 'quotes'], skip });
});

describe('chat, on Slack', () => {
  channelContract({ test, open: slackBridgeDriver, can: [...can, 'quotes'], skip });
});

describe('chat, on Discord', () => {
  channelContract({ test, open: discordDriver, can: [...can, 'quotes'], skip });
});

describe('chat, on Teams', () => {
  channelContract({ test, open: teamsDriver, can: [...can, 'quotes'], skip });
});

describe('chat, on WhatsApp', () => {
  const uneditable = {
    reason:
      'WhatsApp changes no message that was sent: a press on a button that stays is told that the question is over',
    tests: ['a question that is over has no controls any more', 'an update that comes twice changes nothing more'],
  };
  channelContract({ test, open: whatsAppDriver, can, skip: [...skip, uneditable] });
});

describe('chat, on Google Chat', () => {
  channelContract({ test, open: googleChatDriver, can, skip });
});
