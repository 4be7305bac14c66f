/**
 * One process of the stories about waiting, on the built library: a registry on Redis without agents, or with one whose
 * turns wait, and a channel that is told of everything over IPC. It does what the test tells it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { library, redisClients } from '../../support/library.mjs';
import { serve } from '../../support/serve.mjs';

const { AgentRegistry, agent, number } = await library('index.js');
const { RedisStore } = await library('stores/redis/index.js');
const config = JSON.parse(process.argv[2]);
const { Redis } = await redisClients(config.name);
const client = new Redis(config.redis);

let desk;
const line = {
  name: 'line',
  start: (given) => {
    desk = given;
  },
  send: async ({ conversationId, text, ask }) => {
    if (!config.quiet) process.send({ shown: text, conversationId, askId: ask?.id });
  },
  conversationFor: (to) => String(to),
};

const booking = agent('booking').onMessage(async ({ message, askAndWait, attempt }) => {
  if (message !== 'book') return `You said ${message}.`;
  process.send({ began: attempt });
  const seats = await askAndWait(number('How many seats?'));
  return seats.status === 'answered' ? `Booked ${seats.value}.` : seats.status;
});

const registry = new AgentRegistry({
  agents: config.works ? [booking] : [],
  channels: [line],
  store: new RedisStore({ client, commandTimeout: 10_000 }),
  settings: config.settings,
});
await registry.start();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const waits = new Map();
const can = {
  says: (message) => desk.receive(message),
  idle: () => registry.idle(),
  askAndWait: async (to, more) => {
    const { status, value, ask } = await registry.askAndWait(number('How many?'), { channel: 'line', to, ...more });
    return { status, value, askId: ask.id };
  },
  wait: async (askId) => (await registry.wait(askId, { timeout: 60_000 })).value,
  /** Begins to wait for many at once; `settled` tells of their ends. */
  begin: (count) => {
    for (let i = 0; i < count; i += 1)
      waits.set(i, registry.askAndWait(number('How many?'), { channel: 'line', to: `c${i}`, timeout: 600_000 }));
  },
  settled: async () => {
    const outcomes = await Promise.all(waits.values());
    waits.clear();
    return outcomes.map(({ status, value }) => (status === 'answered' ? value : status));
  },
};
/** What lives in this process, in bytes. */
can.memory = () => {
  collect();
  return process.memoryUsage().heapUsed;
};
await serve(can);
