/**
 * Bot Framework dialogs: a text prompt with a validator in a waterfall, conversation state saved at the end of each
 * turn; an adapter that sends nowhere. `store`: 'memory' (MemoryStorage) or 'redis' (its Storage port on GET and SET).
 * The state is saved with eTag '*', so the last write wins; the question is sent before it is stored.
 */
import { BotAdapter, ConversationState, MemoryStorage, TurnContext } from 'botbuilder';
import { DialogSet, DialogTurnStatus, TextPrompt, WaterfallDialog } from 'botbuilder-dialogs';
import { Redis } from 'ioredis';
import { installed } from './installed.mjs';

const context = { note: 'x'.repeat(280) };

class NowhereAdapter extends BotAdapter {
  async sendActivities(_turn, activities) {
    return activities.map(() => ({ id: '' }));
  }
  processActivity(activity, logic) {
    return this.runMiddleware(new TurnContext(this, activity), logic);
  }
}

class RedisStorage {
  constructor(redis, prefix) {
    this.redis = redis;
    this.prefix = prefix;
  }
  async read(keys) {
    const items = {};
    const found = await Promise.all(keys.map((key) => this.redis.get(this.prefix + key)));
    for (const [at, raw] of found.entries()) if (raw !== null) items[keys[at]] = JSON.parse(raw);
    return items;
  }
  async write(changes) {
    const set = ([key, item]) => this.redis.set(this.prefix + key, JSON.stringify(item));
    await Promise.all(Object.entries(changes).map(set));
  }
  async delete(keys) {
    await this.redis.del(keys.map((key) => this.prefix + key));
  }
}

export async function open({ store, url, run }) {
  const redis = store === 'redis' ? new Redis(url) : undefined;
  const state = new ConversationState(redis ? new RedisStorage(redis, `${run}:`) : new MemoryStorage());
  const dialogs = new DialogSet(state.createProperty('dialogs'));
  const continued = new Set();
  dialogs.add(
    new TextPrompt('order', async ({ recognized }) => recognized.succeeded && /^\d{5}$/.test(recognized.value)),
  );
  dialogs.add(
    new WaterfallDialog('refund', [
      (step) => step.prompt('order', { prompt: 'What is your order number?', retryPrompt: 'Five digits, please.' }),
      (step) => {
        continued.add(step.context.activity.conversation.id);
        return step.endDialog(step.result);
      },
    ]),
  );
  const adapter = new NowhereAdapter();
  const onTurn = async (turn) => {
    const dialog = await dialogs.createContext(turn);
    const { status } = await dialog.continueDialog();
    if (status === DialogTurnStatus.empty) await dialog.beginDialog('refund', context);
    await state.saveChanges(turn);
  };
  const message = (id, text) => {
    const [from, recipient] = [{ id: 'user' }, { id: 'bot' }];
    const activity = { type: 'message', channelId: 'nowhere', serviceUrl: '', id: text, from, recipient, text };
    return adapter.processActivity({ ...activity, conversation: { id } }, onTurn);
  };

  return {
    version: `botbuilder-dialogs ${installed('botbuilder-dialogs')}`,
    async pair(id) {
      await message(id, 'refund');
      await message(id, '12345');
      if (!continued.delete(id)) throw new Error('lost');
    },
    close: () => redis?.quit(),
  };
}
