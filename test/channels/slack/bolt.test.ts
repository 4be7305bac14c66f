/** The bridge for Bolt, on apps of the real `@slack/bolt` with each of its receivers, against the local Slack. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, type AppOptions, ExpressReceiver } from '@slack/bolt';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectBolt, SlackChannel, type SlackOptions } from '../../../src/channels/slack/index.js';
import { AgentRegistry, MemoryStore } from '../../../src/index.js';
import { SlackServer } from '../../support/slack/server.js';
import { linesLogged, refundAgent } from '../../support/slack/world.js';

interface BoltWorldOptions {
  readonly receiver?: 'http' | 'express' | 'socket' | 'early';
  readonly bolt?: Partial<AppOptions>;
  readonly channel?: Partial<SlackOptions>;
  readonly team?: string;
}

/** Keeps the app's method when it is made, before a channel is connected. */
class EarlyReceiver extends ExpressReceiver {
  override init(app: App): void {
    super.init({ processEvent: app.processEvent.bind(app) } as App);
  }
}

/** The program of the guide on the local Slack. */
async function boltWorld({ receiver = 'http', bolt = {}, channel = {}, team = 'T1' }: BoltWorldOptions = {}) {
  const slack = await SlackServer.opened({ team });
  const { signingSecret, token, appToken, apiUrl } = slack;
  const { lines, logger } = linesLogged();
  const quiet = { ...logger, setLevel() {}, getLevel: () => 'info' as never, setName() {} };
  const refunds: string[] = [];
  const { clerk } = refundAgent(refunds, [`slack:${team}/U2`]);
  const store = new MemoryStore();
  const own = new SlackChannel({ signingSecret, token, team, apiUrl, logger, ...channel });
  const registry = new AgentRegistry({ agents: [clerk], channels: [own], store, logger });
  await registry.start();

  const Receiver = { express: ExpressReceiver, early: EarlyReceiver }[String(receiver)];
  const express = Receiver && new Receiver({ signingSecret, logger: quiet });
  const app = new App({
    ...(bolt.authorize === undefined ? { token } : {}),
    ...(express === undefined ? { signingSecret } : { receiver: express }),
    ...(receiver === 'socket' ? { appToken, socketMode: true } : {}),
    clientOptions: { slackApiUrl: apiUrl },
    logger: quiet,
    ...bolt,
  });
  connectBolt(app, own);
  const server = (await app.start({ port: 0, host: '127.0.0.1' } as never)) as unknown as Server;
  if (receiver === 'socket') await expect.poll(() => slack.openSockets).toBe(1);
  else slack.app = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  onTestFinished(async () => {
    if (receiver !== 'socket') server.closeAllConnections();
    await app.stop();
    await registry.stop();
    await slack.close();
  });
  const said = () => slack.said().map(({ text }) => text);
  const controls = () => slack.said().flatMap((each) => each.controls);
  return { slack, app, own, store, refunds, lines, said, controls, ann: slack.person('U1'), bob: slack.person('U2') };
}

const receivers = ['http', 'express', 'socket'] as const;

test.each(receivers)(
  '%s: a button refuses the wrong person, the right one refunds once, and it is drawn anew',
  async (receiver) => {
    const { slack, ann, bob, refunds, said, controls, lines } = await boltWorld({ receiver });
    const asked = await ann.mentions('refund');
    expect(asked.status).toBe(200);
    await expect.poll(controls).toEqual(['Yes', 'No']);
    for (const retry of [1, 2, 3]) expect(await asked.again({ retry })).toMatchObject({ status: 200 });

    expect(await ann.presses('Yes')).toMatchObject({ status: 200 });
    await expect.poll(() => slack.said('C1', 'U1').at(-1)?.text).toContain("can't answer");
    expect([refunds, controls()]).toEqual([[], ['Yes', 'No']]);

    const pressed = await bob.presses('Yes');
    expect(pressed.status).toBe(200);
    expect(await pressed.again({ retry: 1 })).toMatchObject({ status: 200 });
    await expect.poll(() => said().join()).toContain('Answered by u2');
    await expect.poll(() => said().filter((text) => text === 'Refunded.')).toHaveLength(1);
    expect([refunds, controls()]).toEqual([['slack:T1/U2'], []]);

    await ann.mentions('many');
    await expect.poll(controls).toEqual(['Answer']);
    await ann.presses('Answer');
    expect(await ann.submits({ 'How many?': '9' })).toMatchObject({ status: 200, body: { response_action: 'errors' } });
    expect((await ann.submits({ 'How many?': '3' })).status).toBe(200);
    await expect.poll(() => said().join()).toContain('3 it is.');
    expect(lines.join()).not.toMatch(new RegExp(`${slack.token}|${slack.signingSecret}`));
  },
);

test.each(receivers)(
  '%s: what was not recorded is not acknowledged, whatever handles the app’s errors, and the repeat is taken',
  async (receiver) => {
    const { slack, app, store, ann, said, lines } = await boltWorld({ receiver });
    const heard: string[] = [];
    app.error(async () => {}); // tells Bolt that all is well
    app.message(async ({ message }) => void heard.push('text' in message ? String(message.text) : ''));
    vi.spyOn(store, 'take').mockRejectedValue(new Error('the disk is full'));
    const ts = slack.nextTs();
    const statuses: number[] = [];
    void ann.writes('hello', { ts }).then(({ status }) => statuses.push(status)); // Socket Mode waits for three seconds
    await expect.poll(() => lines.join()).toMatch(/What Slack sent was not recorded.*the disk is full/);
    if (receiver !== 'socket') await expect.poll(() => statuses.length).toBe(1);
    vi.mocked(store.take).mockRestore();
    expect(await ann.writes('hello', { ts, retry: 1 })).toMatchObject({ status: 200 });
    await expect.poll(said).toEqual(['You said: hello']);
    await expect.poll(() => heard).toEqual(['hello']);
    expect(statuses).toEqual(receiver === 'socket' ? [] : [500]);
  },
);

test('commands, events, buttons and modals of the app go to its own listeners, and the channel’s own do not', async () => {
  const { slack, app, ann, bob, refunds, controls, said } = await boltWorld();
  const heard: string[] = [];
  app.message('refund', async () => void heard.push('message'));
  app.event('app_mention', async () => void heard.push('mention'));
  app.event('reaction_added', async () => void heard.push('reaction'));
  app.action(/.*/, async ({ ack, body }) => {
    heard.push(body.type);
    await ack();
  });
  app.view(/.*/, async ({ ack, body }) => {
    heard.push(body.type);
    await ack();
  });
  app.command('/ping', async ({ ack }) => {
    heard.push('command');
    await ack('pong');
  });

  await ann.mentions('refund');
  await ann.writes('refund', { channel: 'direct' });
  await expect.poll(controls).toEqual(['Yes', 'No']);
  await bob.presses('Yes');
  await expect.poll(said).toContain('Refunded.');
  expect([refunds, heard]).toEqual([['slack:T1/U2'], ['mention', 'message']]);

  const team = { team_id: 'T1', api_app_id: 'A1' };
  const reaction = { type: 'reaction_added', user: 'U1', reaction: 'eyes', item: { channel: 'C1', ts: '1.1' } };
  const about = { user: { id: 'U1', team_id: 'T1' }, team: { id: 'T1' } };
  const action = { type: 'button', action_id: 'theirs', block_id: 'b', value: '1', action_ts: '1.1' };
  const container = { type: 'message', message_ts: '1.1', channel_id: 'C1' };
  await slack.sendsEvent({ ...team, type: 'event_callback', event: reaction });
  await slack.sendsInteraction({ ...about, type: 'block_actions', container, actions: [action] });
  await slack.sendsInteraction({ ...about, type: 'view_submission', view: { id: 'V1', callback_id: 'theirs' } });
  const command = new URLSearchParams({ ...team, command: '/ping', text: '', user_id: 'U1', channel_id: 'C1' });
  const body = command.toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(String(slack.app), {
    method: 'POST',
    body,
    headers: { ...type, ...slack.signed(body) },
  });
  expect([response.status, await response.text()]).toEqual([200, 'pong']);
  expect(heard.slice(2)).toEqual(['reaction', 'block_actions', 'view_submission', 'command']);
});

test('an app of several workspaces: each has the token that authorize and the channel find for it', async () => {
  const tokens = new Map([['T2', 'xoxb-local-0123456789']]);
  const asked: (string | undefined)[] = [];
  const { ann, bob, refunds, controls, said, app } = await boltWorld({
    team: 'T2',
    channel: { token: (team) => tokens.get(team) ?? '' },
    bolt: {
      authorize: async ({ teamId }) => {
        asked.push(teamId);
        const botToken = tokens.get(String(teamId));
        if (botToken === undefined) throw new Error(`${teamId} has not installed the app`);
        return { botToken, botId: 'B1', botUserId: 'UBOT' };
      },
    },
  });
  app.message('hello', async ({ say }) => void (await say('Hi from Bolt')));
  await ann.mentions('refund');
  await expect.poll(controls).toEqual(['Yes', 'No']);
  await bob.presses('Yes');
  await expect.poll(said).toContain('Refunded.');
  expect(refunds).toEqual(['slack:T2/U2']);
  await ann.writes('hello');
  await expect.poll(said).toEqual(expect.arrayContaining(['Hi from Bolt', 'You said: hello']));
  expect(new Set(asked)).toEqual(new Set(['T2']));
});

test('a second channel on one app is refused, the same one again changes nothing: a typed yes pays once', async () => {
  const { slack, app, own, ann, bob, refunds, controls, said } = await boltWorld();
  const { signingSecret, token, apiUrl } = slack;
  const other = new SlackChannel({ name: 'other', signingSecret, token, team: 'T1', apiUrl });
  expect(() => connectBolt(app, other)).toThrow(
    'connectBolt(app, slack): app is connected with the SlackChannel "slack" already, and "other" would take every message once more. Give each channel an App of its own.',
  );
  const connected = app.processEvent;
  connectBolt(app, own);
  expect(app.processEvent).toBe(connected);
  const { ts } = await ann.mentions('refund');
  await expect.poll(controls).toEqual(['Yes', 'No']);
  await bob.writes('yes', { thread: ts });
  await expect.poll(said).toContain('Refunded.');
  expect(refunds).toEqual(['slack:T1/U2']);
});

test('events that a receiver does not give to the channel are told of in the log of Bolt, once', async () => {
  const { slack, app, ann, lines } = await boltWorld({ receiver: 'early' });
  const heard: string[] = [];
  app.message(async ({ message }) => void heard.push('text' in message ? String(message.text) : ''));
  expect(lines.join()).not.toContain('connectBolt');
  for (const words of ['hello', 'again']) await ann.writes(words);
  await expect.poll(() => heard).toEqual(['hello', 'again']);
  expect(lines.filter((line) => line.includes('must call app.processEvent(event)'))).toHaveLength(1);
  expect(slack.said()).toEqual([]);
});

test('what is no app of Bolt, or no channel, is refused', () => {
  const slack = new SlackChannel({ signingSecret: 'a secret of at least 32 characters', token: 'xoxb-1' });
  const app = { processEvent: async () => {} };
  const { processEvent } = app;
  for (const wrong of [undefined, {}, null])
    expect(() => connectBolt(wrong as never, slack)).toThrow(/connectBolt\(app, slack\): app must be an App of @slack/);
  expect(() => connectBolt(slack as never, app as never)).toThrow(
    /app must be an App of @slack\/bolt, got a SlackChannel.* The app comes first/,
  );
  for (const [wrong, got] of [
    [undefined, 'nothing'],
    [{}, 'an object'],
    ['slack', 'a string'],
    [app, 'an App of Bolt'],
  ])
    expect(() => connectBolt(app, wrong as never)).toThrow(
      `connectBolt(app, slack): slack must be a SlackChannel, got ${String(got)}.`,
    );
  expect(app.processEvent).toBe(processEvent);
});
