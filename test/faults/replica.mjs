/**
 * One replica of these tests, on the built library: it writes a history of what it did, and does what the test tells it
 * over IPC. See also test/processes/replica.mjs, whose world and support agents it shares.
 */
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { worldAt } from '../processes/agents.mjs';
import { library, redisClients } from '../support/library.mjs';
import { agents, blocked, route } from './agents.mjs';
import { newer, recorded, scribe } from './recorded.mjs';

const config = JSON.parse(process.argv[2]);
const log = scribe(config.history, config.name);
const crashed = (error) => {
  log('crash', { error: String(error?.stack ?? error) });
  console.error(error);
  process.exit(70);
};
process.on('uncaughtException', crashed).on('unhandledRejection', crashed);

if (config.skew) {
  // the whole machine is wrong: whoever asks it, asks in vain
  const right = Date.now;
  Date.now = () => right() + config.skew;
}

const { Redis } = await redisClients(config.name);
const askback = await library('index.js');
const { RedisStore } = await library('stores/redis/index.js');

const outside = worldAt(config.world, config.name);
const ledger = config.ledger === undefined ? outside : worldAt(config.ledger, config.name);
const world = {
  ...outside,
  pay: (call) => {
    log('paying', { conversationId: call.conversationId, key: call.key, attempt: call.attempt });
    return ledger.pay(call);
  },
};

const client = new Redis(config.redis, { lazyConnect: true });
const { prefix, commandTimeout } = config;
const quiet = { warn: () => {}, debug: () => {} };
const redis = new RedisStore({ client, prefix, logger: quiet, ...(commandTimeout && { commandTimeout }) });
const noted = config.history === undefined ? redis : recorded(redis, log);

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
  agents: config.agents === false ? [] : agents(askback, world, config),
  channels: config.channel === false ? [] : [phone],
  store: config.newer ? newer(noted, config.newer) : noted,
  route,
  settings: config.settings,
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
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

const counts = {};
for (const event of [
  'handled',
  'fenced',
  'handedBack',
  'parked',
  'failed',
  'expired',
  'storeFailed',
  'deliveryFailed',
]) {
  registry.on(event, (about) => {
    counts[event] = (counts[event] ?? 0) + 1;
    if (config.history !== undefined) log('event', { event, ...about });
    if (['fenced', 'handedBack', 'parked', 'failed'].includes(event)) process.send({ event, about });
  });
}

/** All of it, oldest first; a page without a cursor is the latest. */
async function historyOf(conversationId) {
  const items = [];
  for (let page = { limit: 500 }; ; ) {
    const found = await registry.history(conversationId, page);
    items.unshift(...found.items);
    if (found.cursor === undefined) return items;
    page = { limit: 500, cursor: found.cursor };
  }
}

let delays;
/** The longest that this process worked between two turns of its loop, in ms; what others took of the machine is not in it. */
let worked = 0;
function watchWork() {
  let before = { busy: busy(), at: performance.now() };
  setInterval(() => {
    const now = { busy: busy(), at: performance.now() };
    worked = Math.max(worked, Math.min(now.busy - before.busy, now.at - before.at));
    before = now;
  }, 10).unref();
}

/** The time that the loop's own thread has worked; where the system does not tell, that of all threads. */
function busy() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
}

const calls = {
  start: () => registry.start(),
  stop: () => registry.stop(),
  handle: (message) => registry.handle(message),
  says: (message) => phone.desk.receive(message),
  answer: (...args) => registry.answer(...args),
  cancel: (what) => registry.cancel(what),
  erase: (what, options) => registry.erase(what, options),
  getAsk: (id) => registry.getAsk(id),
  listAsks: (filter) => registry.listAsks(filter),
  history: historyOf,
  parked: () => registry.parked(),
  sweep: () => registry.sweep(),
  idle: () => registry.idle(),
  /** One message after the other, so many at a time; how many were recorded, and how many were refused as what. */
  flood: async (messages, lanes) => {
    const told = {};
    const left = [...messages].reverse();
    const lane = async () => {
      for (let message = left.pop(); message !== undefined; message = left.pop()) {
        const said = await phone.desk.receive(message).catch((error) => error.code);
        told[said] = (told[said] ?? 0) + 1;
        if (said === 'recorded') log('acknowledged', { conversationId: message.conversationId, id: message.id });
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return told;
  },
  block: async (ms) => blocked(ms),
  counts: async () => counts,
  /** Begins to measure how late this process is, or says how late it was at most, in ms. */
  lateness: async () => {
    const worst = { waited: delays === undefined ? 0 : delays.max / 1e6, worked };
    if (delays === undefined) watchWork();
    delays ??= monitorEventLoopDelay({ resolution: 10 });
    delays.enable();
    delays.reset();
    worked = 0;
    return worst;
  },
};

process.on('message', ({ n, name, args }) => {
  calls[name](...args).then(
    (result) => process.send({ n, result }),
    (error) => process.send({ n, code: error.code ?? error.name, error: error.stack }),
  );
});
process.on('SIGTERM', () => registry.stop().then(() => process.exit(0)));
process.on('disconnect', () => process.exit());

if (config.lazy !== true) await registry.start();
process.send({ ready: true });
