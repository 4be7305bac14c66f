/** A replica of these tests as the test sees it: a process to talk to, and to end. */
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../src/core/settings.js';
import type { IncomingMessage } from '../../src/index.js';
import { fresh, type World } from '../processes/kit.js';
import { type NodeProcess, spawnNode } from '../support/processes.js';
import type { Ledger } from './ledger.js';

const script = fileURLToPath(new URL('replica.mjs', import.meta.url));

export interface ReplicaConfig {
  readonly world: World;
  /** Where it pays; without it, at the ledger of the world. */
  readonly ledger?: Ledger;
  readonly redis: string;
  readonly prefix: string;
  /** The file that gets the history; without it there is none. */
  readonly history?: string;
  readonly settings?: Partial<Settings>;
  readonly commandTimeout?: number;
  readonly agents?: boolean;
  readonly channel?: boolean;
  /** How far its clocks are off, in ms. */
  readonly skew?: number;
  /** It belongs to the next release: it writes records of a newer version, or fields that this one does not know. */
  readonly newer?: 'v' | 'fields';
  /** How long its continuations keep the event loop busy where they do, in ms. */
  readonly blocks?: number;
  /** It starts its registry when it is told to. */
  readonly lazy?: boolean;
}

/** What a call in a replica was refused with. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, stack: string) {
    super(stack);
    this.code = code;
  }
}

export class Replica {
  readonly name: string;
  readonly process: NodeProcess;
  /** People can talk to it. */
  readonly listens: boolean;
  #calls = 0;

  private constructor(name: string, process: NodeProcess, listens: boolean) {
    this.name = name;
    this.process = process;
    this.listens = listens;
  }

  /** Resolves when it has started. */
  static async begin({ world, ledger, ...config }: ReplicaConfig): Promise<Replica> {
    const name = fresh('replica');
    const process = spawnNode(script, [JSON.stringify({ ...config, world: world.url, ledger: ledger?.url, name })]);
    const replica = new Replica(name, process, config.channel !== false && config.lazy !== true);
    await replica.process.next((message) => message['ready'] === true);
    return replica;
  }

  async call<T = unknown>(name: string, ...args: readonly unknown[]): Promise<T> {
    const n = ++this.#calls;
    this.process.send({ n, name, args });
    const fits = (each: { n: number }) => each.n === n;
    const answer = await this.process.next<{ n: number; result: T; code: string; error?: string }>(fits);
    if (answer.error !== undefined) throw new Refused(answer.code, answer.error);
    return answer.result;
  }

  /** Resolves once the message is recorded. */
  says(message: IncomingMessage): Promise<'recorded' | 'repeat'> {
    return this.call('says', message);
  }

  event(name: string, conversationId?: string): Promise<{ readonly about: Record<string, unknown> }> {
    type Told = { event?: string; about: Record<string, unknown> };
    const fits = ({ event, about }: Told) =>
      event === name && (conversationId === undefined || about['conversationId'] === conversationId);
    return this.process.next<Told>(fits);
  }

  async end(signal: NodeJS.Signals = 'SIGKILL') {
    this.process.kill(signal);
    return this.process.exited;
  }
}
