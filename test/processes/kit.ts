/**
 * What the tests with many processes share: the world outside, replicas to talk to, and settings that recover soon.
 */
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { HistoryItem } from '../../src/core/conversation/history.js';
import type { Settings } from '../../src/core/settings.js';
import type { IncomingMessage } from '../../src/index.js';
import { type Caller, callerOf, type NodeProcess, spawnNode } from '../support/processes.js';

/** Recovery within two seconds, so that tests need not wait for half a minute, and a busy machine loses no lease. */
export const soon = { lease: 1_200, renewal: 250, sweep: 150, loan: 1_500 } satisfies Partial<Settings>;
/** What lease + sweep allow for, plus what a busy machine may take: less than the lease that a setting out of effect leaves. */
export const recovery = soon.lease + soon.sweep * 1.2 + 20_000;
/** Only what needs no sweep happens in time. */
export const never = { sweep: 600_000 } satisfies Partial<Settings>;

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

let made = 0;
/** A name that no other test has. For a conversation it says how it goes, see agents.mjs. */
export const fresh = (name: string) => `${name}-${++made}`;

/** A call to the world outside. */
export interface Call {
  readonly what: 'pay' | 'note' | 'deliver';
  readonly by: string;
  readonly conversationId: string;
  readonly key?: string;
  readonly order?: string;
  readonly text?: string;
  readonly askId?: string;
  readonly attempt?: number;
  /** There was one with this key before, and it was told of that one. */
  readonly repeat: boolean;
  /** False where a ledger does not look at keys. */
  readonly honours?: boolean;
}

export class World {
  readonly #process: NodeProcess;
  readonly url: string;
  #asked = 0;

  private constructor(process: NodeProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async begin(): Promise<World> {
    const process = spawnNode(here('world.mjs'));
    const { url } = await process.next<{ url: string }>();
    return new World(process, url);
  }

  /** The next call of that kind in a conversation. */
  next(what: Call['what'], conversationId: string, fits: (call: Call) => boolean = () => true): Promise<Call> {
    const wanted = (call: Call) => call.what === what && call.conversationId === conversationId && fits(call);
    return this.#process.next<Call>(wanted);
  }

  hears(conversationId: string, text: string): Promise<Call> {
    return this.next('deliver', conversationId, (call) => call.text === text);
  }

  /** Keeps the answer to the next call of that kind back until release(). */
  keep(what: Call['what']): void {
    this.#process.send({ keep: what });
  }

  release(): void {
    this.#process.send({ release: true });
  }

  /** Settles when so many calls of that kind have come, from everywhere. */
  async reached(what: Call['what'], count: number): Promise<void> {
    const reached = ++this.#asked;
    this.#process.send({ reached, what, count });
    await this.#process.next((message) => message['reached'] === reached);
  }

  /** All that came so far, of one conversation or of all. */
  async calls(conversationId?: string): Promise<readonly Call[]> {
    const report = ++this.#asked;
    this.#process.send({ report });
    const { calls } = await this.#process.next<{ report?: number; calls: Call[] }>((each) => each.report === report);
    return conversationId === undefined ? calls : calls.filter((call) => call.conversationId === conversationId);
  }

  /** The ledger's view of a conversation: money moved, and how often it was asked to. */
  async ledger(conversationId: string): Promise<{ payments: number; calls: number; keys: readonly string[] }> {
    const calls = (await this.calls(conversationId)).filter((call) => call.what === 'pay');
    const keys = [...new Set(calls.map((call) => call.key ?? ''))];
    return { payments: calls.filter((call) => !call.repeat).length, calls: calls.length, keys };
  }

  /** What the human in a conversation got, in order. */
  async heard(conversationId: string): Promise<readonly string[]> {
    return (await this.calls(conversationId)).filter((call) => call.what === 'deliver').map((call) => call.text ?? '');
  }

  async end(): Promise<void> {
    this.#process.kill();
    await this.#process.exited;
  }
}

export interface ReplicaConfig {
  readonly world: World;
  /** Where Redis is; without it, memory. */
  readonly redis?: string;
  readonly prefix?: string;
  readonly client?: 'ioredis' | 'ioredis6';
  readonly settings?: Partial<Settings>;
  readonly agents?: boolean;
  readonly channel?: boolean;
}

export class Replica {
  readonly name: string;
  readonly process: NodeProcess;
  readonly call: Caller;

  private constructor(name: string, process: NodeProcess) {
    this.name = name;
    this.process = process;
    this.call = callerOf(process);
  }

  static async begin(config: ReplicaConfig): Promise<Replica> {
    return Replica.#spawn(config).#ready();
  }

  /** For one test: killed when it is over. */
  static async here(config: ReplicaConfig): Promise<Replica> {
    const replica = Replica.#spawn(config);
    onTestFinished(() => void replica.end());
    return replica.#ready();
  }

  static #spawn(config: ReplicaConfig): Replica {
    const name = fresh('replica');
    const args = [JSON.stringify({ ...config, world: config.world.url, name })];
    return new Replica(name, spawnNode(here('replica.mjs'), args));
  }

  async #ready(): Promise<Replica> {
    await this.process.next((message) => message['ready'] === true);
    return this;
  }

  /** Resolves once the message is recorded. */
  says(conversationId: string, text: string, more: Partial<IncomingMessage> = {}): Promise<'recorded' | 'repeat'> {
    return this.call('says', messageIn(conversationId, text, more));
  }

  /** The same from a process that may die of it. */
  saysWithout(conversationId: string, text: string): void {
    this.process.send({ n: -1, name: 'says', args: [messageIn(conversationId, text)] });
  }

  async history(conversationId: string): Promise<readonly HistoryItem[]> {
    return (await this.call<{ items: HistoryItem[] }>('history', conversationId)).items;
  }

  event(name: string): Promise<{ readonly event: string; readonly about: Record<string, unknown> }> {
    return this.process.next((message) => message.event === name);
  }

  async end(signal: NodeJS.Signals = 'SIGKILL') {
    this.process.kill(signal);
    return this.process.exited;
  }
}

let messages = 0;

/** A message by the one person who writes in a conversation. */
function messageIn(conversationId: string, text: string, more: Partial<IncomingMessage> = {}): IncomingMessage {
  messages += 1;
  const participant = { id: 'phone:user', name: 'User' };
  return { id: `message-${messages}`, conversationId, text, participant, ...more };
}
