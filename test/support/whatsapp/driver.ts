/** WhatsApp with a channel of `chat` on it: for the channel contract, and for tests of their own. */
import { createMemoryState } from '@chat-adapter/state-memory';
import { createWhatsAppAdapter } from '@chat-adapter/whatsapp';
import { type Adapter, Chat } from 'chat';
import { ChatChannel, type ChatOptions, recordFirst } from '../../../src/channels/chat/index.js';
import type { Acknowledged, ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { served } from '../chat/slack.js';
import { linesLogged } from '../slack/world.js';
import { seenText } from '../telegram/driver.js';
import { WhatsAppServer } from './server.js';

const told = ({ status }: Response): Acknowledged => (status === 200 ? 'received' : 'refused');

function whatsAppChat({ token, appSecret, verifyToken, phoneNumberId, url }: WhatsAppServer): Chat {
  const quiet = { ...linesLogged().logger, child: () => quiet };
  const adapter = createWhatsAppAdapter({
    accessToken: token,
    appSecret,
    verifyToken,
    phoneNumberId,
    apiUrl: url,
    logger: quiet,
  });
  return new Chat({
    userName: 'shopbot',
    adapters: { whatsapp: adapter as Adapter },
    state: recordFirst(createMemoryState()),
    concurrency: 'concurrent',
    logger: quiet,
  });
}

/** A WhatsApp whose requests come over HTTP. */
export async function whatsAppChannel(options: Partial<ChatOptions> = {}) {
  const whatsapp = await WhatsAppServer.opened();
  const { logger, lines } = linesLogged();
  const channel = new ChatChannel({ chat: whatsAppChat(whatsapp), logger, ...options });
  const { url, close: closeApp } = await served(channel.webhook('whatsapp'));
  whatsapp.app = url;
  const close = async (): Promise<void> => {
    await closeApp();
    await whatsapp.close();
  };
  return { whatsapp, channel, lines, close };
}

/** One person in their chat with the business. */
export async function whatsAppDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { whatsapp, channel, close } = await whatsAppChannel({ clock });
  whatsapp.now = () => clock.now();
  return {
    channel,
    participantId: 'whatsapp:1',
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
