/** A replica as the test sees it: a process to talk to, and to end. */
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import type { Settings } from '../../../src/core/settings.js';
import type { IncomingMessage } from '../../../src/index.js';
import { type Caller, callerOf, type NodeProcess, spawnNode } from '../processes.js';
import type { Ledger } from './ledger.js';
import { fresh, type World } from './world.js';

const script = fileURLToPath(new URL('replica.mjs', import.meta.url));

export interface ReplicaConfig {
  readonly world: World;
  /** Where it pays; without it, at the ledger of the world. */
  readonly ledger?: Ledger;
  /** Where Redis is, or a file; without both, memory. */
  readonly redis?: string;
  readonly sqlite?: string;
  readonly prefix?: string;
  /** Without it, every other replica runs on ioredis 6. */
  readonly client?: 'ioredis' | 'ioredis6';
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
  /** Where it is struck once, see crash-points.mjs. */
  readonly arm?: { readonly point: string; readonly time?: number; readonly how: 'SIGKILL' | 'SIGTERM' | 'throw' };
}

export class Replica {
  readonly name: string;
  readonly process: NodeProcess;
  readonly call: Caller;
  /** People can talk to it. */
  readonly listens: boolean;

  /** Starts it without waiting for it; see ready(). */
  constructor({ world, ledger, ...config }: ReplicaConfig) {
    this.name = fresh('replica');
    this.process = spawnNode(script, [
      JSON.stringify({ ...config, world: world.url, ledger: ledger?.url, name: this.name }),
    ]);
    this.call = callerOf(this.process);
    this.listens = config.channel !== false && config.lazy !== true;
  }

  /** Resolves when it has started. */
  static async begin(config: ReplicaConfig): Promise<Replica> {
    return new Replica(config).ready();
  }

  /** For one test: killed when it is over. */
  static async here(config: ReplicaConfig): Promise<Replica> {
    const replica = new Replica(config);
    onTestFinished(() => void replica.end());
    return replica.ready();
  }

  async ready(): Promise<this> {
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

  history(conversationId: string): Promise<readonly HistoryItem[]> {
    return this.call('history', conversationId);
  }

  event(name: string, conversationId?: string): Promise<{ readonly about: Record<string, unknown> }> {
    type Told = { readonly event?: string; readonly about: Record<string, unknown> };
    return this.process.next<Told>(
      ({ event, about }) =>
        event === name && (conversationId === undefined || about['conversationId'] === conversationId),
    );
  }

  async end(signal: NodeJS.Signals = 'SIGKILL') {
    this.process.kill(signal);
    return this.process.exited;
  }
}

/** A message by the one person who writes in a conversation. */
function messageIn(conversationId: string, text: string, more: Partial<IncomingMessage> = {}): IncomingMessage {
  const participant = { id: 'phone:user', name: 'User' };
  return { id: fresh('message'), conversationId, text, participant, ...more };
}
