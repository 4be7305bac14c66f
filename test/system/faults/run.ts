/**
 * One run: replicas on one Redis, people who talk to them whatever happens, and the evidence for the checker.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import type { IncomingMessage } from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { patience, Refused } from '../../support/processes.js';
import { checkKeys } from '../../support/redis-store.js';
import { Replica, type ReplicaConfig } from '../../support/replica/replica.js';
import { fresh, soon, type World } from '../../support/replica/world.js';
import { randomOf, seed } from '../../support/seed.js';
import { silent } from '../../support/store.js';
import { complaints } from './checker.js';
import type { Event, Evidence, Expected, FinalAsk, FinalConversation } from './evidence.js';

/** What a sender is told when it should come back later. */
const notNow = new Set(['store-unavailable', 'store-full', 'queue-full']);

export interface Patience {
  /** How long somebody goes on sending a message that is not taken, in ms. */
  readonly patience?: number;
}

export class Run {
  readonly world: World;
  readonly prefix: string;
  readonly path: string;
  readonly replicas: Replica[] = [];
  /** Where Redis is, without anything in between. */
  readonly direct: string;
  readonly #config: Partial<ReplicaConfig>;
  /** How often somebody was told "not now". */
  refusals = 0;
  #turn = 0;
  readonly #random = randomOf('pauses');
  readonly #closers: (() => unknown)[] = [];

  private constructor(world: World, direct: string, path: string, config: Partial<ReplicaConfig>) {
    this.world = world;
    this.direct = direct;
    this.path = path;
    this.prefix = config.prefix ?? fresh('run');
    this.#config = config;
  }

  /** Replicas reach Redis at `direct` unless the config says otherwise. */
  static async begin(world: World, direct: string, config: Partial<ReplicaConfig> = {}): Promise<Run> {
    const folder = await mkdtemp(join(tmpdir(), 'askback-faults-'));
    return new Run(world, direct, join(folder, 'history.jsonl'), config);
  }

  /** For one test: everything of it ends with the test. */
  static async here(world: World, direct: string, config: Partial<ReplicaConfig> = {}): Promise<Run> {
    const run = await Run.begin(world, direct, config);
    onTestFinished(({ task }) => run.end(task.result?.state === 'fail' ? task.name : undefined));
    return run;
  }

  /** Ends its processes. The history of what failed is kept. */
  async end(failed?: string): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.end()));
    await Promise.all(this.#closers.map((close) => close()));
    if (failed !== undefined)
      console.error(`The history of "${failed}" with ASKBACK_SEED=${seed} is kept: ${this.path}`);
    else await rm(dirname(this.path), { recursive: true, force: true });
  }

  async replica(more: Partial<ReplicaConfig> = {}): Promise<Replica> {
    const { world, prefix, direct: redis, path: history } = this;
    const settings = { ...soon, ...this.#config.settings, ...more.settings };
    const config = { redis, ...this.#config, ...more, world, prefix, settings, history: more.history ?? history };
    const replica = await Replica.begin(config);
    this.replicas.push(replica);
    return replica;
  }

  async alive(count: number): Promise<readonly Replica[]> {
    return Promise.all(Array.from({ length: count }, () => this.replica()));
  }

  /** Takes a replica out of those that people talk to. */
  dismiss(replica: Replica): void {
    this.replicas.splice(this.replicas.indexOf(replica), 1);
  }

  /** Somebody says something and sends it again, elsewhere too, until it is acknowledged. */
  async says(conversationId: string, text: string, more: Partial<IncomingMessage> & Patience = {}): Promise<string> {
    const { patience: limit = patience, ...rest } = more;
    const message = { id: fresh('message'), conversationId, text, participant: { id: 'phone:user' }, ...rest };
    const until = performance.now() + limit;
    for (;;) {
      this.#note('sending', message);
      const replica = this.#next();
      try {
        const as = await replica.call('says', message);
        this.#note('acknowledged', message, { as });
        return message.id;
      } catch (error) {
        const gone = !(error instanceof Refused);
        if (gone ? !/ended \(/.test(String(error)) : !notNow.has(error.code)) throw error;
        this.refusals += 1;
        this.#note('refused', message, { code: gone ? 'gone' : error.code });
        if (performance.now() > until) throw error;
        await sleep(20 + this.#random() * 60); // people do not hammer
      }
    }
  }

  /**
   * Somebody says several things at once: one process is handed them in one tick. What it refuses is sent again; false then,
   * because a later one may have come first.
   */
  async saysAtOnce(conversationId: string, texts: readonly string[]): Promise<boolean> {
    const messages = texts.map((text) => ({
      ...{ id: fresh('message'), conversationId, text, participant: { id: 'phone:user' } },
    }));
    for (const message of messages) this.#note('sending', message);
    const told = await this.#next()
      .call<readonly (string | { readonly code: string })[]>('saysAtOnce', messages)
      .catch(() => []); // the process is gone, or just starting
    const recorded = messages.filter((_, i) => typeof told[i] === 'string');
    for (const message of recorded) this.#note('acknowledged', message);
    const ids = recorded.map(({ id }) => id);
    if (ids.length > 1) this.#write({ what: 'together', by: 'people', conversationId, ids });
    for (const { id, text } of messages) if (!ids.includes(id)) await this.says(conversationId, text, { id });
    return ids.length === messages.length;
  }

  #next(): Replica {
    this.#turn += 1;
    const listening = this.replicas.filter((each) => each.listens);
    const replica = listening[this.#turn % listening.length];
    if (replica === undefined) throw new Error('There is no replica to talk to.');
    return replica;
  }

  #note(what: string, { conversationId, id }: IncomingMessage, more: object = {}): void {
    this.#write({ what, by: 'people', conversationId, id, ...more });
  }

  #write(line: object): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }

  /** All that was written so far. */
  events(): readonly Event[] {
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Event);
  }

  /** A client of the test's own, for looking and for mischief. */
  client(): Redis {
    const client = new Redis(this.direct, { retryStrategy: (times) => Math.min(50 * times, 500) });
    client.on('error', () => {});
    this.#closers.push(() => client.disconnect());
    return client;
  }

  /** Waits until nobody has anything to do any more, then looks at everything, or at these conversations only. */
  async evidence(only?: readonly string[]): Promise<Evidence> {
    const client = this.client();
    const store = new RedisStore({ client, prefix: this.prefix, logger: silent, commandTimeout: patience });
    await store.open();
    this.#closers.unshift(() => store.close());
    const until = performance.now() + patience;
    for (;;) {
      await Promise.all(this.replicas.map((replica) => replica.call('idle')));
      const ids = only ?? this.#conversations();
      const states = await Promise.all(ids.map((id) => store.conversation(id)));
      const unsent = await this.#unsent(client);
      const busy = states.some((state) => state !== null && (state.held || state.begun || state.queue.length > 0));
      if ((!busy && unsent === 0) || performance.now() > until) {
        await checkKeys(client, this.prefix);
        const paid = this.#config.ledger?.calls() ?? [];
        const calls = [...(await this.world.calls()), ...paid].filter((call) => ids.includes(call.conversationId));
        const parked = await this.#look<FinalConversation['parked'][number][]>('parked');
        const looks = ids.map(async (id, i): Promise<FinalConversation> => {
          const asked = new Set(
            calls.flatMap((call) => (call.conversationId === id && call.askId ? [call.askId] : [])),
          );
          const { held = false, begun = false, queue = [] } = states[i] ?? {};
          const seen = await this.#seen(id, asked);
          const here = parked.filter((each) => (each as unknown as { conversationId: string }).conversationId === id);
          return { id, ...seen, parked: here, held, begun, queue: queue.length };
        });
        const conversations = await Promise.all(looks);
        const events = this.events().filter((event) => isAbout(event, ids));
        return { events, calls, conversations, unsent };
      }
      await sleep(20);
    }
  }

  /** The last word on a run: nothing of what must hold was broken. */
  async check(expected: Expected, only?: readonly string[]): Promise<Evidence> {
    const evidence = await this.evidence(only);
    expect(complaints(evidence, expected)).toEqual([]);
    return evidence;
  }

  #conversations(): string[] {
    return [
      ...new Set(this.events().flatMap((event) => ('conversationId' in event ? (event.conversationId ?? []) : []))),
    ];
  }

  async #seen(id: string, asked: Set<string>): Promise<Pick<FinalConversation, 'items' | 'asks'>> {
    const items = await this.#look<HistoryItem[]>('history', id);
    for (const item of items) if (item.type === 'decision') asked.add(item.askId);
    const open = await this.#look<{ asks: FinalAsk[] }>('listAsks', { conversationId: id });
    for (const ask of open.asks) asked.add(ask.id);
    const asks = await Promise.all([...asked].map((ask) => this.#look<FinalAsk | null>('getAsk', ask)));
    return { items, asks: asks.filter((ask) => ask !== null) };
  }

  /** Asks any replica, again if its connection is just coming back. */
  async #look<T>(call: string, ...args: readonly unknown[]): Promise<T> {
    for (const until = performance.now() + patience; ; await sleep(50)) {
      try {
        return await this.#next().call<T>(call, ...args);
      } catch (error) {
        if (!(error instanceof Refused && notNow.has(error.code)) || performance.now() > until) throw error;
      }
    }
  }

  async #unsent(client: Redis): Promise<number> {
    const keys = await client.keys(`${this.prefix}:{*}:unsent:*`);
    const counts = await Promise.all(keys.map((key) => client.zcard(key)));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}

function isAbout(event: Event, ids: readonly string[]): boolean {
  return !('conversationId' in event) || event.conversationId === undefined || ids.includes(event.conversationId);
}
