/**
 * One process of the stories about votes and forms, on the built library: a registry on Redis, the deployment and the
 * refund, and two channels. It does what the test tells it over IPC, and can be armed to die right after a save.
 */
import { library, redisClients } from '../../support/library.mjs';
import { worldAt } from '../../support/replica/agents.mjs';
import { serve } from '../../support/serve.mjs';

const { AgentRegistry, agent, choice, confirm, form, text } = await library('index.js');
const { RedisStore } = await library('stores/redis/index.js');
const config = JSON.parse(process.argv[2]);
const world = worldAt(config.world, config.name);

const ops = agent('ops');
const deploy = ops.question('deploy', confirm('Deploy 1.2?'), {
  answerableBy: { roles: ['approver'] },
  quorum: 2,
  excludeAsker: true,
  onAnswer: async (yes, { pending: { conversationId }, effectKey, attempt }) => {
    if (!yes) return 'Stopped.';
    await world.pay({ key: effectKey, order: '1.2', conversationId, attempt });
    return 'Deployed.';
  },
});
ops.onMessage(({ message, ask }) => (message === 'deploy' ? ask(deploy) : undefined));

const support = agent('support');
const fields = {
  order: text('Which order?', { pattern: /^\d{5}$/ }),
  reason: choice('Why?', ['broken', 'late'], { other: true }),
  sure: confirm('Refund it?'),
};
const refund = support.question('refund', form('Your refund', fields), {
  maxRetries: 1,
  onAnswer: async (answer, { pending: { conversationId }, effectKey, attempt }) => {
    await world.pay({ key: effectKey, ...answer, conversationId, attempt });
    return `Refunded ${answer.order}.`;
  },
});
support.onMessage(({ message, ask }) => (message === 'refund' ? ask(refund) : undefined));

/** The directory: Uma has two accounts and is one person. The others are who their channel says. */
const uma = { id: 'person:uma', name: 'Uma', roles: ['approver'] };
const accounts = new Map([
  ['slack:U1', uma],
  ['web:1', uma],
]);

class Line {
  constructor(name) {
    this.name = name;
  }
  start(desk) {
    this.desk = desk;
  }
  async send({ key, conversationId, text: words, ask }) {
    await world.deliver({ key, conversationId, text: words, askId: ask?.id, channel: this.name });
  }
}

/** The store, whose process dies when the next save is done, if it is armed: before anybody here learns of it. */
let armed = false;
function mortal(store) {
  const save = async (call) => {
    const saved = await store.save(call);
    if (armed) process.kill(process.pid, 'SIGKILL');
    return saved;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'save') return save;
      const method = Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
}

const { Redis } = await redisClients(config.name);
const client = new Redis(config.redis);
const channels = { slack: new Line('slack'), web: new Line('web') };
const registry = new AgentRegistry({
  agents: [ops, support],
  channels: Object.values(channels),
  store: mortal(new RedisStore({ client, commandTimeout: 10_000, logger: { warn: () => {}, debug: () => {} } })),
  route: ({ conversationId }) => (conversationId.startsWith('refund') ? 'support' : 'ops'),
  identify: (participant) => accounts.get(participant.id) ?? participant,
  settings: config.settings,
});
registry.on('refused', (about) => process.send({ event: 'refused', about }));

const calls = {
  says: (channel, message) => channels[channel].desk.receive(message),
  answer: (...args) => registry.answer(...args),
  /** So that several processes answer at the same moment. */
  answerAt: async (time, ...args) => {
    await new Promise((go) => setTimeout(go, time - Date.now()));
    return registry.answer(...args);
  },
  getAsk: (id) => registry.getAsk(id),
  history: (conversationId) => registry.history(conversationId),
  idle: () => registry.idle(),
  arm: async () => {
    armed = true;
  },
};

await registry.start();
await serve(calls);
