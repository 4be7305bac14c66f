/** WhatsApp with a channel of `chat` on it: for the channel contract, and for tests of their own. */
import { createWhatsAppAdapter } from '@chat-adapter/whatsapp';
import type { Chat } from 'chat';
import type { ChatOptions } from '../../../src/channels/chat/index.js';
import type { ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { channelOn, chatWith, quiet, told } from '../chat/platform-chat.js';
import { seenText } from '../telegram/driver.js';
import { WhatsAppServer } from './server.js';

function whatsAppChat({ token, appSecret, verifyToken, phoneNumberId, url }: WhatsAppServer): Chat {
  const adapter = createWhatsAppAdapter({
    accessToken: token,
    appSecret,
    verifyToken,
    phoneNumberId,
    apiUrl: url,
    logger: quiet,
  });
  return chatWith('whatsapp', adapter);
}

/** A WhatsApp whose requests come over HTTP. */
export async function whatsAppChannel(options: Partial<ChatOptions> = {}) {
  const whatsapp = await WhatsAppServer.opened();
  return { whatsapp, ...(await channelOn(whatsapp, () => whatsAppChat(whatsapp), options)) };
}

/** One person in their chat with the business. */
export async function whatsAppDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { whatsapp, channel, close } = await whatsAppChannel({ clock });
  whatsapp.now = () => clock.now();
  return {
    channel,
    participantId: 'whatsapp:1',
    address: 'whatsapp:1',
    secrets: [whatsapp.token, whatsapp.appSecret, whatsapp.verifyToken],
    says: async ({ id, text }) => told(await whatsapp.writes(text, { id: `wamid.${id}` })),
    presses: async (label, id) => told(await whatsapp.presses(label, { id: `wamid.${id}` })),
    poses: async ({ id, text }, participantId) => {
      const more = { author: { userId: participantId }, participant: participantId, profile: { name: participantId } };
      return told(await whatsapp.writes(text, { id: `wamid.${id}`, more }));
    },
    garbage: async () => {
      const written = JSON.stringify(whatsapp.notification({ messages: [{ from: '1', id: 'wamid.1', type: 'text' }] }));
      const signature = whatsapp.signature(written);
      const wrong = [
        whatsapp.posts('{"object":', whatsapp.signature('{"object":')),
        whatsapp.posts('', whatsapp.signature('')),
        whatsapp.posts(written),
        whatsapp.posts(`${written} `, signature),
        whatsapp.posts(written, whatsapp.signature(written, `${whatsapp.appSecret}0`)),
      ];
      return (await Promise.all(wrong)).map(told);
    },
    fails: (isOn) => (isOn ? whatsapp.fails(500) : whatsapp.works()),
    seen: () =>
      whatsapp.said().map(({ text, buttons }) => ({
        text: seenText(text),
        controls: buttons.map(({ title }) => seenText(title)),
      })),
    wire: () => JSON.stringify(whatsapp.calls),
    close,
  };
}
