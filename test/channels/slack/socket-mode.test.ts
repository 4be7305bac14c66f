/** Socket Mode, by Slack's own client on a local socket. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { SlackChannel } from '../../../src/channels/slack/index.js';
import { linesLogged, slackWorld, until } from '../../support/slack/world.js';

const socket = { appToken: 'xapp-local-0123456789' };

test('mention, buttons and modals come over the socket, each acknowledged once it is recorded', async () => {
  const { slack, channel, refunds, until: soon } = await slackWorld(socket);
  slack.app = undefined;
  const [ann, bob] = [slack.person('U1'), slack.person('U2')];
  await until(() => slack.openSockets === 1);
  expect(await ann.mentions('refund')).toMatchObject({ status: 200 });
  await soon(() => slack.said()[0]?.controls.length === 2);
  expect(await bob.presses('Yes')).toMatchObject({ status: 200 });
  await soon(() => slack.said().some(({ text }) => text === 'Refunded.'));
  expect(refunds).toEqual(['slack:T1/U2']);
  await ann.mentions('many');
  await soon(() => slack.said().at(-1)?.controls[0] === 'Answer');
  await ann.presses('Answer');
  expect(await ann.submits({ 'How many?': '9' })).toMatchObject({ body: { response_action: 'errors' } });
  await channel.stop();
  await until(() => slack.openSockets === 0);
});

test('what cannot be recorded is not acknowledged, and is taken when Slack sends it again', async () => {
  const { slack, channel, logged } = await slackWorld(socket);
  slack.app = undefined;
  await until(() => slack.openSockets === 1);
  await channel.stop();
  await until(() => slack.openSockets === 0);
  let isDown = true;
  const received: string[] = [];
  await channel.start({
    receive: async ({ text }) => {
      if (isDown) throw new Error('The store is down.');
      received.push(text);
      return 'recorded';
    },
  });
  await until(() => slack.openSockets === 1);
  const ann = slack.person('U1');
  const ts = slack.nextTs();
  let isAcknowledged = false;
  void ann.mentions('hello', { ts }).then(({ status }) => {
    isAcknowledged = status === 200;
  });
  await until(() => logged.some((line) => line.includes('not acknowledged')));
  isDown = false;
  expect(await ann.mentions('hello', { ts, retry: 1 })).toMatchObject({ status: 200 });
  expect(isAcknowledged).toBe(false);
  expect(received).toEqual(['hello']);
});

test('while Slack cannot be reached the channel starts, and connects later', async () => {
  const { slack, clock, logged, channel } = await slackWorld();
  slack.fails({ error: 'invalid_auth' }, { method: 'apps.connections.open', times: 1 });
  const { signingSecret, token, apiUrl } = slack;
  const lines: string[] = [];
  const log = (message: string) => void lines.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const connected = new SlackChannel({ signingSecret, token, apiUrl, clock, logger, ...socket });
  await connected.start({ receive: async () => 'recorded' });
  await until(() => lines.length === 1);
  expect(lines[0]).toMatch(/could not be connected/);
  await until(async () => {
    await clock.advance(500);
    return slack.openSockets === 1;
  });
  await connected.stop();
  expect([logged, channel.name]).toEqual([[], 'slack']);
});

test('a Slack that cannot be reached is told by the code of the network, not by that of the client', async () => {
  const { slack, clock } = await slackWorld();
  const { token } = slack;
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const { lines, logger } = linesLogged();
  const apiUrl = `http://127.0.0.1:${port}/api/`;
  const channel = new SlackChannel({ token, apiUrl, clock, logger, ...socket });
  await channel.start({ receive: async () => 'recorded' });
  await until(() => lines.length === 1);
  await channel.stop();
  expect(lines[0]).toContain('"message":"ECONNREFUSED"');
  expect(lines[0]).not.toContain('slack_webapi_request_error');
});

test('a token that opens no socket is told once for each reason, with what to do', async () => {
  const { slack, clock } = await slackWorld();
  for (const error of ['not_allowed_token_type', 'missing_scope'])
    slack.fails({ error }, { method: 'apps.connections.open', times: 2 });
  const { token, apiUrl } = slack;
  const { lines, logger } = linesLogged();
  const channel = new SlackChannel({ token, apiUrl, clock, logger, ...socket });
  await channel.start({ receive: async () => 'recorded' });
  await until(async () => {
    await clock.advance(1_000);
    return slack.openSockets === 1;
  });
  await until(() => lines.length === 3);
  expect(lines[0]).toMatch(/Check appToken: .*xapp-.*connections:write.*not_allowed_token_type/);
  expect(lines[1]).toMatch(/Check appToken: .*missing_scope/);
  expect(lines[2]).toMatch(/^Slack is connected to/);
  expect(lines.join()).not.toContain(socket.appToken);
  await channel.stop();
});

test('a connection that Slack ends is made again, also if Slack is away for a while', async () => {
  const { slack, clock } = await slackWorld(socket);
  await until(() => slack.openSockets === 1);
  slack.fails('reset', { method: 'apps.connections.open', times: 2 });
  slack.dropSockets();
  await until(async () => {
    await clock.advance(1_000);
    return slack.openSockets === 1;
  });
});

test('a request is refused where the app comes by Socket Mode only', async () => {
  const channel = new SlackChannel({ token: 'xoxb-1', ...socket });
  const headers = { 'content-type': 'application/json' };
  const response = await channel.fetch(
    new Request('https://app.example/slack', { method: 'POST', body: '{}', headers }),
  );
  expect(response.status).toBe(403);
  expect(() => new SlackChannel({ token: 'xoxb-1' })).toThrow(/signingSecret is needed/);
  for (const wrong of [
    { token: '' },
    { token: 7 },
    { signingSecret: '' },
    { signingSecret: [] },
    { otherTeams: 'T1' },
    { tokn: 'x' },
    { team: 'acme' },
    { appId: 'refunds' },
    { apiUrl: 'slack.com/api' },
  ])
    expect(
      () =>
        new SlackChannel({ token: 'xoxb-1', signingSecret: 'a secret of at least 32 characters', ...wrong } as never),
    ).toThrow(expect.objectContaining({ code: 'bad-option' }));
});

test.each([
  ['token', 'xapp-1-secret', 'the bot token of the app (xoxb-…'],
  ['token', 'xoxp-1-secret', 'the bot token of the app (xoxb-…'],
  ['appToken', 'xoxb-1-secret', 'the app-level token of the app (xapp-…'],
])('%s: %s is refused when the channel is made, and not quoted', (option, value, expected) => {
  const make = () =>
    new SlackChannel({ token: 'xoxb-1', signingSecret: 'a secret of at least 32 characters', [option]: value });
  expect(make).toThrow(expected);
  expect(make).not.toThrow('secret');
});

test('the token is sent as it is to no other machine: apiUrl is https, or http on this machine', () => {
  const make = (apiUrl: string) => () => new SlackChannel({ token: 'xoxb-1', appToken: 'xapp-1', apiUrl });
  for (const open of [
    'http://slack.example.com/api/',
    'http://10.0.0.7:8080/api/',
    'http://localhost.example.com/',
    'http://127.0.0.1@slack.example.com/',
    'http://[::2]/',
    'ftp://127.0.0.1/',
    'slack.com/api',
  ])
    expect(make(open), open).toThrow(/apiUrl must be an https address .*or http on this machine.*got /);
  for (const safe of [
    'https://slack.com/api/',
    'https://proxy.example.com/slack/',
    'http://localhost:4000/api/',
    'http://127.0.0.1:9/',
    'http://127.0.0.5/',
    'http://[::1]:4000/',
  ])
    expect(make(safe), safe).not.toThrow();
});
