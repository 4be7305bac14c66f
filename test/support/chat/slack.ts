/** The local Slack with a channel of `chat` on it, by the Slack adapter of `chat`: for the channel contract, and for tests of their own. */
import type { AddressInfo } from 'node:net';
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { createAdaptorServer } from '@hono/node-server';
import { type Adapter, Chat } from 'chat';
import { ChatChannel, type ChatOptions, type ChatState, recordFirst } from '../../../src/channels/chat/index.js';
import type { Acknowledged, ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { actsOf, told } from '../slack/driver.js';
import { SlackServer } from '../slack/server.js';
import { linesLogged } from '../slack/world.js';
import { seenText } from '../telegram/driver.js';

export function slackChat(slack: SlackServer, state: ChatState = createMemoryState()): Chat {
  const { logger } = linesLogged();
  const quiet = { ...logger, child: () => quiet };
  const adapter = createSlackAdapter({
    botToken: slack.token,
    signingSecret: slack.signingSecret,
    apiUrl: slack.apiUrl,
    webClientOptions: { retryConfig: { retries: 0 } },
    logger: quiet,
  });
  return new Chat({
    userName: 'shopbot',
    adapters: { slack: adapter as Adapter },
    state: recordFirst(state),
    concurrency: 'concurrent',
    logger: quiet,
  });
}

/** Serves a handler on the loopback address, so that requests are real ones. */
export async function served(fetch: (request: Request) => Promise<Response>) {
  const server = createAdaptorServer({ fetch });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = async (): Promise<void> => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
}

/** A Slack whose requests come over HTTP. */
export async function slackBridge(options: Partial<ChatOptions> = {}) {
  const slack = await SlackServer.opened(); // the adapter checks signatures by the machine's clock
  const { logger, lines } = linesLogged();
  const channel = new ChatChannel({ chat: slackChat(slack), logger, ...options });
  const { url, close: closeApp } = await served(channel.webhook('slack'));
  slack.app = url;
  const close = async (): Promise<void> => {
    await closeApp();
    await slack.close();
  };
  return { slack, channel, lines, close };
}

/** One person in the direct messages of the app. */
export async function slackBridgeDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { slack, channel, close } = await slackBridge({ clock });
  let count = 0;
  const nextTs = () => `${clock.now() / 1_000}.${String(count++).padStart(6, '0')}`; // the contract's clock: requests are signed by the machine's
  const { here, ...acts } = actsOf(slack, nextTs);
  const wrong = async (body: string, headers: Record<string, string> = {}): Promise<Acknowledged> => {
    const type = { 'content-type': 'application/json' };
    return told(
      await fetch(String(slack.app), { method: 'POST', body, headers: { ...type, ...slack.signed(body), ...headers } }),
    );
  };
  return {
    channel,
    participantId: 'slack:U1',
    address: 'slack:U1',
    secrets: [slack.token, slack.signingSecret],
    ...acts,
    garbage: () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      return Promise.all([
        wrong('{"type":'),
        wrong('payload=%7B', form),
        wrong('x=1', form),
        wrong('{}', { 'x-slack-signature': 'v0=0' }),
        wrong('{}', { 'x-slack-request-timestamp': '1' }),
      ]);
    },
    seen: () =>
      slack.said(here, 'U1').map(({ text, controls }) => ({
        text: seenText(text),
        controls: controls.map(seenText),
      })),
    close,
  };
}
