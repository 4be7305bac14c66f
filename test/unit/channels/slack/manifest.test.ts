/** The manifest of the Slack app. */
import { expect, test } from 'vitest';
import { slackManifest } from '../../../../src/channels/slack/manifest.js';

const url = 'https://agents.example.com/inbox/channels/slack';

test('events and interactions go to one address', () => {
  const manifest = JSON.parse(slackManifest({ url, name: 'Refunds' }));
  expect(manifest).toMatchObject({
    display_information: { name: 'Refunds' },
    settings: {
      event_subscriptions: { request_url: url, bot_events: expect.arrayContaining(['app_mention', 'message.im']) },
      interactivity: { is_enabled: true, request_url: url },
      socket_mode_enabled: false,
    },
  });
  expect(manifest.oauth_config.scopes.bot).toEqual(expect.arrayContaining(['chat:write', 'users:read', 'im:write']));
});

test('with Socket Mode it names no address', () => {
  const manifest = slackManifest({ socketMode: true });
  expect(JSON.parse(manifest).settings.socket_mode_enabled).toBe(true);
  expect(manifest).not.toContain('request_url');
});

test.each([
  [{}, /give either url,.* or socketMode/],
  [{ url, socketMode: true }, /give either url,.* or socketMode/],
  [{ url: 'http://agents.example.com' }, /url must be the https address/],
  [{ url, name: 'x'.repeat(36) }, /name must be a string of 1 to 35 characters/],
])('%j is refused, with what to do', (options, message) => {
  expect(() => slackManifest(options)).toThrow(message);
});
