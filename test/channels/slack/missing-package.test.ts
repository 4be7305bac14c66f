/** Slack's own packages are optional: without them, whoever uses the channel is told what to install. */
import { expect, test, vi } from 'vitest';
import { SlackChannel } from '../../../src/channels/slack/index.js';

vi.mock('@slack/web-api', () => {
  throw new Error('Cannot find package');
});
vi.mock('@slack/socket-mode', () => {
  throw new Error('Cannot find package');
});

const desk = { receive: async () => 'recorded' as const };

test('without @slack/web-api sending says what to install', async () => {
  const channel = new SlackChannel({ signingSecret: 's', token: 'xoxb-1' });
  await channel.start(desk);
  const address = { team: 'T1', channel: 'C1' };
  const sending = channel.send({ key: 'k', conversationId: 'c', address, text: 'Hello', shape: { type: 'text' } });
  await expect(sending).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('npm install @slack/web-api'),
  });
});

test('without @slack/socket-mode starting with an app token says what to install', async () => {
  const channel = new SlackChannel({ appToken: 'xapp-1', token: 'xoxb-1' });
  await expect(channel.start(desk)).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('npm install @slack/socket-mode'),
  });
});
