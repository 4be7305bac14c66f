/**
 * One replica of the soak run, on the built library and on any store: it writes a history of what it did, and does what
 * it is told over IPC. Its agents and its world are those of test/processes.
 */

import { library, redisClients } from '../../support/library.mjs';
import { route, supportAgents, worldAt } from '../../support/replica/agents.mjs';
import { recorded, scribe } from '../../support/replica/recorded.mjs';

const config = JSON.parse(process.argv[2]);
const log = scribe(config.history, config.name);
const crashed = (error) => {
  log('crash', { error: String(error?.stack ?? error) });
  console.error(error);
  process.exit(70);
};
process.on('uncaughtException', crashed).on('unhandledRejection', crashed);

if (config.skew) {
  const right = Date.now;
  Date.now = () => right() + config.skew;
}

const askback = await library('index.js');
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function openStore({ path, url, ports, sentinel, prefix }) {
  if (path !== undefined) {
    const { SqliteStore } = await library('stores/sqlite/index.js');
    return new SqliteStore({ path, logger: quiet });
  }
  const { Cluster, Redis } = await redisClients(config.name);
  const { RedisStore } = await library('stores/redis/index.js');
  const nodes = (list) => list.map((port) => ({ host: '127.0.0.1', port }));
  const client =
    ports !== undefined
      ? new Cluster(nodes(ports), { lazyConnect: true })
      : sentinel !== undefined
        ? new Redis({ sentinels: nodes([sentinel]), name: 'soak', lazyConnect: true })
        : new Redis(url, { lazyConnect: true });
  client.on('error', () => {});
  return new RedisStore({ client, prefix, logger: quiet });
}

const outside = worldAt(config.world, config.name);
const world = {
  ...outside,
  pay: (call) => {
    log('paying', { conversationId: call.conversationId, key: call.key, attempt: call.attempt });
    return outside.pay(call);
  },
};

class Phone {
  name = 'phone';
  start(desk) {
    this.desk = desk;
  }
  async send({ key, conversationId, text, ask }) {
    await world.deliver({ key, conversationId, text, askId: ask?.id });
  }
}

const bare = await openStore(config.store);
const store = recorded(bare, log);
const phone = new Phone();
const registry = new askback.AgentRegistry({
  agents: supportAgents(askback, world),
  channels: [phone],
  store,
  route,
  settings: config.settings,
  logger: quiet,
  ...(config.skew && {
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now() + config.skew,
      after: (ms, work) => {
        const timer = setTimeout(work, ms).unref();
        return () => clearTimeout(timer);
      },
    },
  }),
});
for (const event of ['handled', 'fenced', 'parked']) registry.on(event, (about) => log('event', { event, ...about }));

let heard = 0;
const calls = {
  says: (message) => {
    if (phone.desk === undefined) throw Object.assign(new Error('It is still starting.'), { code: 'gone' });
    heard += 1;
    // on purpose wrong, where a test wants to see the soak run fail: it acknowledges what it does not record
    if (config.sabotage && heard % 5 === 0) return Promise.resolve('recorded');
    return phone.desk.receive(message);
  },
  /** One conversation as it is left: its history, its asks, what waits in it. */
  seen: async (id, asked) => {
    const state = await bare.conversation(id);
    const items = [];
    for (let cursor; ; ) {
      const page = await registry.history(id, { limit: 500, ...(cursor && { cursor }) });
      items.unshift(...page.items);
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    const open = (await registry.listAsks({ conversationId: id })).asks.map((ask) => ask.id);
    const decided = items.flatMap((item) => (item.type === 'decision' ? [item.askId] : []));
    const ids = new Set([...asked, ...open, ...decided]);
    const asks = await Promise.all([...ids].map((ask) => registry.getAsk(ask)));
    const { held = false, begun = false, queue = [] } = state ?? {};
    return { id, items, asks: asks.filter(Boolean), parked: [], held, begun, queue: queue.length };
  },
  parked: () => registry.parked(),
  sweep: () => registry.sweep(),
  idle: () => registry.idle(),
  unsent: async () => (await bare.unsent({ channels: ['phone'], limit: 1_000, loan: 1 })).length,
};

process.on('message', ({ n, name, args }) => {
  Promise.resolve()
    .then(() => calls[name](...args))
    .then(
      (result) => process.send({ n, result }),
      (error) => process.send({ n, code: error.code ?? error.name, error: String(error.stack) }),
    );
});
process.on('SIGTERM', () => registry.stop().then(() => process.exit(0)));
process.on('disconnect', () => process.exit());

// the store may be down just now: then a process manager would start it again
for (let started = false; !started; ) {
  started = await registry.start().then(
    () => true,
    (error) => (['store-unavailable', 'store-unfit'].includes(error.code) ? false : crashed(error)),
  );
  if (!started) await new Promise((go) => setTimeout(go, 100));
}
process.send({ ready: true });
