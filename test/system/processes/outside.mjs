/**
 * One process of the stories about asks from outside, on the built library: a registry on Redis or SQLite, with the agent whose
 * handlers are told the outcomes or without agents. It can be armed to die when so many asks are recorded, opened or paid for.
 */
import { library, redisClients } from '../../support/library.mjs';
import { worldAt } from '../../support/replica/agents.mjs';
import { serve } from '../../support/serve.mjs';

const askback = await library('index.js');
const { AgentRegistry, agent, choice, choices, confirm, date, email, form, number, text } = askback;
const config = JSON.parse(process.argv[2]);
const world = worldAt(config.world, config.name);

/** Dies at the step of this name when it is done for the so-manieth time: nobody here learns of any of them. */
let left = config.dies?.count ?? 0;
async function dying(step, done) {
  const result = await done;
  if (config.dies?.at !== step) return result;
  left -= 1;
  if (left <= 0) process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

const stars = {
  kind: 'stars',
  shape: () => ({ type: 'text' }),
  parse: (reply) =>
    /^\*{1,5}$/.test(reply)
      ? { ok: true, value: reply.length }
      : { ok: false, why: 'not-understood', problem: 'One to five *.' },
};
const order = text('Which order?', { pattern: /^\d{5}$/ });
const questions = {
  text: order,
  choice: choice('Which size?', ['small', 'large']),
  choices: choices('Which colours?', ['red', 'blue', 'green']),
  confirm: confirm('Refund it?'),
  number: number('How many?'),
  date: date('When?'),
  email: email('Which address?'),
  form: form('A refund', { order, sure: confirm('Sure?') }),
  own: { text: 'How was it?', type: stars, data: null },
};

const told = async ({ status, value }, { pending, effectKey, attempt }) => {
  const said = JSON.stringify({ status, value });
  await dying('paid', world.pay({ key: effectKey, order: said, conversationId: pending.conversationId, attempt }));
};
const bridge = agent('bridge').onMessage(async ({ conversationId, message, attempt }) => {
  await world.note({ conversationId, text: message, attempt });
});
const resume = bridge.onOutcome('resume', told);
const declared = bridge.question('declared', number('How many seats?'), {
  onAnswer: (value, turn) => told({ status: 'answered', value }, turn),
  onClosed: (_pending, why, turn) => told({ status: why }, turn),
});

async function opened() {
  const logger = { warn: () => {}, debug: () => {} };
  if (config.sqlite !== undefined) {
    const { SqliteStore } = await library('stores/sqlite/index.js');
    return new SqliteStore({ path: config.sqlite, logger });
  }
  const { Redis } = await redisClients(config.name);
  const { RedisStore } = await library('stores/redis/index.js');
  return new RedisStore({ client: new Redis(config.redis), prefix: config.prefix, commandTimeout: 10_000, logger });
}

/** The store of a process that may die of an ask: recorded, or recorded and opened. */
function mortal(store) {
  const steps = {
    take: (call) => (call.entry?.id.startsWith('open:') ? dying('recorded', store.take(call)) : store.take(call)),
    save: (call) => (call.asks.opened.length > 0 ? dying('opened', store.save(call)) : store.save(call)),
  };
  return new Proxy(store, {
    get(target, name) {
      if (name in steps) return steps[name];
      const method = Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
}

let desk;
const line = {
  name: 'line',
  start: (given) => {
    desk = given;
  },
  send: ({ key, conversationId, text: words, ask }) =>
    world.deliver({ key, conversationId, text: words, askId: ask?.id }),
  conversationFor: (to) => String(to),
};

const registry = new AgentRegistry({
  agents: config.agents ? [bridge] : [],
  answerTypes: [stars],
  channels: [line],
  store: mortal(await opened()),
  settings: config.settings,
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
});
await registry.start();

await serve({
  ask: (kind, to, options) => {
    const there = { channel: 'line', to, key: to, maxRetries: 1, ...options };
    if (kind === 'declared') return registry.ask(declared, there);
    return registry.ask(questions[kind], config.agents ? { ...there, then: resume } : there);
  },
  /** Waits for an answer, and need not live to see it. */
  begin: (kind, to) => {
    registry.askAndWait(questions[kind], { channel: 'line', to, timeout: 60_000 }).catch(() => {});
  },
  says: (message) => desk.receive(message),
  cancel: (askId) => registry.cancel(askId),
  getAsk: (askId) => registry.getAsk(askId),
  listAsks: (filter) => registry.listAsks(filter),
  history: (conversationId) => registry.history(conversationId),
  parked: async () => (await registry.parked()).items,
});
