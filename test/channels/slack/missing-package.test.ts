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

test('without @slack/web-api starting says what to install', async () => {
  for (const how of [{ signingSecret: 'a secret of at least 32 characters' }, { appToken: 'xapp-1' }])
    await expect(new SlackChannel({ token: 'xoxb-1', ...how }).start(desk)).rejects.toMatchObject({
      code: 'missing-package',
      message: expect.stringContaining('npm install @slack/web-api'),
    });
});

test('without @slack/socket-mode, or what it needs, starting with an app token names what is missing', async () => {
  vi.doUnmock('@slack/web-api');
  const starting = () => new SlackChannel({ appToken: 'xapp-1', token: 'xoxb-1' }).start(desk);
  await expect(starting()).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringMatching(/the package @slack\/socket-mode[\s\S]*npm install @slack\/socket-mode undici/),
  });
  vi.doMock('@slack/socket-mode', () => ({
    get SocketModeClient() {
      throw new Error("Cannot find module 'undici'\nRequire stack: …");
    },
  }));
  await expect(starting()).rejects.toMatchObject({ message: expect.stringContaining('the package undici,') });
});
