/**
 * One replica as a deployment would run it, on the built library: a registry, its store, the support agent and a
 * channel named phone. It does what the test tells it over IPC, and can be armed to die at a step of the store.
 */
import { library } from '../support/library.mjs';
import { route, supportAgents, worldAt } from './agents.mjs';

const askback = await library('index.js');

const config = JSON.parse(process.argv[2]);
const world = worldAt(config.world, config.name);

/** The step that kills this process when it is done, before anybody here learns of it. */
let deadly = '';

function stepOf(name, [call], result) {
  if (name === 'take' && result.claim === undefined) return undefined;
  // a reply and its decision may have been written together
  if (name === 'take')
    return deadly === 'decision' && result.claim.document === call.predecided?.document ? 'decision' : 'take';
  if (name === 'remember') return 'effect';
  if (name === 'save') return call.then.type === 'hold' ? 'decision' : 'save';
  return name;
}

function mortal(store) {
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args) => {
        const result = Reflect.apply(method, target, args);
        if (!(result instanceof Promise)) return result;
        return result.then((value) => {
          if (deadly !== '' && stepOf(name, args, value) === deadly) process.kill(process.pid, 'SIGKILL');
          return value;
        });
      };
    },
  });
}

async function redisStore() {
  const { Redis } = await import(config.client ?? 'ioredis');
  const { RedisStore } = await library('stores/redis/index.js');
  const logger = { warn: () => {}, debug: () => {} };
  return new RedisStore({ client: new Redis(config.redis), prefix: config.prefix, logger });
}

class Phone {
  name = 'phone';
  start(desk) {
    this.desk = desk;
  }
  async send({ key, conversationId, text, ask }) {
    await world.deliver({ key, conversationId, text, askId: ask?.id });
  }
}

const phone = new Phone();
const registry = new askback.AgentRegistry({
  agents: config.agents === false ? [] : supportAgents(askback, world),
  channels: config.channel === false ? [] : [phone],
  store: mortal(config.redis ? await redisStore() : new askback.MemoryStore()),
  route,
  settings: config.settings,
});

for (const event of ['fenced', 'handedBack', 'parked', 'failed', 'undeliverable', 'deliveryFailed']) {
  registry.on(event, (about) => process.send({ event, about }));
}

const calls = {
  says: (message) => phone.desk.receive(message),
  /** One message in each conversation, so many at a time. */
  flood: async (ids, lanes) => {
    const left = [...ids];
    const lane = async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop())
        await phone.desk.receive({ id: 'flood', conversationId: id, text: 'hello' });
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  },
  handle: (message) => registry.handle(message),
  answerAt: async (time, ...args) => {
    await new Promise((go) => setTimeout(go, time - Date.now()));
    return registry.answer(...args);
  },
  cancel: (id) => registry.cancel(id),
  getAsk: (id) => registry.getAsk(id),
  listAsks: (filter) => registry.listAsks(filter),
  history: (conversationId) => registry.history(conversationId),
  parked: () => registry.parked(),
  retry: (id) => registry.retry(id),
  sweep: () => registry.sweep(),
  recoverPending: (maxAge) => registry.recoverPending(maxAge),
  idle: () => registry.idle(),
  arm: async (step) => {
    deadly = step;
  },
};

process.on('message', ({ n, name, args }) => {
  calls[name](...args).then(
    (result) => process.send({ n, result }),
    (error) => process.send({ n, error: `${error.code ?? ''} ${error.stack}` }),
  );
});
process.on('SIGTERM', () => registry.stop().then(() => process.exit(0)));
process.on('disconnect', () => process.exit());

await registry.start();
process.send({ ready: true });
