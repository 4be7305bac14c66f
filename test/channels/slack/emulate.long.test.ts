/** A second, independent check: the channel against the Slack of `emulate`, which is written by others. It sends no clicks, so people write. */
import { createServer } from 'node:net';
import { WebClient } from '@slack/web-api';
import { createEmulator } from 'emulate';
import { expect, onTestFinished, test } from 'vitest';
import { signedSlackHeaders } from '../../../src/channels/slack/incoming/signature.js';
import { SlackChannel } from '../../../src/channels/slack/index.js';
import { AgentRegistry } from '../../../src/index.js';
import { linesLogged, refundAgent, until } from '../../support/slack/world.js';

const secret = 'emulated-signing-secret-0123456789';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Shown {
  readonly text: string;
  readonly ts: string;
  readonly blocks?: readonly { readonly type: string }[];
}

async function emulated() {
  const port = await freePort();
  const seed = {
    slack: {
      signing_secret: secret,
      users: [{ name: 'bob', real_name: 'Bob', email: 'bob@example.com' }],
      tokens: [{ token: 'xoxp-bob', type: 'user', user: 'bob' }],
      oauth_apps: [
        {
          client_id: '1.1',
          client_secret: 'x',
          app_id: 'A000000001',
          name: 'askback',
          redirect_uris: ['http://localhost/'],
        },
      ],
    },
  };
  const slack = await createEmulator({ service: 'slack', port, seed });
  onTestFinished(() => slack.close());
  const apiUrl = `${slack.url.replace('localhost', '127.0.0.1')}/api/`;
  return { apiUrl };
}

test('a question put to a channel is posted, answered in its thread, and drawn anew', async () => {
  const { apiUrl } = await emulated();
  const bob = new WebClient('xoxp-bob', { slackApiUrl: apiUrl });
  const who = await bob.auth.test();
  const [user, team] = [String(who.user_id), String(who.team_id)];
  const { channels } = await bob.conversations.list();
  const room = String(channels?.find(({ name }) => name === 'general')?.id);
  const { logger, lines } = linesLogged();
  const channel = new SlackChannel({ signingSecret: secret, token: 'xoxb-app', apiUrl, team, logger });
  const refunds: string[] = [];
  const { clerk, refund, size } = refundAgent(refunds, [`slack:${team}/${user}`]);
  const registry = new AgentRegistry({ agents: [clerk], channels: [channel], logger });
  await registry.start();
  onTestFinished(() => registry.stop());
  /** Bob writes there, and Slack tells the app, in the shape that the emulator has for events. */
  const writes = async (text: string, to: string, thread?: string) => {
    const about = thread === undefined ? {} : { thread_ts: thread };
    const { ts } = await bob.chat.postMessage({ channel: to, text, ...about });
    const event = { type: 'message', user, text, ts, channel: to, ...about };
    const body = JSON.stringify({ type: 'event_callback', team_id: team, event_id: `Ev${ts}`, event });
    const headers = { 'content-type': 'application/json', ...signedSlackHeaders(secret, body, Date.now()) };
    return channel.fetch(new Request('https://app.example/slack', { method: 'POST', body, headers }));
  };
  const thread = async (of: string, ts: string) =>
    ((await bob.conversations.replies({ channel: of, ts })).messages ?? []) as readonly Shown[];
  const history = async (of: string) =>
    ((await bob.conversations.history({ channel: of })).messages ?? []) as readonly Shown[];

  await registry.ask(refund, { channel: 'slack', to: room });
  const question = await until(async () => (await history(room)).find(({ text }) => text.startsWith('Refund order')));
  expect(question.blocks?.map(({ type }) => type)).toContain('actions');
  expect((await writes('yes', room, question.ts)).status).toBe(200);
  await until(async () => (await history(room)).some(({ text }) => text === 'Refunded.'));
  await until(async () => {
    const [redrawn] = await thread(room, question.ts);
    return redrawn?.blocks?.every(({ type }) => type !== 'actions');
  });
  expect(refunds).toEqual([`slack:${team}/${user}`]);

  await registry.ask(size, { channel: 'slack', to: 'bob@example.com' });
  await until(async () => {
    const { channels: direct = [] } = await bob.conversations.list({ types: 'im' });
    const said = await Promise.all(direct.map(({ id }) => history(String(id))));
    return said.flat().some(({ text }) => text.startsWith('Which size?'));
  });
  expect(lines.join('\n')).not.toMatch(/xoxb-app|refused/);
});
