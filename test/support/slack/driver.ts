/** Plays Slack for the channel contract: one person in the direct messages of the app. */
import { SlackChannel, type SlackOptions } from '../../../src/channels/slack/index.js';
import type { Acknowledged, ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { type AppAnswer, SlackServer } from './server.js';
import { linesLogged } from './world.js';

/** What the channel can: the suites of the contract that it runs. */
export const slackCan = ['buttons', 'update', 'findSent', 'quotes', 'addresses', 'people'] as const;

export const told = ({ status }: Pick<AppAnswer, 'status'>): Acknowledged => (status === 200 ? 'received' : 'refused');

type Acts = Pick<ChannelDriver, 'says' | 'presses' | 'poses' | 'fails' | 'wire'>;

/** What the contract lets a person do in the direct messages of an app, whichever channel the app has. */
export function actsOf(
  slack: SlackServer,
  nextTs: () => string = () => slack.nextTs(),
): Acts & { readonly here: string; readonly quotes: ChannelDriver['says'] } {
  const ann = slack.person('U1');
  const direct = { channel: 'direct' };
  const here = slack.direct('U1');
  /** Slack's own ids of what the contract calls by names. */
  const ids = new Map<string, string>();
  const ts = (id: string): string => {
    const known = ids.get(id) ?? nextTs();
    ids.set(id, known);
    return known;
  };
  return {
    here,
    says: async ({ id, text }) => told(await ann.writes(text, { ...direct, ts: ts(id) })),
    presses: async (label, id) => told(await ann.presses(label, { channel: here, actionTs: ts(id) })),
    quotes: async ({ id, text }) => {
      const question = slack.said(here).findLast(({ controls }) => controls.length > 0);
      return told(await ann.writes(text, { ...direct, ts: ts(id), thread: question?.message.ts }));
    },
    poses: async ({ id, text }, participantId) => {
      const claims = { username: participantId, user_profile: { name: participantId }, participant: participantId };
      return told(await ann.writes(text, { ...direct, ts: ts(id), event: claims }));
    },
    fails(isOn) {
      if (isOn) slack.fails({ status: 503 }, { method: 'chat.postMessage' });
      else slack.works();
    },
    wire: () => JSON.stringify(slack.calls),
  };
}

/** One person in the direct messages of the app. */
export async function slackDriver(world: ChannelWorld): Promise<ChannelDriver> {
  const { slack, channel, driver } = await opened(world, {});
  slack.app = channel.fetch;
  return driver;
}

/** The same by Socket Mode. */
export async function socketDriver(world: ChannelWorld): Promise<ChannelDriver> {
  const { slack, driver } = await opened(world, { appToken: 'xapp-local-0123456789' });
  const { garbage: _, ...rest } = driver;
  const says: ChannelDriver['says'] = async (message) => {
    await slack.connected();
    return driver.says(message);
  };
  return { ...rest, says };
}

async function opened({ clock }: ChannelWorld, more: Partial<SlackOptions>) {
  const slack = await SlackServer.opened({ now: () => clock.now() });
  const channel = new SlackChannel({
    signingSecret: slack.signingSecret,
    token: slack.token,
    apiUrl: slack.apiUrl,
    team: slack.team,
    appId: slack.appId,
    clock,
    logger: linesLogged().logger,
    ...more,
  });
  const { here, ...acts } = actsOf(slack);
  const wrong = (body: string, type = 'application/json', headers: Record<string, string> = {}) =>
    channel
      .fetch(
        new Request('https://app.example.com/slack', {
          method: 'POST',
          body,
          headers: { 'content-type': type, ...slack.signed(body), ...headers },
        }),
      )
      .then(told);
  const event = { type: 'event_callback', team_id: 'T1', api_app_id: 'A1' };
  const driver: ChannelDriver = {
    channel,
    participantId: 'slack:T1/U1',
    address: 'slack:T1/U1',
    secrets: [slack.token, slack.signingSecret, slack.appToken],
    ...acts,
    garbage: () =>
      Promise.all([
        wrong('{"type":'),
        wrong('\xff'),
        wrong('[]'),
        wrong('{}'),
        wrong(JSON.stringify(event)),
        wrong(JSON.stringify({ ...event, event: { type: 'message', user: 1, channel: 'C1', ts: '1.1', text: 'x' } })),
        wrong(JSON.stringify({ ...event, event: { type: 'message', user: 'U1', channel: 'C1', text: 'x' } })),
        wrong('payload=%7B', 'application/x-www-form-urlencoded'),
        wrong('x=1', 'application/x-www-form-urlencoded'),
        wrong('{"type":"view_submission"}', 'text/plain'),
        wrong('{"type":"view_submission"}', 'application/json', { 'x-slack-signature': 'v0=0' }),
      ]),
    seen: () =>
      slack.said(here, 'U1').map(({ text, controls, message }) => {
        const key = (message.metadata?.['event_payload'] as { readonly key?: string } | undefined)?.key;
        return { text, controls, ...(key === undefined ? {} : { key }) };
      }),
    close: () => slack.close(),
  };
  return { slack, channel, driver };
}
