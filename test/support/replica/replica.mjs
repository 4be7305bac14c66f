/**
 * One replica as a deployment would run it, on the built library: a registry, its store, the support agents and a channel
 * named phone. It does what the test tells it over IPC, writes down what it did if it is given a file, and can be armed to
 * die or to fail at a point.
 */
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { library, redisClients } from '../library.mjs';
import { serve } from '../serve.mjs';
import { agents, blocked, route, worldAt } from './agents.mjs';
import { crashPoints } from './crash-points.mjs';
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

const askback = await library('index.js');
const points = crashPoints(config.arm);

const outside = worldAt(config.world, config.name);
const ledger = config.ledger === undefined ? outside : worldAt(config.ledger, config.name);
const world = {
  ...outside,
  pay: async (call) => {
    log('paying', { conversationId: call.conversationId, key: call.key, attempt: call.attempt });
    await ledger.pay(call);
    await points.at('effect done, not remembered');
  },
  running: () => points.at('agent running'),
};

const nodes = (ports) => ports.map((port) => ({ host: '127.0.0.1', port }));

/** On Redis (one server, behind a Sentinel, a Cluster), in a file, or in memory. */
async function opened() {
  const logger = { warn: () => {}, debug: () => {} };
  if (config.sqlite !== undefined) {
    const { SqliteStore } = await library('stores/sqlite/index.js');
    return new SqliteStore({ path: config.sqlite, logger });
  }
  const { redis, sentinel, cluster } = config;
  if ((redis ?? sentinel ?? cluster) === undefined) return new askback.MemoryStore();
  const { Cluster, Redis } = config.client ? await import(config.client) : await redisClients(config.name);
  const { RedisStore } = await library('stores/redis/index.js');
  const { prefix, commandTimeout = 10_000 } = config; // a busy machine is no outage
  const lazyConnect = true;
  const client =
    cluster !== undefined
      ? new Cluster(nodes(cluster), { lazyConnect })
      : sentinel !== undefined
        ? new Redis({ sentinels: nodes([sentinel.port]), name: sentinel.name, lazyConnect })
        : new Redis(redis, { lazyConnect });
  client.on('error', () => {});
  return new RedisStore({ client, prefix, logger, commandTimeout });
}

function noted(store) {
  const written = config.history === undefined ? store : recorded(store, log);
  return config.newer ? newer(written, config.newer) : written;
}

class Phone {
  name = 'phone';
  start(desk) {
    this.desk = desk;
  }
  conversationFor(to) {
    return `phone-${to}`;
  }
  addressOf(participantId) {
    return participantId.startsWith('staff:') ? participantId.slice(6) : undefined;
  }
  async send({ key, conversationId, text, ask, address }) {
    await world.deliver({ key, conversationId, text, askId: ask?.id, to: address ?? undefined });
    await points.at(ask === undefined ? 'output sent, not marked' : 'question sent, not marked');
  }
}

const bare = await opened();
const phone = new Phone();
const registry = new askback.AgentRegistry({
  agents: config.agents === false ? [] : agents(askback, world, config),
  channels: config.channel === false ? [] : [phone],
  store: points.around(noted(bare)),
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
/** Events of which the test is told as they come. */
const told = new Set(['fenced', 'handedBack', 'parked', 'failed', 'undeliverable', 'deliveryFailed']);
for (const event of ['handled', 'expired', 'storeFailed', ...told]) {
  registry.on(event, (about) => {
    counts[event] = (counts[event] ?? 0) + 1;
    if (config.history !== undefined) log('event', { event, ...about });
    if (told.has(event)) process.send({ event, about });
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

let heard = 0;
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
  says: (message) => {
    if (phone.desk === undefined) throw Object.assign(new Error('It is still starting.'), { code: 'gone' });
    heard += 1;
    // on purpose wrong, where a test wants to see a run fail: it acknowledges what it does not record
    return config.sabotage && heard % 5 === 0 ? 'recorded' : phone.desk.receive(message);
  },
  /** Handed over one after the other without waiting; for each the code of its refusal, or what it was told. */
  saysAtOnce: (messages) => {
    if (phone.desk === undefined) throw Object.assign(new Error('It is still starting.'), { code: 'gone' });
    return Promise.all(messages.map((message) => phone.desk.receive(message).catch(({ code }) => ({ code }))));
  },
  answer: (...args) => registry.answer(...args),
  /** So that several processes answer at the same moment. */
  answerAt: async (time, ...args) => {
    await new Promise((go) => setTimeout(go, time - Date.now()));
    return registry.answer(...args);
  },
  handOver: (...args) => registry.handOver(...args),
  cancel: (what) => registry.cancel(what),
  erase: (what, options) => registry.erase(what, options),
  getAsk: (id) => registry.getAsk(id),
  listAsks: (filter) => registry.listAsks(filter),
  history: historyOf,
  /** One conversation as it is left: its history, its asks, what waits in it. */
  seen: async (id, asked) => {
    const state = await bare.conversation(id);
    const items = await historyOf(id);
    const open = (await registry.listAsks({ conversationId: id })).asks.map((ask) => ask.id);
    const decided = items.flatMap((item) => (item.type === 'decision' ? [item.askId] : []));
    const ids = new Set([...asked, ...open, ...decided]);
    const asks = await Promise.all([...ids].map((ask) => registry.getAsk(ask)));
    const { held = false, begun = false, queue = [] } = state ?? {};
    return { id, items, asks: asks.filter(Boolean), parked: [], held, begun, queue: queue.length };
  },
  unsent: async () => (await bare.unsent({ channels: ['phone'], limit: 1_000, sendLease: 1 })).length,
  parked: async () => (await registry.parked()).items,
  retry: (id) => registry.retry(id),
  recoverPending: (maxAge) => registry.recoverPending(maxAge),
  dieAfter: async (step) => points.dieAfter(step),
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

let isEnding = false;
process.on('SIGTERM', () => {
  isEnding = true;
  void registry.stop().then(() => process.exit(0));
});

/** Where the store may be down at the start, a process manager would start it again and again. */
async function started() {
  for (;;) {
    try {
      return await registry.start();
    } catch (error) {
      if (isEnding && error.code === 'stopped') return new Promise(() => {}); // told to end while it began
      if (!config.perseveres || !['store-unavailable', 'store-unfit'].includes(error.code)) throw error;
    }
    await new Promise((go) => setTimeout(go, 100));
  }
}

await serve(calls, config.lazy ? undefined : started());
