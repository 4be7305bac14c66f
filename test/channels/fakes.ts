/** A clock that stands until it is moved, and a desk that writes down what it receives. */
import type { Desk, IncomingMessage } from '../../src/channels/port.js';
import type { OutgoingMessage } from '../../src/core/conversation/outgoing.js';
import type { Clock } from '../../src/machine/clock.js';

export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ readonly at: number; readonly work: () => void }>();
  /** Every wait that was asked for, in ms. */
  readonly waits: number[] = [];

  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { at: this.#now + ms, work };
    this.waits.push(ms);
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Every timer fires in its own time, and what it sets going runs before the next one. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.work();
      await settled();
    }
    this.#now = end;
    await settled();
  }

  /** The process stood still, or slept: the time is over before any timer fires. */
  async jump(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }
}

export class RecordingDesk implements Desk {
  readonly received: IncomingMessage[] = [];
  /** Called before a message counts as received; may throw or wait. */
  before: (message: IncomingMessage) => void | Promise<void> = () => {};

  async receive(message: IncomingMessage): Promise<'recorded' | 'repeat'> {
    await this.before(message);
    const repeat = this.received.some(
      ({ id, conversationId }) => id === message.id && conversationId === message.conversationId,
    );
    this.received.push(message);
    return repeat ? 'repeat' : 'recorded';
  }

  get texts(): string[] {
    return this.received.map(({ text }) => text);
  }
}

/** Everything that needs no time has happened. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

export function saying(text: string): OutgoingMessage {
  return { key: `say:${text}`, conversationId: 'terminal', address: null, text, shape: { type: 'text' } };
}

export function asking(text: string, labels: readonly string[], details: Record<string, string> = {}): OutgoingMessage {
  const choices = labels.map((label, i) => ({ id: `o${i}`, label }));
  const ask: NonNullable<OutgoingMessage['ask']> = {
    id: 'a1',
    conversationId: 'terminal',
    question: text,
    kind: 'choice',
    choices,
    details,
    status: 'pending',
    retries: 0,
    maxRetries: 2,
    askedAt: new Date(0),
  };
  return {
    key: 'ask:a1:0',
    conversationId: 'terminal',
    address: null,
    text,
    hint: 'Reply with a number or a label.',
    shape: { type: 'choices', choices, many: false },
    ask,
  };
}
