/**
 * The terminal: lines in, plain text out. Works typed and piped.
 * It reads no answers and never ends the process; what it prints cannot act on the terminal.
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
import { AgentError, failureOf } from '../core/errors.js';
import type { Participant } from '../core/participant.js';
import { inert, isBlank } from '../core/text.js';
import { type Clock, clockOption, keepAlive, randomId, sleep, systemClock } from '../machine/clock.js';
import { plainText } from './plain.js';
import type { Channel, Desk, IncomingMessage } from './port.js';

export interface TerminalOptions {
  /** Default `'terminal'`. */
  readonly name?: string;
  /** Default: stdin. */
  readonly input?: Readable;
  /** Default: stdout. */
  readonly output?: Writable;
  /** Default `'terminal'`. The same id after a restart continues the same conversation. */
  readonly conversationId?: string;
  /** Who sits there. Default `{ id: 'terminal:local' }`. */
  readonly participant?: Participant;
  /** Makes a line's id; must never give the same one twice, not even after a restart. */
  readonly newId?: () => string;
  /** Printed once at the start. */
  readonly greeting?: string;
  /** The input has ended and everything seems to be said: the moment to stop a registry whose store keeps the process alive. */
  readonly onEnd?: () => void;
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

const quietAfterReplies = 250; // every line has its reply: time for a second output and for the marks of what was sent
const quietWithoutReplies = 2_000; // a line may have no reply at all; nobody can tell a channel
const retryWhenFull = 250;

/**
 * A conversation in the terminal. A blank line is nothing: it is not sent on and answers nothing.
 *
 * Piped lines are handed over one after another. When the input ends, the channel keeps the process alive until every
 * line had something printed after it and 250 ms were quiet, or until nothing came or went for 2 s; then it lets go.
 * Open connections (a Redis store) and running work keep a process alive by themselves.
 *
 * @example
 * await new AgentRegistry({ agents: [support], channels: [new TerminalChannel()] }).start();
 */
export class TerminalChannel implements Channel {
  readonly name: string;
  readonly #options: CheckedOptions<typeof rules>;
  /** The reader whose lines count; none before start(), after stop() and after the end of input. */
  #reader: Interface | undefined;
  /** The same, while a person types at it. */
  #typed: Interface | undefined;
  /** Lines handed over after which nothing was printed yet. */
  #owed = 0;
  #letGo: (() => void) | undefined;
  #cancelQuiet: (() => void) | undefined;

  constructor(options: TerminalOptions = {}) {
    this.#options = checkOptions('TerminalChannel', options, rules, "{ conversationId: 'ann' }");
    this.name = this.#options.name;
  }

  async start(desk: Desk): Promise<void> {
    await this.stop();
    const input: Readable = this.#options.input ?? process.stdin;
    const output = this.#output;
    output.on('error', ignored); // send() rejects; without a listener the process would die of it too
    this.#owed = 0;
    this.#letGo = keepAlive();
    if (this.#options.greeting !== undefined) this.#print(inert(this.#options.greeting)).catch(ignored);

    const typed = isTty(input) && isTty(output) && process.env.TERM !== 'dumb';
    const reader = typed
      ? createInterface({ input, output, terminal: true, prompt: '> ' })
      : createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
    this.#reader = reader;
    reader.on('error', () => reader.close()); // an input that breaks has ended
    if (typed) {
      this.#typed = reader;
      // readline takes Ctrl-C from the process; here it means what it always means
      reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      reader.on('close', () => {
        if (this.#typed !== reader) return;
        this.#typed = undefined;
        output.write('\n'); // the shell's own prompt starts on a fresh line
      });
      reader.prompt();
    }
    void this.#read(reader, desk);
  }

  async send(message: OutgoingMessage): Promise<void> {
    try {
      await this.#print(plainText(message));
    } finally {
      if (this.#owed > 0) this.#owed -= 1;
      this.#awaitQuiet();
    }
  }

  /** There is one conversation here, whatever `to` says. */
  conversationFor(): string {
    return this.#options.conversationId;
  }

  /** Reads no more. What was typed or piped and not handed over yet is dropped. */
  async stop(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.close(); // leaves raw mode and pauses the input
    this.#cancelQuiet?.();
    this.#letGo?.();
    this.#letGo = undefined;
    this.#output.off('error', ignored);
  }

  async #read(reader: Interface, desk: Desk): Promise<void> {
    try {
      for await (const line of reader) {
        if (this.#reader !== reader) return;
        if (!isBlank(line)) await this.#handOver(line, reader, desk);
        this.#typed?.prompt(true);
      }
    } catch {
      // the input broke: the same as its end
    }
    if (this.#reader !== reader) return;
    this.#reader = undefined;
    this.#awaitQuiet();
  }

  async #handOver(text: string, reader: Interface, desk: Desk): Promise<void> {
    const message: IncomingMessage = {
      id: this.#options.newId(),
      conversationId: this.#options.conversationId,
      text,
      participant: this.#options.participant,
      address: null,
    };
    this.#owed += 1; // before the line is stored: its reply may be printed first
    while (this.#reader === reader) {
      try {
        await desk.receive(message);
        return;
      } catch (error) {
        if (error instanceof AgentError && error.code === 'queue-full') {
          await sleep(this.#options.clock, retryWhenFull); // a long pipe waits for its reader
          continue;
        }
        if (this.#owed > 0) this.#owed -= 1;
        await this.#print(`Not received: ${inert(failureOf(error).message)}`).catch(ignored);
        return;
      }
    }
  }

  /** Lets go of the process once the input has ended and nothing more seems to come. */
  #awaitQuiet(): void {
    if (this.#reader !== undefined || this.#letGo === undefined) return;
    this.#cancelQuiet?.();
    this.#cancelQuiet = this.#options.clock.after(this.#owed > 0 ? quietWithoutReplies : quietAfterReplies, () => {
      this.#letGo?.();
      this.#letGo = undefined;
      this.#options.onEnd?.();
    });
  }

  /** One write per text, so that texts never mix; a line half typed is drawn again below it. */
  #print(text: string): Promise<void> {
    const typed = this.#typed;
    const rows = typed?.getCursorPos().rows ?? 0;
    // to the first row of what is being typed, and clear from there
    const clear = typed === undefined ? '' : `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[0J`;
    const written = new Promise<void>((resolve, reject) => {
      this.#output.write(`${clear}${text}\n`, (error) => (error ? reject(error) : resolve()));
    });
    if (typed !== undefined) {
      Object.assign(typed, { prevRows: 0 }); // else readline goes up into the text to where it drew last
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
