/**
 * Fills a Redis with open asks, as the registry would leave them: the calls of one real ask are recorded and made again
 * for other conversations, people and ids. A million asks through the registry would take too long for a bench.
 * Runs as a contender does (contenders/runner.mjs), and can also sweep and answer what it has filled in.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Redis } from 'ioredis';

const month = 30 * 86_400_000;
const writing = new Set(['take', 'save', 'remember', 'sent']);
const conversationOf = (i) => `held-${String(i).padStart(9, '0')}`;
const personOf = (i) => `nowhere:person-${String(i).padStart(9, '0')}`;

export async function open({ dist, url, run }) {
  const load = (file) => import(new URL(file, dist));
  const { AgentRegistry, agent, text } = await load('index.js');
  const { RedisStore } = await load('stores/redis/index.js');
  const { routedId } = await fromSource('core/ids.ts');
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const newStore = () => new RedisStore({ client: new Redis(url, { lazyConnect: true }), prefix: run, logger: quiet });

  const calls = [];
  const real = newStore();
  const recording = new Proxy(real, {
    get: (target, name) => {
      const value = target[name];
      if (typeof value !== 'function') return value;
      return (...args) => {
        if (writing.has(name)) calls.push([name, JSON.parse(JSON.stringify(args))]); // what is written is plain data
        return value.apply(target, args);
      };
    },
  });

  // as contenders/askback.mjs, with a deadline: a held ask has a place in the index of what is due
  const support = agent('support');
  const order = support.question('order', text('What is your order number?', { pattern: /^\d{5}$/ }), {
    onAnswer: () => undefined,
  });
  support.onMessage(({ ask }) => ask(order, { context: { note: 'x'.repeat(280) }, expiresIn: month }));
  let desk;
  const nowhere = {
    name: 'nowhere',
    start: (given) => {
      desk = given;
    },
    send: async () => {},
  };
  const settings = { sweep: 86_400_000 }; // only when told to
  const registry = new AgentRegistry({
    agents: [support],
    channels: [nowhere],
    store: recording,
    settings,
    logger: quiet,
  });
  await registry.start();
  const store = newStore();
  await store.open();

  const askOf = (i) => routedId(conversationOf(i), 'bench');
  let made;

  /** Asks once through the registry, and makes of its calls what makes them again for number `i`. */
  async function record() {
    const conversationId = conversationOf(0);
    calls.length = 0;
    await desk.receive({ id: 'wish', conversationId, text: 'refund', participant: { id: personOf(0) } });
    await registry.idle();
    const recorded = calls.splice(0);
    const takes = recorded.filter(([name]) => name === 'take').map(([, [call]]) => call);
    const saves = recorded.filter(([name]) => name === 'save').map(([, [call]]) => call);
    const asks = saves.flatMap((call) => call.asks.opened.map(({ id }) => id));
    if (asks.length !== 1) throw new Error(`The recorded turn opened ${asks.length} asks instead of one.`);
    for (const call of takes) delete call.claimBefore; // this was long ago when it is made again
    const fresh = [...takes.flatMap(({ token, turn }) => [token, turn]), ...saves.map(({ then }) => then.turn)];
    const ids = [conversationId, personOf(0), asks[0], ...new Set(fresh.filter((id) => id !== undefined))];
    const pieces = JSON.stringify(recorded).split(new RegExp(`(${ids.join('|')})`));
    const places = pieces.map((piece) => ids.indexOf(piece));
    return (i) => {
      const others = [conversationOf(i), personOf(i), askOf(i), ...ids.slice(3).map(() => randomUUID())];
      return JSON.parse(pieces.map((piece, at) => (places[at] < 0 ? piece : others[places[at]])).join(''));
    };
  }

  /** A call may be repeated, so one that was lost while Redis was busy is. */
  async function persistently(name, args) {
    for (let tries = 1; ; tries++) {
      try {
        return await store[name](...args);
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  async function hold(i, marks) {
    for (const [name, args] of made(i)) {
      if (name === 'sent') {
        marks.push(...args[0]); // the registry gathers them too
        continue;
      }
      const answer = await persistently(name, args);
      if (name === 'take' && answer.claim === undefined) throw new Error(`Number ${i} could not be claimed.`);
      if (name === 'save' && answer.type !== 'saved') throw new Error(`Number ${i} could not be saved.`);
    }
  }

  return {
    version: 'fill',

    /** Holds the asks with the numbers from `from` up to and without `to`. Number 0 is the recorded one. */
    async fill(from, to) {
      made ??= await record();
      let next = Math.max(1, from);
      const marks = [];
      const lane = async () => {
        while (next < to) {
          const i = next;
          next += 1;
          await hold(i, marks);
          if (marks.length >= 500) await persistently('sent', [marks.splice(0)]);
        }
      };
      await Promise.all(Array.from({ length: 128 }, lane));
      await persistently('sent', [marks]);
    },

    /** The median time of some sweeps, and how many turns they took: none, as nothing is due. */
    async sweeps(count) {
      const times = [];
      let taken = 0;
      for (let i = 0; i < count; i++) {
        const start = performance.now();
        const report = await registry.sweep();
        times.push(performance.now() - start);
        taken += report.taken;
      }
      times.sort((a, b) => a - b);
      return { ms: times[times.length >> 1], taken };
    },

    /** Answers a held ask through the registry, as its person. */
    async answer(i) {
      const settled = await registry.answer(askOf(i), { text: '12345' }, { by: { id: personOf(i) } });
      return settled.type;
    },
  };
}

/** A module of src that the package does not export. */
async function fromSource(file) {
  const entry = fileURLToPath(new URL(`../src/${file}`, import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
