/** The channel contract for Slack: one person in the direct messages of the app. */
import { describe, test } from 'vitest';
import { channelContract } from '../../../src/testing/index.js';
import { slackCan, slackDriver } from '../../support/slack/driver.js';

describe('slack', () => {
  channelContract({ test, open: slackDriver, can: slackCan });
});
