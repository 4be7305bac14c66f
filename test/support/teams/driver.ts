/** Teams with a channel of `chat` on it: for the channel contract, and for tests of their own. */
import { createTeamsAdapter } from '@chat-adapter/teams';
import type { Chat } from 'chat';
import type { ChatOptions, ChatState } from '../../../src/channels/chat/index.js';
import type { ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { channelOn, chatWith, quiet, told } from '../chat/platform-chat.js';
import { seenText } from '../telegram/driver.js';
import { TeamsServer } from './server.js';

export interface TeamsHow {
  readonly state?: ChatState;
  /** Each message goes to the server that the activity before it names, as in production; else to the local one, whatever it names. */
  readonly isByServiceUrl?: boolean;
}

export function teamsChat(teams: TeamsServer, { state, isByServiceUrl = false }: TeamsHow = {}): Chat {
  const { OAUTH_URL: before } = process.env;
  process.env['OAUTH_URL'] = teams.url; // read when it is made: else it asks Microsoft for a token of each author
  const adapter = createTeamsAdapter({
    appId: teams.appId,
    appTenantId: teams.tenant,
    token: () => teams.token,
    ...(isByServiceUrl ? {} : { apiUrl: teams.url }),
    webhookVerifier: (request) => request.headers.get('x-secret') === teams.secret,
    logger: quiet,
  });
  if (before === undefined) delete process.env['OAUTH_URL'];
  else process.env['OAUTH_URL'] = before;
  return chatWith('teams', adapter, state);
}

/** A Teams whose requests come over HTTP. */
export async function teamsChannel(options: Partial<ChatOptions> = {}, how: TeamsHow = {}) {
  const teams = await TeamsServer.opened();
  return { teams, ...(await channelOn(teams, () => teamsChat(teams, how), options)) };
}

/** One person in their chat with the bot. */
export async function teamsDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { teams, channel, close } = await teamsChannel({ clock });
  teams.now = () => clock.now();
  const here = teams.direct('1');
  return {
    channel,
    participantId: 'teams:29:1',
    address: 'teams:29:1',
    secrets: [teams.token, teams.secret],
    says: async ({ id, text }) => told(await teams.writes(text, { id })),
    presses: async (label, id) => told(await teams.presses(label, { id })),
    quotes: async ({ id, text }) => {
      const question = teams.said(here, '1').findLast(({ buttons }) => buttons.length > 0);
      return told(await teams.quotes(question?.id ?? '', text, { id }));
    },
    poses: async ({ id, text }, participantId) => {
      const more = { author: { userId: participantId }, participant: participantId, user: { id: participantId } };
      return told(await teams.writes(text, { id, more }));
    },
    garbage: async () => {
      const written = JSON.stringify({ ...teams.activity('message', {}), text: 'Hello' });
      const wrong = [
        teams.posts('{"type":', teams.secret),
        teams.posts('', teams.secret),
        teams.posts(written, ''),
        teams.posts(written, `${teams.secret}0`),
      ];
      return (await Promise.all(wrong)).map(told);
    },
    fails: (isOn) => (isOn ? teams.fails(500) : teams.works()),
    seen: () =>
      teams.said(here, '1').map(({ text, buttons }) => ({
        text: seenText(text),
        controls: buttons.map(({ title }) => seenText(title)),
      })),
    wire: () => JSON.stringify(teams.calls),
    close,
  };
}
