/** A phone with one human behind it, and a registry on it, for the tests of tools. */
import { onTestFinished } from 'vitest';
import type { Settings } from '../../src/core/settings.js';
import type { Channel, Desk, OutgoingMessage, Store } from '../../src/index.js';
import { AgentRegistry, agent, MemoryStore } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { settle as settleRegistry } from '../support/engine.js';

export type Answers = (message: OutgoingMessage) => string | undefined;

/** A channel with one human behind it, who may answer by a script. */
export class Phone implements Channel {
  readonly name = 'phone';
  readonly sent: OutgoingMessage[] = [];
  readonly #answers: Answers;
  #desk: Desk | undefined;
  #messages = 0;
  /** Called at every send, for whoever waits until so many messages were sent. */
  #watchers: (() => void)[] = [];

  constructor(answers: Answers = () => undefined) {
    this.#answers = answers;
  }

  start(desk: Desk): void {
    this.#desk = desk;
  }

  async send(message: OutgoingMessage): Promise<void> {
    this.sent.push(message);
    for (const look of this.#watchers) look();
    const words = message.ask?.status === 'pending' ? this.#answers(message) : undefined;
    if (words !== undefined) await this.types(words, message.conversationId);
  }

  async types(words: string, conversationId = 'anna'): Promise<void> {
    this.#messages += 1;
    const id = `${process.hrtime.bigint()}-${this.#messages}`; // never the same again, whichever phone it is
    const participant = { id: `phone:${conversationId}`, name: 'Bob' };
    await this.#desk?.receive({ id, conversationId, text: words, address: conversationId, participant });
  }

  conversationFor(to: unknown): string {
    return String(to);
  }

  /** The message of this number, as soon as it was sent. */
  message(number: number): Promise<OutgoingMessage> {
    return new Promise((resolve) => {
      const look = () => {
        const message = this.sent[number - 1];
        if (message !== undefined) resolve(message);
      };
      this.#watchers.push(look);
      look();
    });
  }

  /** The questions among what was sent. */
  get questions(): readonly OutgoingMessage[] {
    return this.sent.filter(({ ask }) => ask?.status === 'pending');
  }

  get texts(): readonly string[] {
    return this.sent.map(({ text }) => text);
  }
}

/** Longer than elsewhere: a loop of a model takes many steps. */
export const settle = () => settleRegistry(30);

export const anna = { channel: 'phone', to: 'anna' } as const;
export const manager = { id: 'web:manager', name: 'Max' };

/** Somebody has to read replies that nobody waits for; it says nothing itself. */
export const idle = () => agent('idle').onMessage(() => undefined);

/** A registry in memory with a phone; stopped with its test. */
export function world(
  answers?: Answers,
  more: { store?: Store; time?: FakeClock; agents?: ReturnType<typeof idle>[]; settings?: Partial<Settings> } = {},
) {
  const time = more.time ?? new FakeClock();
  const store = more.store ?? new MemoryStore({ clock: time });
  const phone = new Phone(answers);
  const registry = new AgentRegistry({
    agents: more.agents ?? [idle()],
    channels: [phone],
    store,
    clock: time,
    settings: more.settings ?? {},
  });
  onTestFinished(() => registry.stop());
  const open = async () => (await registry.listAsks()).asks;
  return { registry, phone, time, store, open };
}
