/**
 * The world of the channel contract: a registry in memory with one agent, and between it and the channel a desk that writes down, waits
 * and fails on demand.
 */
import assert from 'node:assert/strict';
import { agent as newAgent } from '../../agent/agent.js';
import { choice } from '../../answers/choice.js';
import type { Channel, Desk, IncomingMessage } from '../../channels/port.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { systemClock } from '../../machine/clock.js';
import { AgentRegistry } from '../../registry/registry.js';
import { FakeClock } from '../clock.js';
import type { ChannelDriver, ChannelWorld } from './driver.js';

/** What the agent of the contract keeps to itself. */
export const privateContext = 'context-that-never-leaves';

export const options = [
  { id: 'opt-small', label: 'Small' },
  { id: 'opt-large', label: 'Large' },
] as const;

/** Their labels as they are shown, on controls too: a typed reply may name an option by its number. */
export const shownLabels = ['1. Small', '2. Large'] as const;

export type ChannelStory = readonly [name: string, story: (stage: Stage) => Promise<void>];

export class Stage {
  readonly driver: ChannelDriver;
  readonly clock: FakeClock;
  readonly registry: AgentRegistry;
  /** Messages that were recorded, in order; a repeat as well. */
  readonly recorded: IncomingMessage[] = [];
  /** What the agent was given. */
  readonly heard: string[] = [];
  /** What the channel was given to send. */
  readonly sent: OutgoingMessage[] = [];
  /** The platform's ids of what was sent, by key, as the channel gave them. */
  readonly sentIds = new Map<string, string | void>();
  /** The updates that succeeded, as the channel was given them. */
  readonly updated: (readonly [sentId: string, message: OutgoingMessage])[] = [];
  /** What was logged, and the errors of the channel. */
  readonly told: string[] = [];
  /** What the agent says to a message that is no order. */
  reply = 'Hello.';
  /** How many messages the channel has handed over; those that are not recorded yet as well. */
  handedOver = 0;
  /** While true, nothing can be recorded. */
  isStoreDown = false;

  readonly #patience: number;
  /** While set, recording waits for it. */
  #hold: Promise<void> | undefined;
  #release = (): void => {};

  constructor(driver: ChannelDriver, clock: FakeClock, patience: number) {
    this.driver = driver;
    this.#patience = patience;
    this.clock = clock;
    const log = (message: string, about?: object): void => {
      this.told.push(`${message} ${JSON.stringify(about ?? {})}`);
    };
    const logger = { debug: log, info: log, warn: log, error: log };
    this.registry = new AgentRegistry({ agents: [this.#agent()], channels: [this.#observed()], clock, logger });
  }

  static async opened(open: (world: ChannelWorld) => Promise<ChannelDriver>, patience: number): Promise<Stage> {
    const clock = new FakeClock();
    const stage = new Stage(await open({ clock }), clock, patience);
    await stage.registry.start();
    return stage;
  }

  async close(): Promise<void> {
    this.#release(); // a story that failed while recording waited: stop() may wait for what is being recorded
    await this.registry.stop();
    await this.driver.close?.();
  }

  /** Recording waits until the returned function is called. */
  holdsRecording(): () => void {
    this.#hold = new Promise((resolve) => {
      this.#release = resolve;
    });
    return this.#release;
  }

  /** Resolves when the check gives something. `advance` lets so many ms pass before each look. */
  async eventually<T>(what: string, check: () => T | Promise<T>, advance = 0): Promise<NonNullable<T>> {
    const until = systemClock.elapsed() + this.#patience;
    for (;;) {
      const found = await check();
      if (found !== undefined && found !== null && found !== false) return found;
      assert.ok(systemClock.elapsed() < until, `it never came about: ${what}`);
      await this.settle();
      if (advance > 0) await this.clock.advance(advance, () => this.settle());
    }
  }

  /** Lets everything run that is ready to, and a little input and output. */
  async settle(): Promise<void> {
    for (let i = 0; i < 3; i += 1) {
      await new Promise<void>((resolve) => {
        systemClock.after(1, resolve);
      });
    }
  }

  /** The person writes, and it is received and recorded. */
  async says(text: string, id = `message-${this.recorded.length + 1}`): Promise<void> {
    const before = this.recorded.length;
    const quoted = JSON.stringify(text.slice(0, 40));
    assert.equal(await this.driver.says({ id, text }), 'received', `${quoted} was refused`);
    await this.eventually(`${quoted}, which was acknowledged, is recorded`, () => this.recorded.length > before);
  }

  /** The person is asked. Resolves with the id of the ask, once its question is seen. */
  async asks(): Promise<string> {
    await this.says('ask');
    await this.eventually('the question is shown', async () => (await this.texts()).includes('Which size?'));
    const { asks } = await this.registry.listAsks();
    return asks[0]?.id ?? '';
  }

  /** The person answers by another way than the channel. */
  async answers(askId: string): Promise<void> {
    const { participantId } = this.driver;
    const by = participantId === undefined ? {} : { by: { id: participantId } };
    await this.registry.answer(askId, { value: options[0].id }, by);
  }

  async texts(): Promise<string> {
    return (await this.driver.seen()).map(({ text }) => text).join('\n');
  }

  async controls(): Promise<readonly string[]> {
    return (await this.driver.seen()).flatMap(({ controls }) => controls);
  }

  /** What the driver has under this name; a driver without it cannot prove the test. */
  can<K extends 'presses' | 'quotes' | 'poses' | 'fails' | 'garbage'>(name: K): NonNullable<ChannelDriver[K]> {
    const method = this.driver[name];
    assert.ok(method, `the driver has no ${name}(): give it one, or skip this test with a reason`);
    return method.bind(this.driver) as NonNullable<ChannelDriver[K]>; // the same function
  }

  #agent() {
    const asking = newAgent('contract');
    const size = asking.question('size', choice('Which size?', options), {
      details: { Order: 'order-4711' },
      mail: 'decide', // what a channel of mail is given must be able to answer
      onAnswer: (answer) => `Chosen: ${answer}.`,
    });
    return asking.onMessage(({ message, ask }) => {
      this.heard.push(message);
      return message === 'ask' ? ask(size, { context: { note: privateContext } }) : this.reply;
    });
  }

  /** The channel, with the desk and the sends observed. What the channel does not have, it does not have here either. */
  #observed(): Channel {
    const { channel } = this.driver;
    const observed: Channel = {
      name: channel.name,
      start: (desk) => channel.start(this.#desk(desk)),
      send: (message) => this.#send(channel, message),
    };
    return Object.assign(
      observed,
      channel.isTriggerChannel === undefined ? {} : { isTriggerChannel: channel.isTriggerChannel },
      channel.proof === undefined ? {} : { proof: channel.proof },
      channel.hasThreadPerQuestion === undefined ? {} : { hasThreadPerQuestion: channel.hasThreadPerQuestion },
      channel.hasQuotes === undefined ? {} : { hasQuotes: channel.hasQuotes },
      channel.update && { update: (sentId: string, message: OutgoingMessage) => this.#update(sentId, message) },
      channel.findSent && { findSent: channel.findSent.bind(channel) },
      channel.stop && { stop: channel.stop.bind(channel) },
      channel.conversationFor && { conversationFor: channel.conversationFor.bind(channel) },
      channel.addressFor && { addressFor: channel.addressFor.bind(channel) },
      channel.participantAt && { participantAt: channel.participantAt.bind(channel) },
    );
  }

  async #update(sentId: string, message: OutgoingMessage): Promise<void> {
    await this.driver.channel.update?.(sentId, message);
    this.updated.push([sentId, message]);
  }

  async #send(channel: Channel, message: OutgoingMessage): Promise<string | void> {
    this.sent.push(message);
    try {
      const sentId = await channel.send(message);
      this.sentIds.set(message.key, sentId);
      return sentId;
    } catch (error) {
      this.told.push(failureOf(error).message);
      throw error;
    }
  }

  #desk(desk: Desk): Desk {
    const recorded = async <T>(message: IncomingMessage, record: () => Promise<T> | undefined): Promise<T> => {
      this.handedOver += 1;
      await this.#hold;
      if (this.isStoreDown) throw new AgentError('store-unavailable', 'The store is down. Send it again later.');
      const result = (await record()) as T; // every registry has it
      this.recorded.push(message);
      return result;
    };
    return {
      ...desk,
      receive: (message) => recorded(message, () => desk.receive(message)),
      handle: (message, options) => recorded(message, () => desk.handle?.(message, options)),
    };
  }
}
