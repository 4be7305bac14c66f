/**
 * Refunds on Telegram. Somebody writes to the bot; a manager is asked with buttons. It fetches what people write and needs no public
 * address.
 *   npx tsx refund-on-telegram.ts   (from Node 22.18 on: node refund-on-telegram.ts)
 *   npm run build && npm run build:examples && node dist-examples/refund-on-telegram.js   (in a clone)
 * It needs: npm install chat @chat-adapter/telegram @chat-adapter/state-memory
 */
import { createMemoryState } from '@chat-adapter/state-memory';
import { createTelegramAdapter } from '@chat-adapter/telegram';
import { AgentRegistry, agent, confirm } from 'askback';
import { ChatChannel, recordFirst } from 'askback/channels/chat';
import { type Adapter, Chat } from 'chat';

const {
  TELEGRAM_BOT_TOKEN: botToken, // of @BotFather
  TELEGRAM_MANAGER: manager = '4711', // the id of the person who decides; they must have written to the bot once
} = process.env;

if (botToken === undefined) {
  console.log('Write /newbot to @BotFather on Telegram, and set TELEGRAM_BOT_TOKEN to the token that it gives you.');
  process.exit();
}

const refunds = agent('refunds');
const approve = refunds.question('approve', confirm('Refund it?', { yes: 'Refund', no: 'Do not refund' }), {
  answerableBy: [`telegram:${manager}`],
  onAnswer: async (yes, { pending, sendTo }) => {
    const { order, asker } = pending.context; // pay it here, under effectKey, so that it happens once
    await sendTo('chat', `Order ${order}: ${yes ? 'refunded' : 'not refunded'}.`, { to: String(asker) });
  },
});
refunds.onMessage(async ({ message, participant, ask }) => {
  const [order] = /\d{5}/.exec(message) ?? [];
  if (order === undefined) return 'Which order? Write its five digits, such as: refund 12345';
  await ask(approve, {
    context: { order, asker: participant?.id ?? '' },
    details: { Order: order },
    via: { channel: 'chat', to: `telegram:${manager}` },
    expiresIn: 24 * 3_600_000,
  });
  return 'A manager is asked. I will tell you.';
});

const telegram = createTelegramAdapter({ botToken, mode: 'polling' }) as Adapter; // TELEGRAM_API_BASE_URL is another server
const state = recordFirst(createMemoryState()); // of several processes: createRedisState() of @chat-adapter/state-redis
const chat = new Chat({
  userName: 'refunds',
  adapters: { telegram },
  state,
  concurrency: 'concurrent',
  logger: 'error',
});
const registry = new AgentRegistry({ agents: [refunds], channels: [new ChatChannel({ chat })] });
await registry.start();
console.log('Write to the bot on Telegram: refund 12345. Ctrl-C ends it.');
process.once('SIGINT', () => void registry.stop());
process.once('SIGTERM', () => void registry.stop());
