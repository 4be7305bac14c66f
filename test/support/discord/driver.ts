/** Discord with a channel of `chat` on it: for the channel contract, and for tests of their own. */
import { createDiscordAdapter } from '@chat-adapter/discord';
import type { ChatOptions } from '../../../src/channels/chat/index.js';
import type { ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { channelOn, chatWith, idsByName, quiet, told } from '../chat/platform-chat.js';
import { seenText } from '../telegram/driver.js';
import { DiscordServer } from './server.js';

/** A Discord whose requests come over HTTP. */
export async function discordChannel(options: Partial<ChatOptions> = {}) {
  const discord = await DiscordServer.opened();
  const { token: botToken, publicKey, applicationId, url: apiUrl } = discord;
  const adapter = createDiscordAdapter({ botToken, publicKey, applicationId, apiUrl, logger: quiet });
  return { discord, ...(await channelOn(discord, () => chatWith('discord', adapter), options)) };
}

/** One person in the direct messages of the bot. */
export async function discordDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { discord, channel, close } = await discordChannel({ clock });
  discord.now = () => clock.now();
  const here = discord.direct('1');
  const numbered = idsByName(() => discord.nextId());
  return {
    channel,
    participantId: 'discord:1',
    address: 'discord:1',
    secrets: [discord.token],
    says: async ({ id, text }) => told(await discord.writes(text, { id: numbered(id) })),
    presses: async (label, id) => told(await discord.presses(label, { id: numbered(id) })),
    quotes: async ({ id, text }) => {
      const question = discord.said(here).findLast(({ buttons }) => buttons.length > 0);
      const more = question && discord.quoting(question);
      return told(await discord.writes(text, { id: numbered(id), ...(more && { more }) }));
    },
    poses: async ({ id, text }, participantId) => {
      const more = { member: { user: { id: participantId } }, participant: participantId, nonce: participantId };
      return told(await discord.writes(text, { id: numbered(id), more }));
    },
    garbage: async () => {
      const press = JSON.stringify(discord.press('ab.x', '1', {}));
      const wrong = [
        discord.posts('{"type":', discord.signed('{"type":')),
        discord.posts('{"type":99}', discord.signed('{"type":99}')),
        discord.posts(press, {}),
        discord.posts(press, discord.signed(`${press} `)),
        discord.posts(press, { 'x-discord-gateway-token': `${discord.token}0` }),
        discord.posts('{', { 'x-discord-gateway-token': discord.token }),
      ];
      return (await Promise.all(wrong)).map(told);
    },
    fails: (isOn) => (isOn ? discord.fails(500) : discord.works()),
    seen: () =>
      discord.said(here).map(({ text, buttons }) => ({
        text: seenText(text),
        controls: buttons.map(({ label }) => seenText(label)),
      })),
    wire: () => JSON.stringify(discord.calls),
    close,
  };
}
