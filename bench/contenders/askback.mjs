/**
 * askback as its users run it: a registry, a channel that sends nowhere, a declared question with a pattern, async code.
 * A pair ends when the turn of the reply is saved. `store`: 'memory', 'redis' or 'sqlite'; `dist`: the build to measure;
 * `written`: 'handlers' or 'class'; `replies`: 'here', or 'elsewhere' for a second registry with a store and a client of
 * its own, which knows nothing of what the first one asked, as another replica would not.
 */
import { createRequire } from 'node:module';

export async function open({ dist, store: kind, written = 'handlers', replies = 'here', url, path, run }) {
  const load = (file) => import(new URL(file, dist));
  const { AgentRegistry, agent, BaseAgent, MemoryStore, text } = await load('index.js');
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

  async function storeOf() {
    if (kind === 'memory') return new MemoryStore();
    if (kind === 'sqlite') {
      const { SqliteStore } = await load('stores/sqlite/index.js');
      return new SqliteStore({ path, logger: quiet });
    }
    const { Redis } = await import('ioredis');
    const { RedisStore } = await load('stores/redis/index.js');
    return new RedisStore({ client: new Redis(url, { lazyConnect: true }), prefix: run, logger: quiet });
  }

  const context = { note: 'x'.repeat(280) };
  const number = text('What is your order number?', { pattern: /^\d{5}$/ });

  class Support extends BaseAgent {
    name = 'support';
    order = this.question('order', number, { onAnswer: async () => undefined });

    async invokeAgent() {
      return this.ask(this.order, { context });
    }
  }

  function declared() {
    const support = agent('support');
    const order = support.question('order', number, { onAnswer: async () => undefined });
    return support.onMessage(async ({ ask }) => ask(order, { context }));
  }

  /** What a lane waits for: the question, then the end of the turn that its reply was. */
  const waiting = new Map();

  async function replica() {
    let desk;
    const nowhere = {
      name: 'nowhere',
      start: (given) => {
        desk = given;
      },
      send: async ({ conversationId, ask }) => {
        if (ask !== undefined) waiting.get(conversationId)?.();
      },
    };
    const registry = new AgentRegistry({
      agents: [written === 'class' ? new Support() : declared()],
      channels: [nowhere],
      store: await storeOf(),
      settings: { turns: 10_000 },
      logger: quiet,
    });
    registry.on('handled', ({ conversationId, disposition }) => {
      if (disposition.type === 'accepted') waiting.get(conversationId)?.();
    });
    await registry.start();
    return { desk, registry };
  }

  const asking = await replica();
  const answering = replies === 'elsewhere' ? await replica() : asking;
  const heard = (conversationId) => new Promise((resolve) => waiting.set(conversationId, resolve));

  return {
    version: `askback ${createRequire(import.meta.url)('../../package.json').version}`,
    async pair(conversationId) {
      const participant = { id: `nowhere:${conversationId}` };
      const asked = heard(conversationId);
      await asking.desk.receive({ id: 'wish', conversationId, text: 'refund', participant });
      await asked;
      const answered = heard(conversationId);
      await answering.desk.receive({ id: 'reply', conversationId, text: '12345', participant });
      await answered;
      waiting.delete(conversationId);
    },
    settled: () => Promise.all([asking.registry.idle(), answering.registry.idle()]),
  };
}
