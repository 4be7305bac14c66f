/**
 * grammY with its conversations plugin, fed by handleUpdate; the Bot API answers without a network. `store`: 'memory'
 * (the plugin's own) or 'redis' (its Redis adapter). The plugin sends the question before it stores the replay log, and
 * deletes that log after the continuation: no lock, no inbox, no outbox, no record of the answer.
 */
import { conversations, createConversation } from '@grammyjs/conversations';
import { RedisAdapter } from '@grammyjs/storage-redis';
import { Bot } from 'grammy';
import { Redis } from 'ioredis';
import { installed } from './installed.mjs';

const me = { id: 1, is_bot: true, first_name: 'Support', username: 'support_bot' };
const from = { id: 2, is_bot: false, first_name: 'User' };
const context = { note: 'x'.repeat(280) };

export async function open({ store, url, run }) {
  const redis = store === 'redis' ? new Redis(url) : undefined;
  const storage = redis && { type: 'key', prefix: `${run}:`, adapter: new RedisAdapter({ instance: redis }) };
  const bot = new Bot('1:none', { botInfo: me });
  /** In place of the Bot API; external() puts the answer into the replay log, as the plugin does with a real one. */
  const nowhere = (conversation) => [
    (ctx, next) => {
      ctx.api.config.use((_call, _method, { chat_id: id, text }) => {
        const sent = { message_id: 1, date: 0, chat: { id, type: 'private', first_name: 'User' }, from: me, text };
        return conversation.external(() => ({ ok: true, result: sent }));
      });
      return next();
    },
  ];

  const continued = new Set();
  async function refund(conversation, ctx) {
    await ctx.reply('What is your order number?');
    for (;;) {
      const { message } = await conversation.waitFor('message:text');
      if (/^\d{5}$/.test(message.text)) break;
      await ctx.reply('Five digits, please.');
    }
    await conversation.external(() => void continued.add(ctx.chat.id));
  }
  bot.use(conversations({ storage }));
  bot.use(createConversation(refund, { plugins: nowhere }));
  bot.on('message:text', (ctx) => ctx.conversation.enter('refund', context));

  let updates = 0;
  const update = (id, text) => {
    const n = ++updates;
    const chat = { id, type: 'private', first_name: 'User' };
    return bot.handleUpdate({ update_id: n, message: { message_id: n, date: 0, chat, from, text } });
  };

  return {
    version: `grammY ${installed('grammy')}, conversations ${installed('@grammyjs/conversations')}`,
    async pair(id) {
      await update(id, 'refund');
      await update(id, '12345');
      if (!continued.delete(id)) throw new Error('lost');
    },
    close: () => redis?.quit(),
  };
}
