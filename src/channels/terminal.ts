/**
 * The terminal channel: lines in, plain text out, typed or piped. It parses no answers and never ends the process;
 * control characters in its output are removed.
 */
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import {
  type CheckedOptions,
  checkOptions,
  func,
  having,
  nonBlank,
  type OptionRules,
  optional,
  string,
} from '../core/check-options.js';
import type { OutgoingMessage } from '../core/conversation/outgoing.js';
import { AgentError, badOption, failureOf } from '../core/errors.js';
import type { Participant } from '../core/participant.js';
import { inert, isBlank } from '../core/text.js';
import { type Clock, clockOption, keepAlive, randomId, sleep, systemClock } from '../machine/clock.js';
import { assertSameDesk } from './one-registry.js';
import { plainText } from './plain.js';
import type { Channel, Desk, IncomingMessage } from './port.js';

/** The options of a `TerminalChannel`. */
export interface TerminalOptions {
  /**
   * The name of the channel.
   *
   * @default 'terminal'
   */
  readonly name?: string;
  /**
   * Where lines are read from.
   *
   * @default process.stdin
   */
  readonly input?: Readable;
  /**
   * Where text is written to.
   *
   * @default process.stdout
   */
  readonly output?: Writable;
  /**
   * The conversation. The same id after a restart continues it.
   *
   * @default 'terminal'
   */
  readonly conversationId?: string;
  /**
   * The person at the terminal.
   *
   * @default { id: 'terminal:local' }
   */
  readonly participant?: Participant;
  /** Makes the id of a line. It must be unique, even after a restart. */
  readonly newId?: () => string;
  /** Printed once at the start. */
  readonly greeting?: string;
  /**
   * Called when the input has ended and the output seems complete: the moment to stop a registry whose store keeps
   * the process alive.
   */
  readonly onEnd?: () => void;
  /** Timers, for tests. */
  readonly clock?: Clock;
}

const rules = {
  name: optional(nonBlank(), 'terminal'),
  input: optional(having<Readable>('a readable stream', 'on')),
  output: optional(having<Writable>('a writable stream', 'write')),
  conversationId: optional(nonBlank(), 'terminal'),
  participant: optional(namedParticipant, { id: 'terminal:local' }),
  newId: optional(func<() => string>(), randomId),
  greeting: optional(string()),
  onEnd: optional(func<() => void>()),
  clock: optional(clockOption, systemClock),
} satisfies OptionRules<TerminalOptions>;

const quietAfterReplies = 250; // every line has its reply: leaves time for further output and for marking it as sent
const quietWithoutReplies = 2_000; // a line may have no reply at all, which a channel cannot know
const retryWhenFull = 250;

/** The channel that was the last to read each input. */
const readers = new WeakMap<Readable, TerminalChannel>();

/**
 * A conversation in the terminal. A blank line is ignored. Questions that are still open when it starts are printed again.
 *
 * Piped lines are received one after another. When the input ends, the channel keeps the process alive until every
 * line had something printed after it and 250 ms were quiet, or until nothing came or went for 2 s. Open connections
 * (a Redis store) and running work keep a process alive by themselves.
 *
 * @example
 * import { agent, AgentRegistry, TerminalChannel } from 'askback';
 *
 * const support = agent('support').onMessage(() => 'Hello.');
 * await new AgentRegistry({ agents: [support], channels: [new TerminalChannel({ greeting: 'Write something.' })] }).start();
 */
export class TerminalChannel implements Channel {
  /** The name of the channel. */
  readonly name: string;
  /** The id of the person at the terminal. */
  readonly idForm: string;
  /** The same, where its realm is the terminal's: people elsewhere may have ids of any other. */
  readonly people: readonly string[] | undefined;
  readonly #options: CheckedOptions<typeof rules>;
  /** Of the registry that has started it; two would take lines from each other. */
  #desk: Desk | undefined;
  /** The active reader; undefined before start(), after stop() and after the end of input. */
  #reader: Interface | undefined;
  /** The same reader, if a person types at it. */
  #typed: Interface | undefined;
  /** Received lines, and questions shown at the start, after which nothing was printed yet. */
  #unanswered = 0;
  #releaseProcess: (() => void) | undefined;
  #cancelQuiet: (() => void) | undefined;

  constructor(options: TerminalOptions = {}) {
    this.#options = checkOptions('TerminalChannel', options, rules, "{ conversationId: 'ann' }");
    this.name = this.#options.name;
    this.idForm = this.#options.participant.id;
    this.people = this.idForm.startsWith('terminal:') ? [this.idForm] : undefined;
  }

  /** Begins to read lines. The registry calls it. */
  async start(desk: Desk): Promise<void> {
    assertSameDesk(this.#desk, desk, 'TerminalChannel', this.name);
    await this.stop();
    const input: Readable = this.#options.input ?? process.stdin;
    const output = this.#output;
    output.on('error', ignored); // send() rejects; without a listener the process would crash as well
    this.#unanswered = 0;
    if (this.#options.greeting !== undefined) this.#print(inert(this.#options.greeting)).catch(ignored);
    // before the reader is made: nothing may be awaited between that and reading, or lines are lost
    this.#unanswered = (await desk.showOpen?.(this.#options.conversationId)) ?? 0; // each is printed, as a reply is
    this.#assertFreeInput(input);
    this.#releaseProcess = keepAlive();

    const typed = isTty(input) && isTty(output) && process.env.TERM !== 'dumb';
    const reader = typed
      ? createInterface({ input, output, terminal: true, prompt: '> ' })
      : createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
    this.#desk = desk;
    this.#reader = reader;
    readers.set(input, this);
    reader.on('error', () => reader.close()); // an input error ends the input
    if (typed) {
      this.#typed = reader;
      // readline intercepts Ctrl-C; pass it on to the process
      reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      reader.on('close', () => {
        if (this.#typed !== reader) return;
        this.#typed = undefined;
        output.write('\n'); // so that the shell's prompt starts on a new line
      });
      reader.prompt();
    }
    void this.#read(reader, desk);
  }

  async send(message: OutgoingMessage): Promise<void> {
    try {
      await this.#print(plainText(message));
    } finally {
      if (this.#unanswered > 0) this.#unanswered -= 1;
      this.#awaitQuiet();
    }
  }

  /** The channel has one conversation, whatever `to` says. */
  conversationFor(): string {
    return this.#options.conversationId;
  }

  /** Stops reading. Lines that were not received yet are dropped. */
  async stop(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#desk = undefined;
    reader?.close(); // leaves raw mode and pauses the input
    this.#cancelQuiet?.();
    this.#releaseProcess?.();
    this.#releaseProcess = undefined;
    this.#output.off('error', ignored);
  }

  /** Two readers of one input would each be given every line. */
  #assertFreeInput(input: Readable): void {
    const other = readers.get(input);
    if (other === undefined || other.#reader === undefined) return;
    throw badOption(
      `The TerminalChannel ${JSON.stringify(this.name)} has the same input as the started TerminalChannel ${JSON.stringify(other.name)}, so each line would arrive twice. Give each an input and a name of its own, or stop the other one first.`,
    );
  }

  async #read(reader: Interface, desk: Desk): Promise<void> {
    try {
      for await (const line of reader) {
        if (this.#reader !== reader) return;
        if (!isBlank(line)) await this.#receiveLine(line, reader, desk);
        this.#typed?.prompt(true);
      }
    } catch {
      // an input error is treated as the end of input
    }
    if (this.#reader !== reader) return;
    this.#reader = undefined;
    this.#awaitQuiet();
  }

  async #receiveLine(text: string, reader: Interface, desk: Desk): Promise<void> {
    const message: IncomingMessage = {
      id: this.#options.newId(),
      conversationId: this.#options.conversationId,
      text,
      participant: this.#options.participant,
      address: null,
      ...(this.#typed === undefined ? { prepared: true } : {}), // a pipe was filled before anything was asked
    };
    this.#unanswered += 1; // before the line is stored: its reply may be printed first
    while (this.#reader === reader) {
      try {
        await desk.receive(message);
        return;
      } catch (error) {
        if (error instanceof AgentError && error.code === 'queue-full') {
          await sleep(this.#options.clock, retryWhenFull); // back-pressure: a long pipe waits
          continue;
        }
        if (this.#unanswered > 0) this.#unanswered -= 1;
        await this.#print(`Not received: ${inert(failureOf(error).message)}`).catch(ignored);
        return;
      }
    }
  }

  /** Stops keeping the process alive once the input has ended and the output is quiet. */
  #awaitQuiet(): void {
    if (this.#reader !== undefined || this.#releaseProcess === undefined) return;
    this.#cancelQuiet?.();
    this.#cancelQuiet = this.#options.clock.after(
      this.#unanswered > 0 ? quietWithoutReplies : quietAfterReplies,
      () => {
        this.#releaseProcess?.();
        this.#releaseProcess = undefined;
        this.#options.onEnd?.();
      },
    );
  }

  /** Prints with one write, so that messages never mix. A half-typed line is drawn again below. */
  #print(text: string): Promise<void> {
    const typed = this.#typed;
    const rows = typed?.getCursorPos().rows ?? 0;
    // moves to the first row of the line being typed, and clears from there
    const clear = typed === undefined ? '' : `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[0J`;
    const written = new Promise<void>((resolve, reject) => {
      this.#output.write(`${clear}${text}\n`, (error) => (error ? reject(error) : resolve()));
    });
    if (typed !== undefined) {
      Object.assign(typed, { prevRows: 0 }); // else readline moves up to where it drew last, into the printed text
      typed.prompt(true);
    }
    return written;
  }

  get #output(): Writable {
    return this.#options.output ?? process.stdout;
  }
}

function ignored(): void {}

function isTty(stream: Readable | Writable): boolean {
  return (stream as { isTTY?: boolean }).isTTY === true;
}

function namedParticipant(value: unknown, name: string): Participant {
  nonBlank()((value as Partial<Participant> | null)?.id, `${name}.id`);
  return value as Participant; // the registry looks at the rest
}
