/**
 * Plays histories around sensitive questions. Every answer carries a mark, and everything that was kept for good, sent,
 * logged, told, shown, measured, or given to a model or a tool is searched for it. Then the conversation is erased, and
 * nothing of it is left.
 */
import '../../support/seed.js';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Question, Store } from '../../../src/index.js';
import { AgentRegistry, agent, form, MemoryStore, text } from '../../../src/index.js';
import type { Handlers } from '../../../src/registry/turn/question-handlers.js';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { observe } from '../../../src/telemetry/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { requireApproval } from '../../../src/tools/index.js';
import { minute, settle, storeWith, TestChannel } from '../../support/engine.js';
import { freshPrefix, storeOn } from '../../support/redis-store.js';
import { beside, freshPath } from '../../support/sqlite-store.js';
import { jsonOf, quickest, silent } from '../../support/store.js';
import { sdk } from '../telemetry/kit.js';

const mark = 'secretx';
const ann = { id: 'phone:ann', roles: ['keeper'] };
const bob = { id: 'phone:bob' };
const here = { conversationId: 'c1', address: 'c1', participant: ann };
/** Stands in ordinary messages: nobody hides it, and after erase() it is gone, too. */
const ordinary = 'plainword';

const kinds = ['text', 'form', 'wait', 'role', 'tool'] as const;
const moods = ['right', 'throws', 'quotes', 'wrong'] as const;
const sends = ['plain', 'again', 'command', 'named', 'api', 'stranger'] as const;
const acts = ['cancel', 'cancel all', 'decline', 'retry', 'pass', 'approve', 'model'] as const;

const stepArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), how: fc.constantFrom(...sends) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom(...acts) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('mood' as const),
      check: fc.constantFrom(...moods),
      handler: fc.constantFrom(...moods),
    }),
  },
);
const episodeArbitrary = fc.record({
  kind: fc.constantFrom(...kinds),
  check: fc.constantFrom(...moods),
  handler: fc.constantFrom(...moods),
  steps: fc.array(stepArbitrary, { minLength: 1, maxLength: 8 }),
});
const historyArbitrary = fc.array(episodeArbitrary, { minLength: 1, maxLength: 3 });

/** A store, the clock of the registry, and how time passes; nothing passes where the store has a clock of its own. */
interface Ground {
  readonly store: Store;
  readonly clock?: FakeClock;
  /** How often work may fail before it is parked. */
  readonly strikes: number;
  /** Everything that is stored, as it stands in the server or the file. */
  readonly raw?: () => Promise<string>;
}

type History = typeof historyArbitrary extends fc.Arbitrary<infer H> ? H : never;
type Step = History[number]['steps'][number];

/** How often an answer reached a handler, a tool ran after one, and a model saw what was said. */
export const times = { reached: 0, executed: 0, modelled: 0 };

class Stage {
  readonly #ground: Ground;
  readonly #phone = new TestChannel();
  readonly #registry: AgentRegistry;
  readonly #seen: Record<string, unknown[]> = { logged: [], told: [], kept: [], modelled: [], executed: [] };
  readonly #telemetry = sdk();
  readonly #ids = new Set<string>();
  #mood: Pick<History[number], 'check' | 'handler'> = { check: 'right', handler: 'right' };
  #messages = 0;
  /** Calls of the registry that are under way. */
  readonly #calls: Promise<unknown>[] = [];
  #last = '';
  /** How many answers more may be sent before what is written is no answer any more. */
  #allowed = Number.POSITIVE_INFINITY;
  /** Something was written after the ask had ended. */
  #hasWrittenSince = false;

  constructor(ground: Ground) {
    this.#ground = ground;
    const { store, clock, strikes } = ground;
    const note = (what: string, more?: object) => this.#seen['logged']?.push([what, more]);
    const watched = storeWith(store, {
      save: (call) => {
        this.#seen['kept']?.push(call.history, call.outputs, call.closes, call.asks);
        return store.save(call);
      },
    });
    this.#registry = new AgentRegistry({
      agents: [this.#agent()],
      channels: [this.#phone],
      store: watched,
      logger: { debug: note, info: note, warn: note, error: note },
      model: async (request) => {
        this.#seen['modelled']?.push(request.messages);
        times.modelled += 1;
        return 'yes';
      },
      settings: { maxAttempts: strikes },
      ...(clock === undefined ? {} : { clock }),
    });
    for (const event of ['failed', 'parked', 'handled', 'answered', 'cancelled', 'declined', 'exhausted'] as const)
      this.#registry.on(event, (about) => this.#seen['told']?.push(about));
    for (const event of ['refused', 'delivered', 'deliveryFailed', 'rejected', 'expired'] as const)
      this.#registry.on(event, (about) => this.#seen['told']?.push(about));
    const { tracer, meter } = this.#telemetry;
    observe(this.#registry, { tracer, meter });
    this.#registry.on('asked', ({ askId }) => this.#ids.add(askId));
  }

  #agent() {
    const bank = agent('bank');
    const handlers = <T>(): Handlers<T> & { onAnswer: NonNullable<Handlers<T>['onAnswer']> } => ({
      sensitive: true,
      maxRetries: 1,
      expiresIn: 20 * minute,
      check: (answer) => this.#judged(answer),
      onAnswer: (answer) => this.#handled(answer),
    });
    const pin = bank.question('pin', text('Your PIN?'), handlers<string>());
    const login: Question<{ user: string; word: string }> = form('Log in', {
      user: text('User?'),
      word: text('Word?'),
    });
    const both = bank.question('login', login, handlers<{ user: string; word: string }>());
    const role = bank.question('role', text("The keeper's PIN?"), {
      ...handlers<string>(),
      answerableBy: { roles: ['keeper'] },
    });
    const pay = {
      name: 'pay',
      inputSchema: {},
      execute: async (...given: readonly unknown[]) => {
        this.#seen['executed']?.push(given);
        times.executed += 1;
        return 'Paid.';
      },
    };
    const gated = requireApproval(pay, { registry: () => this.#registry, where: 'here', answerableBy: 'anyone' });
    return bank.onMessage(async ({ message, ask, askAndWait, run }) => {
      if (message === 'text') return ask(pin);
      if (message === 'role') return ask(role);
      if (message === 'model') return run('What was said?');
      if (message === 'tool') {
        const { status } = await askAndWait(pin);
        return status === 'answered' ? gated.execute({ order: ordinary }, { callId: 'c1' }) : 'Never mind.';
      }
      if (message === 'form') return ask(both);
      if (message !== 'wait') return 'Hello.';
      const outcome = await askAndWait(pin);
      return outcome.status === 'answered' ? this.#handled(outcome.value) : 'Never mind.';
    });
  }

  #judged(answer: unknown): true | string {
    if (this.#mood.check === 'throws') throw new Error(`Cannot check ${JSON.stringify(answer)}.`);
    if (this.#mood.check === 'quotes') return `${JSON.stringify(answer)} is not it.`;
    return this.#mood.check === 'wrong' ? ({ answer } as never) : true;
  }

  #handled(answer: unknown): string {
    if (JSON.stringify(answer).toLowerCase().includes(mark)) times.reached += 1;
    if (this.#mood.handler === 'throws') throw new TypeError(`Cannot use ${JSON.stringify(answer)}.`);
    if (this.#mood.handler === 'wrong') throw JSON.stringify(answer);
    return 'Thank you.';
  }

  async play(history: History): Promise<readonly string[]> {
    await this.#registry.start();
    await this.#writes(`hello ${ordinary}`);
    for (const { kind, steps, ...mood } of history) {
      this.#mood = mood;
      this.#allowed = Number.POSITIVE_INFINITY;
      await this.#writes(kind);
      this.#hasWrittenSince = false;
      for (const step of steps) await this.#step(step);
      await this.#end();
    }
    const leaks = [...(await this.#leaks()), ...(await this.#remains())];
    await this.#registry.stop();
    return leaks;
  }

  async #step(step: Step): Promise<void> {
    const registry = this.#registry;
    const id = [...this.#ids].at(-1) ?? '';
    if (step.do === 'mood') this.#mood = step;
    else if (step.do === 'send') await this.#send(step.how, await this.#sensitiveId());
    else if (step.do === 'cancel') this.#calls.push(registry.cancel(id));
    else if (step.do === 'cancel all') this.#calls.push(registry.cancel({ conversationId: 'c1' }));
    else if (step.do === 'decline') this.#calls.push(registry.decline(id, { by: ann }));
    else if (step.do === 'retry') await this.#retry();
    else if (step.do === 'approve') await this.#approve();
    else if (step.do === 'model') await this.#asksModel();
    else await this.#pass(15 * minute);
    await this.#settled();
  }

  async #send(how: (typeof sends)[number], askId: string): Promise<void> {
    if (this.#allowed <= 0 || (await this.#isApproving())) return; // what answers another question is no secret
    this.#allowed -= 1;
    if (!(await this.#isOpen())) this.#hasWrittenSince = true;
    if (how !== 'again' || this.#last === '') this.#last = `${mark}${(this.#messages + 1) * 7}y`;
    if (how === 'command') await this.#writes(`/${this.#last}`);
    else if (how === 'named') await this.#writes(this.#last, { askId });
    else if (how === 'stranger') await this.#writes(this.#last, { askId, participant: bob });
    else if (how === 'api') this.#calls.push(this.#registry.answer(askId, { text: this.#last }, { by: ann }));
    else await this.#writes(this.#last);
  }

  async #writes(words: string, more: object = {}): Promise<void> {
    this.#messages += 1;
    await this.#phone.desk?.receive({ id: `m${this.#messages}`, text: words, ...here, ...more });
    await this.#settled();
  }

  async #retry(): Promise<void> {
    for (const { id } of (await this.#registry.parked()).items) this.#calls.push(this.#registry.retry(id));
    await this.#settled();
  }

  /** Long after an ask has ended, only the next message may still be its answer, and only if none was handled. */
  async #pass(ms: number): Promise<void> {
    const { clock } = this.#ground;
    if (clock === undefined) return;
    await clock.advance(ms, settle);
    if (await this.#isOpen()) return;
    const isUnfinished = (await this.#registry.parked()).items.length > 0;
    const last = await this.#registry.getAsk(await this.#sensitiveId());
    const mayBeAnswer = !this.#hasWrittenSince && (isUnfinished || last?.status !== 'answered');
    this.#allowed = Math.min(this.#allowed, mayBeAnswer ? 1 : 0);
  }

  /** The last sensitive ask: what is given to another by its id is no secret. */
  async #sensitiveId(): Promise<string> {
    const asks = await Promise.all([...this.#ids].map((id) => this.#registry.getAsk(id)));
    return asks.findLast((ask) => ask?.sensitive)?.id ?? '';
  }

  async #isApproving(): Promise<boolean> {
    return (await this.#registry.listAsks()).asks.some(({ sensitive }) => !sensitive);
  }

  async #approve(): Promise<void> {
    if (await this.#isApproving()) await this.#writesOther('once');
  }

  /** The model sees the conversation so far. */
  async #asksModel(): Promise<void> {
    if (!(await this.#isOpen())) await this.#writesOther('model');
  }

  /** Something that is no answer to the sensitive question: what comes long after its end is none either, then. */
  async #writesOther(words: string): Promise<void> {
    await this.#writes(words);
    this.#hasWrittenSince = true;
    if (Number.isFinite(this.#allowed)) this.#allowed = 0;
  }

  async #isOpen(): Promise<boolean> {
    return (await this.#registry.listAsks()).asks.some(({ status }) => status === 'pending');
  }

  /** Everything comes to its end: then nothing of the answers may be left in the store. */
  async #end(): Promise<void> {
    this.#mood = { check: 'right', handler: 'right' };
    await this.#pass(15 * minute);
    await this.#retry();
    await this.#approve();
    for (const { id } of (await this.#registry.listAsks()).asks) this.#calls.push(this.#registry.cancel(id));
    await this.#settled();
    await this.#retry();
    await this.#pass(15 * minute);
    await this.#asksModel();
    await this.#writes('thanks');
    await this.#pass(2 * minute);
    expect((await this.#registry.parked()).items).toEqual([]);
  }

  /** In a time that stands still a call may not end before time is let pass; elsewhere each is waited for. */
  async #settled(): Promise<void> {
    const calls = Promise.allSettled(this.#calls.splice(0));
    if (this.#ground.clock !== undefined) return settle();
    await calls;
    for (let i = 0; i < 3; i += 1) {
      await settle();
      await this.#registry.idle();
    }
  }

  async #leaks(): Promise<readonly string[]> {
    const { store } = this.#ground;
    const registry = this.#registry;
    const ids = [...this.#ids];
    const all = {
      ...this.#seen,
      sent: this.#phone.sent,
      shown: [
        await registry.history('c1', { limit: 1_000 }),
        await registry.listAsks(),
        (await registry.parked()).items,
      ],
      asks: await Promise.all(ids.map((id) => registry.getAsk(id))),
      stored: [await store.conversation('c1'), await store.history('c1', { limit: 1_000 })],
      found: await Promise.all(ids.map((id) => store.find(id))),
      measured: await this.#telemetry.metrics(),
      traced: this.#telemetry.spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    };
    return Object.entries(all).flatMap(([where, what]) => {
      const words = jsonOf(what).toLowerCase();
      const at = words.indexOf(mark);
      return at === -1 ? [] : [`${where}: ${words.slice(Math.max(0, at - 200), at + 60)}`];
    });
  }

  /** What is left after erase(): a tombstone for each ask, with its id, status and time. */
  async #remains(): Promise<readonly string[]> {
    const { store, raw } = this.#ground;
    const registry = this.#registry;
    await registry.idle();
    const before = (await raw?.()) ?? ordinary;
    expect(before).toContain(ordinary); // it can be found
    expect(await registry.erase({ participantId: ann.id })).toMatchObject({ erased: 1 });
    const after = ((await raw?.()) ?? '').toLowerCase();
    const ids = [...this.#ids];
    const tombs = await Promise.all(ids.map((id) => store.find(id)));
    const left = {
      conversation: [await store.conversation('c1')].filter((state) => state !== null),
      history: (await store.history('c1', { limit: 1_000 })).items,
      asks: (await Promise.all(ids.map((id) => registry.getAsk(id)))).filter((ask) => ask !== null),
      people: [...(await store.conversationsOf(ann.id)), ...(await store.conversationsOf(bob.id))],
      parked: (await registry.parked()).items,
      tombs: tombs.flatMap((tomb) => {
        const fields = tomb !== null && 'record' in tomb ? Object.keys(JSON.parse(tomb.record.text) as object) : [];
        return fields.filter((field) => !['erased', 'id', 'status', 'at'].includes(field));
      }),
      words: [mark, ordinary, ann.id, bob.id].filter((word) => after.includes(word)),
    };
    return Object.entries(left).flatMap(([where, what]) =>
      what.length === 0 ? [] : [`${where} after erase(): ${jsonOf(what)}`],
    );
  }
}

type Kind = History[number]['kind'];
const sent = (how: (typeof sends)[number]): Step => ({ do: 'send', how });
/** An answer comes to a handler, and a tool runs after another. */
const answered = (kind: Kind): History[number] => ({
  ...{ kind, check: 'right', handler: 'right' },
  steps: [sent('plain'), { do: 'approve' }],
});

/** Histories that are played on every store, every time. */
const kept: readonly History[] = [
  [answered('text'), answered('tool')],
  [{ kind: 'text', check: 'throws', handler: 'right', steps: [sent('plain'), sent('again'), { do: 'retry' }] }],
  [{ kind: 'form', check: 'quotes', handler: 'throws', steps: [sent('plain'), sent('named'), sent('again')] }],
  [{ kind: 'wait', check: 'right', handler: 'wrong', steps: [sent('stranger'), sent('plain'), { do: 'retry' }] }],
  [
    { kind: 'role', check: 'wrong', handler: 'right', steps: [sent('command'), { do: 'cancel' }, sent('api')] },
    { kind: 'tool', check: 'right', handler: 'right', steps: [{ do: 'decline' }, sent('plain'), { do: 'model' }] },
  ],
];

/** Plays the kept histories. */
export async function playsKept(ground: () => Ground): Promise<void> {
  for (const history of kept) expect(await new Stage(ground()).play(history)).toEqual([]);
}

/** Plays random histories. */
export async function playsRandom(ground: () => Ground, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(historyArbitrary, async (history) => {
      expect(await new Stage(ground()).play(history)).toEqual([]);
    }),
    { numRuns: runs },
  );
}

await import('zod'); // tools load it when they are first called, which takes no time that stands still

export function inMemory(): Ground {
  const clock = new FakeClock();
  return { store: new MemoryStore({ clock }), clock, strikes: 2 };
}

export function inFile(): Ground {
  const path = freshPath(quickest);
  return { store: new SqliteStore({ path, logger: silent }), strikes: 1, raw: () => rowsOf(path) };
}

export function onRedis(client: Redis): Ground {
  const prefix = freshPrefix();
  return { store: storeOn(client, { prefix }), strikes: 1, raw: () => keysOf(client, prefix) };
}

/** Every key of a store with all that it holds. */
async function keysOf(client: Redis, prefix: string): Promise<string> {
  const held = async (key: string): Promise<unknown> => {
    const type = await client.type(key);
    if (type === 'hash') return client.hgetall(key);
    if (type === 'zset') return client.zrange(key, '0', '-1');
    if (type === 'set') return client.smembers(key);
    return type === 'list' ? client.lrange(key, 0, -1) : client.get(key);
  };
  const keys = await client.keys(`${prefix}:*`);
  return JSON.stringify(await Promise.all(keys.map(async (key) => [key, await held(key)])));
}

/** The rows of all tables. */
async function rowsOf(path: string): Promise<string> {
  const db = await beside(path);
  const tables = db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
  return JSON.stringify(tables.map(({ name }) => db.all(`SELECT * FROM "${name}"`)));
}
