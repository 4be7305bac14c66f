/** Slack is out of reach for hours, and the channel contract by Socket Mode, where what is not acknowledged takes Slack three seconds each. */
import { describe, expect, test } from 'vitest';
import { channelContract } from '../../../src/testing/index.js';
import { slackCan, socketDriver } from '../../support/slack/driver.js';
import { slackWorld } from '../../support/slack/world.js';

test('a question that Slack does not take for hours ends as undeliverable', async () => {
  const { slack, clock, registry, until, size } = await slackWorld();
  slack.person('U1');
  slack.fails('reset', { method: 'chat.postMessage' });
  const { askId } = await registry.ask(size, { channel: 'slack', to: 'C1' });
  await until(async () => {
    await clock.advance(5 * 60_000, () => new Promise((resolve) => setTimeout(resolve, 5)));
    return (await registry.getAsk(askId))?.status === 'cancelled';
  });
  expect(await registry.getAsk(askId)).toMatchObject({ reason: 'undeliverable' });
  slack.works();
  await clock.advance(60_000, () => new Promise((resolve) => setTimeout(resolve, 2)));
  expect(slack.said()).toEqual([]);
});

describe('slack, by Socket Mode', () => {
  channelContract({
    test,
    open: socketDriver,
    can: slackCan,
    skip: [
      {
        reason: 'Slack opens the socket to nobody else, and sends what it has made itself',
        tests: ['malformed input is refused, and what follows is taken'],
      },
    ],
  });
});
