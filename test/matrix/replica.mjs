/**
 * One replica of the crash matrix, on the built library: it is struck once, at one point, in one way, and then goes on as
 * if nothing were (or does not). The world and the support agents are those of test/processes.
 */
import { route, supportAgents, worldAt } from '../processes/agents.mjs';
import { library, redisClients } from '../support/library.mjs';

const config = JSON.parse(process.argv[2]);
const askback = await library('index.js');

let { arm } = config;

/** Strikes if this is the point. A thrown error is an ordinary one: nothing in the library knows it. */
async function at(point) {
  if (arm === undefined || arm.point !== point) return;
  const { how } = arm;
  arm = undefined;
  process.send({ struck: point });
  if (how === 'throw') throw new Error(`struck at: ${point}`);
  process.kill(process.pid, how);
  if (how === 'SIGKILL') await new Promise(() => {});
}

const outside = worldAt(config.world, config.name);
const world = {
  ...outside,
  pay: async (call) => {
    await outside.pay(call);
    await at('effect done, not remembered');
  },
};

const isReply = (call) => call.entry?.data.includes('12345') === true;
const before = { take: (call) => isReply(call) && 'received, not recorded' };
const after = {
  take: (call) => isReply(call) && 'recorded, not acknowledged',
  remember: () => 'effect remembered, not saved',
  save: (call) => {
    if (call.then.type === 'hold') return 'decision written, continuation not started';
    if (call.asks.opened.length > 0) return 'save done, question not sent';
    return call.asks.settled.length > 0 && 'save done, output not sent';
  },
};

/** The store, with the points before and after its steps. */
function struck(store) {
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (before[name] === undefined && after[name] === undefined) return method.bind(target);
      return async (call) => {
        await at(before[name]?.(call) || undefined);
        const result = await Reflect.apply(method, target, [call]);
        await at(after[name]?.(call) || undefined);
        return result;
      };
    },
  });
}

async function opened() {
  const quiet = { warn: () => {}, debug: () => {} };
  if (config.sqlite !== undefined) {
    const { SqliteStore } = await library('stores/sqlite/index.js');
    return new SqliteStore({ path: config.sqlite, logger: quiet });
  }
  const { Redis } = await redisClients(config.name);
  const { RedisStore } = await library('stores/redis/index.js');
  return new RedisStore({
    client: new Redis(config.redis, { lazyConnect: true }),
    prefix: config.prefix,
    logger: quiet,
  });
}

class Phone {
  name = 'phone';
  start(desk) {
    this.desk = desk;
  }
  async send({ key, conversationId, text, ask }) {
    await world.deliver({ key, conversationId, text, askId: ask?.id });
    await at(ask === undefined ? 'output sent, not marked' : 'question sent, not marked');
  }
}

const [first, second] = supportAgents(askback, world);
const running = first.invokeAgent.bind(first);
first.invokeAgent = async (input) => {
  if (input.message === 'refund') await at('agent running');
  return running(input);
};

const phone = new Phone();
const registry = new askback.AgentRegistry({
  agents: [first, second],
  channels: [phone],
  store: struck(await opened()),
  route,
  settings: config.settings,
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
});

const calls = {
  says: (message) => phone.desk.receive(message),
  history: (conversationId) => registry.history(conversationId, { limit: 500 }),
  getAsk: (id) => registry.getAsk(id),
  listAsks: (filter) => registry.listAsks(filter),
  parked: () => registry.parked(),
};

process.on('message', ({ n, name, args }) => {
  calls[name](...args).then(
    (result) => process.send({ n, result }),
    (error) => process.send({ n, error: error.stack }),
  );
});
process.on('SIGTERM', () => registry.stop().then(() => process.exit(0)));
process.on('disconnect', () => process.exit());

await registry.start();
process.send({ ready: true });
