/**
 * One process of a rehearsal: a registry on a store that can crash, with a channel that shows everything to the record.
 */
import type { Channel, Desk, IncomingMessage } from '../../channels/port.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { silentLogger } from '../../core/events.js';
import type { Clock } from '../../machine/clock.js';
import type { RegistryOptions } from '../../registry/options.js';
import { AgentRegistry } from '../../registry/registry.js';
import type { Store } from '../../stores/port.js';
import type { CrashableStore, CrashPoint } from '../crashable-store.js';
import { crashableStore } from '../crashable-store.js';
import type { Failures } from './failures.js';
import type { RehearsalRecord } from './record.js';

/** What the processes of one rehearsal share. */
export interface Shared {
  readonly clock: Clock;
  readonly store: Store;
  readonly record: RehearsalRecord;
  readonly failures: Failures;
}

/** The name of the channel that a rehearsal's people are reached by. */
export const rehearsalChannel = 'rehearsal';

class RehearsalChannel implements Channel {
  readonly name = rehearsalChannel;
  readonly can = { buttons: true };
  readonly #record: RehearsalRecord;
  desk: Desk | undefined;

  constructor(record: RehearsalRecord) {
    this.#record = record;
  }

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send(message: OutgoingMessage): Promise<void> {
    const { address } = message;
    const conversationId = typeof address === 'string' ? this.conversationFor(address) : message.conversationId; // sendTo() names a human
    this.#record.shown(conversationId, message);
  }

  conversationFor(to: unknown): string {
    return String(to);
  }
}

type Running = {
  readonly registry: AgentRegistry;
  readonly life: CrashableStore;
  readonly channel: RehearsalChannel;
};

export class RehearsalProcess {
  readonly #options: Omit<RegistryOptions, 'clock' | 'store'>;
  readonly #shared: Shared;
  #running: Running | undefined;

  constructor(options: Omit<RegistryOptions, 'clock' | 'store'>, shared: Shared) {
    this.#options = options;
    this.#shared = shared;
  }

  get isAlive(): boolean {
    return this.#running !== undefined;
  }

  get registry(): AgentRegistry {
    return this.#alive().registry;
  }

  /** Starts on the shared store. What an earlier run of this process still does takes no effect any more. */
  async start(): Promise<void> {
    this.#running?.life.crash();
    const { record, failures, clock, store } = this.#shared;
    const channel = new RehearsalChannel(record);
    const life = crashableStore(store);
    const registry = new AgentRegistry({
      logger: silentLogger, // what turns throw surfaces in the test
      ...this.#options,
      channels: [channel, ...(this.#options.channels ?? [])],
      store: life.store,
      clock,
    });
    failures.watch(registry);
    recordDecisions(registry, record);
    this.#running = { registry, life, channel };
    await registry.start();
  }

  /** Hands a message to this process. Resolves once it is recorded, or the process has crashed over it. */
  async receive(message: IncomingMessage): Promise<void> {
    const { channel, life } = this.#alive();
    await Promise.race([channel.desk?.receive(message), life.died]);
  }

  /** Resolves when nothing is in progress here; a turn that waits for a person is not. */
  async idle(): Promise<void> {
    await this.#whileAlive(({ registry }) => registry.idle());
  }

  async sweep(): Promise<void> {
    await this.#whileAlive(({ registry }) => registry.sweep());
  }

  async stop(): Promise<void> {
    await this.#running?.registry.stop();
  }

  /** Crashes now, or right after the next such step. */
  crash(after?: CrashPoint): void {
    const { life } = this.#alive();
    if (after !== undefined) {
      life.crashAfter(after);
      return;
    }
    life.crash();
    this.#running = undefined;
  }

  async #whileAlive(work: (running: Running) => Promise<unknown>): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const hasDied = await Promise.race([work(running).then(() => false), running.life.died.then(() => true)]);
    if (hasDied && this.#running === running) this.#running = undefined;
  }

  #alive(): Running {
    if (this.#running === undefined) throw new Error('The process has crashed. Call restart() first.');
    return this.#running;
  }
}

/** Events carry no answers: each decided ask is looked up. */
function recordDecisions(registry: AgentRegistry, record: RehearsalRecord): void {
  for (const status of ['answered', 'declined', 'exhausted', 'expired', 'cancelled'] as const)
    registry.on(status, ({ askId }) => {
      record.decided(askId, status, () => registry.getAsk(askId)).catch(() => {}); // stopped meanwhile
    });
  registry.on('asked', () => record.changed.notify());
}
