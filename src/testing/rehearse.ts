/**
 * A rehearsal: agents, scripted humans, a fake clock and a memory store, with crashes on demand. Works with any test
 * runner and never waits in real time.
 */

import { plainText } from '../channels/plain.js';
import type { Channel, Desk } from '../channels/port.js';
import { choicesOf } from '../core/ask/answer-type.js';
import type { PendingAsk } from '../core/ask/ask.js';
import { anything, checkOptions, expecting, type OptionRules, optional, string } from '../core/check-options.js';
import type { OutgoingMessage } from '../core/conversation/outgoing.js';
import type { Logger } from '../core/events.js';
import { consoleLogger, silentLogger } from '../core/events.js';
import type { Participant } from '../core/participant.js';
import { yieldToEventLoop } from '../machine/clock.js';
import type { RegistryOptions } from '../registry/options.js';
import { registryRules } from '../registry/options.js';
import { AgentRegistry } from '../registry/registry.js';
import { MemoryStore } from '../stores/memory/store.js';
import { FakeClock } from './clock.js';
import type { CrashableStore, CrashPoint } from './crashable-store.js';
import { crashableStore } from './crashable-store.js';

export interface Human {
  readonly participant: Participant;
  /** Sends a message, waits until everything has settled, and returns what this human saw. */
  says(
    text: string,
    more?: { readonly id?: string; readonly askId?: string; readonly intent?: string },
  ): Promise<readonly string[]>;
  /** Presses one or several options of the last question that this human saw. */
  presses(...labels: readonly string[]): Promise<readonly string[]>;
  /** What this human saw since the last call. */
  sees(): readonly string[];
}

export interface Rehearsal {
  /** A person with their own conversation, or in the named one. */
  human(name: string, options?: { readonly conversationId?: string; readonly participant?: Participant }): Human;
  readonly clock: { now(): number; advance(ms: number): Promise<void> };
  /** Open asks, in the order in which they were asked. */
  asks(): Promise<readonly PendingAsk<unknown>[]>;
  /** The process crashes now, or right after the next such step, which took effect without its caller learning. */
  crash(after?: CrashPoint): void;
  /**
   * Starts a new process on the same store. It takes over interrupted work after the lease expires: advance the
   * clock.
   */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** The registry of the current process. */
  readonly registry: AgentRegistry;
}

const own = optional(expecting<never>('left out', () => false, 'A rehearsal has its own.'));
const rules = { ...registryRules, store: own, clock: own };
const humanRules = {
  conversationId: optional(string()),
  participant: optional(anything<Participant>()), // checked with the first message
} satisfies OptionRules<NonNullable<Parameters<Rehearsal['human']>[1]>>;
const messageRules = {
  id: optional(string()),
  askId: optional(string()),
  intent: optional(string()),
} satisfies OptionRules<NonNullable<Parameters<Human['says']>[1]>>;

class Stage implements Channel {
  readonly name = 'rehearsal';
  readonly can = { buttons: true };
  readonly seen = new Map<string, OutgoingMessage[]>();
  desk: Desk | undefined;

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send(message: OutgoingMessage): Promise<void> {
    const { address } = message;
    const conversationId = typeof address === 'string' ? this.conversationFor(address) : message.conversationId; // sendTo() names a human
    this.seen.set(conversationId, [...(this.seen.get(conversationId) ?? []), message]);
  }

  conversationFor(to: unknown): string {
    return String(to);
  }
}

/** What a rehearsal tells unless it is given a logger: the turns that failed, with the errors that handlers threw. */
const failuresOnly: Logger = {
  ...silentLogger,
  warn: (message, more) => isFailedTurn(more) && consoleLogger.warn(message, more),
  error: (message, more) => isFailedTurn(more) && consoleLogger.error(message, more),
};

function isFailedTurn(more: object = {}): boolean {
  return 'failure' in more && ('attempt' in more || 'attempts' in more);
}

/**
 * Runs agents against scripted humans. A handler that throws fails its turn, which is tried again as in production; the
 * error goes to the console, or to your `logger`.
 *
 * @example
 * const { human, clock } = await rehearse({ agents: [support] });
 * const user = human('user');
 * expect(await user.says('refund please')).toEqual(['What is your order number?']);
 */
export async function rehearse(options: Omit<RegistryOptions, 'clock' | 'store'>): Promise<Rehearsal> {
  checkOptions('rehearse()', options, rules, '{ agents: [support] }');
  const clock = new FakeClock();
  const memory = new MemoryStore({ clock });
  const stage = new Stage();
  let process: { readonly registry: AgentRegistry; readonly life: CrashableStore } | undefined;
  let messages = 0;

  const begin = async (): Promise<void> => {
    const life = crashableStore(memory);
    const registry = new AgentRegistry({
      logger: failuresOnly,
      ...options,
      channels: [stage, ...(options.channels ?? [])],
      store: life.store,
      clock,
    });
    process = { registry, life };
    await registry.start();
  };
  const alive = (): AgentRegistry => {
    if (process === undefined) throw new Error('The process has crashed. Call restart() first.');
    return process.registry;
  };
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 2; quiet += 1) {
      await yieldToEventLoop();
      if (process === undefined) return;
      const { registry, life } = process;
      const ended = await Promise.race([registry.idle().then(() => false), life.died.then(() => true)]);
      if (ended && process?.life === life) process = undefined;
    }
  };
  const human: Rehearsal['human'] = (name, options = {}) => {
    const more = checkOptions('human()', options, humanRules, "{ conversationId: 'team' }");
    const conversationId = more.conversationId ?? name;
    const participant = more.participant ?? { id: `rehearsal:${name}`, name };
    let looked = stage.seen.get(conversationId)?.length ?? 0;
    const fresh = (): readonly OutgoingMessage[] => {
      const all = stage.seen.get(conversationId) ?? [];
      const unseen = all.slice(looked);
      looked = all.length;
      return unseen;
    };
    const says: Human['says'] = async (text, options = {}) => {
      const { id, ...rest } = checkOptions('says()', options, messageRules, "{ intent: 'refund' }");
      alive();
      messages += 1;
      const received = stage.desk?.receive({
        id: id ?? `message-${messages}`,
        conversationId,
        text,
        participant,
        address: conversationId,
        ...rest,
      });
      await Promise.race([received, process?.life.died]);
      await settle();
      return fresh().map((message) => plainText(message));
    };
    return {
      participant,
      says,
      presses: async (...labels) => {
        const question = (stage.seen.get(conversationId) ?? []).findLast(
          (message) => message.ask !== undefined && choicesOf(message.shape).length > 0,
        );
        const drawn = question === undefined ? [] : choicesOf(question.shape);
        const ids = labels.map((label) => {
          const choice = drawn.find((each) => each.label === label);
          if (choice !== undefined) return choice.id;
          throw new Error(`No question with the option ${JSON.stringify(label)} was seen in ${conversationId}.`);
        });
        if (question?.ask === undefined || ids[0] === undefined)
          throw new Error(`No question with options was seen in ${conversationId}, or none was pressed.`);
        alive();
        messages += 1;
        const pressed = { askId: question.ask.id, choice: ids.length === 1 ? ids[0] : ids };
        const received = stage.desk?.receive({
          id: `message-${messages}`,
          conversationId,
          text: '',
          participant,
          address: conversationId,
          ...pressed,
        });
        await Promise.race([received, process?.life.died]);
        await settle();
        return fresh().map((message) => plainText(message));
      },
      sees: () => fresh().map((message) => plainText(message)),
    };
  };

  await begin();
  return {
    human,
    clock: {
      now: () => clock.now(),
      advance: async (ms) => {
        await clock.advance(ms, settle);
        await Promise.race([process?.registry.sweep(), process?.life.died]); // what is due now runs now, without waiting for the next sweep
        await settle();
      },
    },
    asks: async () => (await alive().listAsks()).asks,
    crash: (after) => {
      alive();
      if (after !== undefined) return process?.life.crashAfter(after);
      process?.life.crash();
      process = undefined;
    },
    restart: async () => {
      process?.life.crash();
      await begin();
      await settle();
    },
    stop: async () => {
      await process?.registry.stop();
    },
    get registry() {
      return alive();
    },
  };
}
