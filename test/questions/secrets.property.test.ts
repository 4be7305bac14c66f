/**
 * Random histories around sensitive questions. Every answer carries a mark, and everything that was kept for good, sent,
 * logged, told, shown, or given to a model is searched for it.
 */
import '../support/seed.js';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Question, Store } from '../../src/index.js';
import { AgentRegistry, agent, form, MemoryStore, text } from '../../src/index.js';
import type { Handlers } from '../../src/registry/turn/question-handlers.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { minute, settle, storeWith, TestChannel } from '../support/engine.js';
import { redisForFile } from '../support/for-file.js';
import { freshPrefix, storeOn } from '../support/redis-store.js';
import { freshPath } from '../support/sqlite-store.js';
import { silent } from '../support/store.js';

const mark = 'secretx';
const ann = { id: 'phone:ann' };
const here = { conversationId: 'c1', address: 'c1', participant: ann };

const kinds = ['text', 'form', 'wait'] as const;
const moods = ['right', 'throws', 'quotes', 'wrong'] as const;
const sends = ['plain', 'again', 'command', 'named', 'api'] as const;
const acts = ['cancel', 'cancel all', 'decline', 'retry', 'pass'] as const;

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
}

type History = typeof historyArbitrary extends fc.Arbitrary<infer H> ? H : never;
type Step = History[number]['steps'][number];

let reached = 0;

class Stage {
  readonly #ground: Ground;
  readonly #phone = new TestChannel();
  readonly #registry: AgentRegistry;
  readonly #seen: Record<string, unknown[]> = { logged: [], told: [], kept: [], modelled: [] };
  readonly #ids = new Set<string>();
  #mood: Pick<History[number], 'check' | 'handler'> = { check: 'right', handler: 'right' };
  #messages = 0;
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
        return 'yes';
      },
      settings: { strikes },
      ...(clock === undefined ? {} : { clock }),
    });
    for (const event of ['failed', 'parked', 'handled', 'answered', 'cancelled', 'declined', 'exhausted'] as const)
      this.#registry.on(event, (about) => this.#seen['told']?.push(about));
    for (const event of ['refused', 'delivered', 'deliveryFailed', 'rejected', 'expired'] as const)
      this.#registry.on(event, (about) => this.#seen['told']?.push(about));
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
    return bank.onMessage(async ({ message, ask, askAndWait }) => {
      if (message === 'text') return ask(pin);
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
    if (JSON.stringify(answer).toLowerCase().includes(mark)) reached += 1;
    if (this.#mood.handler === 'throws') throw new TypeError(`Cannot use ${JSON.stringify(answer)}.`);
    if (this.#mood.handler === 'wrong') throw JSON.stringify(answer);
    return 'Thank you.';
  }

  async play(history: History): Promise<readonly string[]> {
    await this.#registry.start();
    for (const { kind, steps, ...mood } of history) {
      this.#mood = mood;
      this.#allowed = Number.POSITIVE_INFINITY;
      await this.#writes(kind);
      this.#hasWrittenSince = false;
      for (const step of steps) await this.#step(step);
      await this.#end();
    }
    const leaks = await this.#leaks();
    await this.#registry.stop();
    return leaks;
  }

  async #step(step: Step): Promise<void> {
    const registry = this.#registry;
    const id = [...this.#ids].at(-1) ?? '';
    if (step.do === 'mood') this.#mood = step;
    else if (step.do === 'send') await this.#send(step.how, id);
    else if (step.do === 'cancel') void registry.cancel(id).catch(() => {});
    else if (step.do === 'cancel all') void registry.cancel({ conversationId: 'c1' }).catch(() => {});
    else if (step.do === 'decline') void registry.decline(id, { by: ann }).catch(() => {});
    else if (step.do === 'retry') await this.#retry();
    else await this.#pass(15 * minute);
    await this.#settled();
  }

  async #send(how: (typeof sends)[number], askId: string): Promise<void> {
    if (this.#allowed <= 0) return;
    this.#allowed -= 1;
    if (!(await this.#isOpen())) this.#hasWrittenSince = true;
    if (how !== 'again' || this.#last === '') this.#last = `${mark}${(this.#messages + 1) * 7}y`;
    if (how === 'command') await this.#writes(`/${this.#last}`);
    else if (how === 'named') await this.#writes(this.#last, { askId });
    else if (how === 'api') void this.#registry.answer(askId, { text: this.#last }, { by: ann }).catch(() => {});
    else await this.#writes(this.#last);
  }

  async #writes(words: string, more: object = {}): Promise<void> {
    this.#messages += 1;
    await this.#phone.desk?.receive({ id: `m${this.#messages}`, text: words, ...here, ...more });
    await this.#settled();
  }

  async #retry(): Promise<void> {
    for (const { id } of await this.#registry.parked()) void this.#registry.retry(id).catch(() => {});
    await this.#settled();
  }

  /** Long after an ask has ended, only the next message may still be its answer, and only if none was handled. */
  async #pass(ms: number): Promise<void> {
    const { clock } = this.#ground;
    if (clock === undefined) return;
    await clock.advance(ms, settle);
    if (await this.#isOpen()) return;
    const isUnfinished = (await this.#registry.parked()).length > 0;
    const last = await this.#registry.getAsk([...this.#ids].at(-1) ?? '');
    const mayBeAnswer = !this.#hasWrittenSince && (isUnfinished || last?.status !== 'answered');
    this.#allowed = Math.min(this.#allowed, mayBeAnswer ? 1 : 0);
  }

  async #isOpen(): Promise<boolean> {
    return (await this.#registry.listAsks()).asks.some(({ status }) => status === 'pending');
  }

  /** Everything comes to its end: then nothing of the answers may be left in the store. */
  async #end(): Promise<void> {
    this.#mood = { check: 'right', handler: 'right' };
    await this.#pass(15 * minute);
    await this.#retry();
    void this.#registry.cancel({ conversationId: 'c1' }).catch(() => {});
    await this.#settled();
    await this.#retry();
    await this.#pass(15 * minute);
    await this.#writes('thanks');
    await this.#pass(2 * minute);
    expect(await this.#registry.parked()).toEqual([]);
  }

  async #settled(): Promise<void> {
    if (this.#ground.clock !== undefined) return settle();
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
      shown: [await registry.history('c1', { limit: 1_000 }), await registry.listAsks(), await registry.parked()],
      asks: await Promise.all(ids.map((id) => registry.getAsk(id))),
      stored: [await store.conversation('c1'), await store.history('c1', { limit: 1_000 })],
      found: await Promise.all(ids.map((id) => store.find(id))),
    };
    return Object.entries(all).flatMap(([where, what]) => {
      const words = JSON.stringify(what).toLowerCase();
      const at = words.indexOf(mark);
      return at === -1 ? [] : [`${where}: ${words.slice(Math.max(0, at - 200), at + 60)}`];
    });
  }
}

async function plays(ground: () => Ground, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(historyArbitrary, async (history) => {
      expect(await new Stage(ground()).play(history)).toEqual([]);
    }),
    { numRuns: runs },
  );
}

const { client } = await redisForFile();

afterAll(() => expect(reached).toBeGreaterThan(0)); // the handlers did get answers

test('whatever happens around a sensitive question, its answer reaches the handler and nobody else', async () => {
  await plays(() => {
    const clock = new FakeClock();
    return { store: new MemoryStore({ clock }), clock, strikes: 2 };
  }, 60);
});

test('the same on SQLite', async () => {
  await plays(() => ({ store: new SqliteStore({ path: freshPath(), logger: silent }), strikes: 1 }), 10);
});

test('the same on Redis', async () => {
  await plays(() => ({ store: storeOn(client, { prefix: freshPrefix() }), strikes: 1 }), 10);
});
