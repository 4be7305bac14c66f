/** Telegram with a channel of `chat` on it: for the channel contract, and for tests of their own. */
import { createMemoryState } from '@chat-adapter/state-memory';
import { createTelegramAdapter } from '@chat-adapter/telegram';
import { type Adapter, Chat } from 'chat';
import { ChatChannel, type ChatOptions, type ChatState, recordFirst } from '../../../src/channels/chat/index.js';
import type { Acknowledged, ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { linesLogged } from '../slack/world.js';
import { TelegramServer } from './server.js';

const told = ({ status }: Response): Acknowledged => (status === 200 ? 'received' : 'refused');

/** What people see: without the characters that have no width. */
export const seenText = (text: string): string => text.replaceAll('\u2060', '');

export function telegramChat(telegram: TelegramServer, state: ChatState = createMemoryState()): Chat {
  const { logger } = linesLogged();
  const quiet = { ...logger, child: () => quiet };
  const { token, secretToken, url } = telegram;
  const adapter = createTelegramAdapter({
    botToken: token,
    secretToken,
    apiBaseUrl: url,
    mode: 'webhook',
    logger: quiet,
  });
  const adapters = { telegram: adapter as Adapter };
  return new Chat({
    userName: 'shopbot',
    adapters,
    state: recordFirst(state),
    concurrency: 'concurrent',
    logger: quiet,
  });
}

export async function telegramChannel(options: Partial<ChatOptions> = {}) {
  const telegram = await TelegramServer.opened();
  const { logger, lines } = linesLogged();
  const channel = new ChatChannel({ chat: telegramChat(telegram), logger, ...options });
  telegram.app = channel.webhook('telegram');
  return { telegram, channel, lines };
}

/** One person in the direct messages of the bot. */
export async function telegramDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { telegram, channel } = await telegramChannel({ clock });
  telegram.now = () => clock.now();
  /** Telegram's own ids of what the contract calls by names. */
  const ids = new Map<string, number>();
  const numbered = (id: string): number => {
    const known = ids.get(id) ?? telegram.nextId();
    ids.set(id, known);
    return known;
  };
  return {
    channel,
    participantId: 'telegram:1',
    address: 'telegram:1',
    secrets: [telegram.token, telegram.secretToken],
    says: async ({ id, text }) => told(await telegram.writes(text, { id: numbered(id) })),
    presses: async (label, id) => told(await telegram.presses(label, { id: numbered(id) })),
    quotes: async ({ id, text }) => {
      const question = telegram.said(1).findLast(({ buttons }) => buttons.length > 0);
      const message = question && telegram.quoting(question);
      return told(await telegram.writes(text, { id: numbered(id), ...(message && { message }) }));
    },
    poses: async ({ id, text }, participantId) => {
      const message = { author: { userId: participantId }, participant: participantId, sender: participantId };
      return told(await telegram.writes(text, { id: numbered(id), message }));
    },
    garbage: async () => {
      const update = { update_id: 1, message: { message_id: 1, chat: { id: 1, type: 'private' }, text: 'Hello' } };
      const wrong = [
        telegram.delivers(update, { body: '{"update_id":' }),
        telegram.delivers(update, { body: '' }),
        telegram.delivers(update, { secret: '' }),
        telegram.delivers(update, { secret: `${telegram.secretToken}0` }),
      ];
      return (await Promise.all(wrong)).map(told);
    },
    fails: (isOn) => (isOn ? telegram.fails(500) : telegram.works()),
    seen: () =>
      telegram.said(1).map(({ text, buttons }) => ({
        text: seenText(text),
        controls: buttons.map((button) => seenText(button.text)),
      })),
    wire: () => JSON.stringify(telegram.calls),
    close: () => telegram.close(),
  };
}
