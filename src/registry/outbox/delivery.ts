/**
 * Sends what the outbox holds, in order within a conversation, and marks it. Marks touch nothing that a holder owns, so
 * they are gathered and may be late. Decides nothing about asks: giving up is an entry in the conversation's queue.
 */
import type { Channel } from '../../channels/port.js';
import type { Entry } from '../../core/conversation/entry.js';
import type { Outgoing, OutgoingQuestion } from '../../core/conversation/outgoing.js';
import { channelOf, forwardChannel, messageFor } from '../../core/conversation/outgoing.js';
import type { Mutable } from '../../core/defined-fields.js';
import { AgentError, failureOf } from '../../core/errors.js';
import type { RegistryEvents } from '../../core/events.js';
import { readOutgoing, writeOutgoing } from '../../core/format/document.js';
import { sleep } from '../../machine/clock.js';
import { Deadlines } from '../../machine/deadlines.js';
import type { Mark } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { handleChannel, retried } from '../context.js';
import { Notifier } from '../notifier.js';
import { outsideTurn } from '../turn/current-turn.js';

/** Puts an entry into a conversation's queue; the desk does it. */
export type RecordEntry = (conversationId: string, entryId: string, entry: Entry) => Promise<unknown>;

interface LentOutput {
  readonly outgoing: Outgoing;
  /** When our loan of it is over. */
  readonly until: number;
}

type Sent = (as?: Mark['sentAs']) => void;

const notNow = (): void => {};

export class Delivery {
  readonly #context: RegistryContext;
  readonly #record: RecordEntry;
  readonly #channels: readonly string[];
  /** What each conversation has to send after what is under way, in order. */
  readonly #lines = new Map<string, LentOutput[]>();
  /** Rings when no line is left. */
  readonly #allSent = new Notifier();
  readonly #limits: Deadlines;
  #marks: Mark[] = [];
  /** By conversation: what a save has taken out of the outbox since marks were written last. */
  #withdrawn = new Map<string, readonly string[]>();
  #flushing: Promise<void> | undefined;
  #stopped = false;
  #hurried = 0;
  #hurry: () => void = notNow;

  constructor(context: RegistryContext, record: RecordEntry) {
    this.#context = context;
    this.#record = record;
    this.#limits = new Deadlines(context.clock, context.settings.sendLimit);
    // everything this process can push: its channels, and entries for other conversations
    this.#channels = [...[...context.channels.keys()].filter((name) => name !== handleChannel), forwardChannel];
  }

  sends(outgoing: Outgoing): boolean {
    return this.#channels.includes(channelOf(outgoing));
  }

  /** Sends what a save has lent us. A loan that is over when its turn comes is dropped: others send it. */
  send(conversationId: string, outgoing: readonly Outgoing[]): void {
    const mine = outgoing.filter((each) => this.sends(each));
    if (mine.length > 0)
      this.#enqueue(conversationId, mine, this.#context.clock.elapsed() + this.#context.settings.loan);
  }

  /** Borrows what others left, everywhere or in one conversation, and sends it. Returns how many were borrowed. */
  async collect(conversationId?: string): Promise<number> {
    const { store, settings, clock } = this.#context;
    if (this.#stopped) return 0;
    const until = clock.elapsed() + settings.loan;
    const where = conversationId === undefined ? {} : { conversationId };
    const lent = await store.unsent({ channels: this.#channels, limit: 100, loan: settings.loan, ...where });
    for (const each of lent) {
      const outgoing = readOutgoing(each.key, each.data);
      if (outgoing !== undefined) this.#enqueue(each.conversationId, [outgoing], until);
      else
        this.#context.logger.error('An output cannot be read and was left as it is', {
          conversationId: each.conversationId,
          key: each.key,
        });
    }
    return lent.length;
  }

  /** Settles when everything begun here is sent and marked, without gathering any longer. */
  async idle(): Promise<void> {
    this.#hurried += 1;
    try {
      while (this.#lines.size > 0 || this.#flushing !== undefined) {
        this.#hurry();
        await (this.#lines.size === 0 ? this.#flushing : this.#allSent.next());
      }
    } finally {
      this.#hurried -= 1;
    }
  }

  /** Lets sends under way finish for at most `grace` ms; what is left is sent by others when its loan is over. */
  async stop(grace: number): Promise<void> {
    this.#stopped = true;
    await Promise.race([this.idle(), sleep(this.#context.clock, grace)]);
  }

  /** A save has taken these out of the outbox: a mark that still waits would change nothing. */
  withdrawn(conversationId: string, keys: readonly string[]): void {
    if (this.#marks.length > 0) this.#withdrawn.set(conversationId, keys);
  }

  gone(
    conversationId: string,
    outgoing: { readonly key: string; readonly channel: string },
    sentAs?: Mark['sentAs'],
  ): void {
    const mark: Mutable<Mark> = { conversationId, key: outgoing.key, channel: outgoing.channel };
    if (sentAs !== undefined) mark.sentAs = sentAs;
    this.#mark(mark);
  }

  #enqueue(conversationId: string, outgoing: readonly Outgoing[], until: number): void {
    const waiting = outgoing.map((each): LentOutput => ({ outgoing: each, until }));
    const line = this.#lines.get(conversationId);
    if (line !== undefined) {
      line.push(...waiting);
      return;
    }
    this.#lines.set(conversationId, waiting);
    outsideTurn(() => this.#sendNext(conversationId, waiting)); // a turn that waits for an answer sends before its end
  }

  #sendNext(conversationId: string, line: LentOutput[]): void {
    let next = line.shift();
    while (next !== undefined && this.#context.clock.elapsed() >= next.until) next = line.shift();
    if (next !== undefined) {
      this.#send(conversationId, next.outgoing, () => this.#sendNext(conversationId, line));
      return;
    }
    this.#lines.delete(conversationId); // in the same breath as the last look: what comes now begins a new line
    if (this.#lines.size === 0) this.#allSent.notify();
  }

  /** Sends one output and marks it; `then` follows whatever became of it. */
  #send(conversationId: string, outgoing: Outgoing, then: () => void): void {
    const start = this.#context.clock.elapsed();
    const about = { conversationId, key: outgoing.key, channel: channelOf(outgoing) };
    const failed = (error: unknown): void => {
      this.#failed(conversationId, outgoing, error).then(then, then);
    };
    const sent = (sentAs?: Mark['sentAs']): void => {
      try {
        this.gone(conversationId, about, sentAs);
        if (this.#context.hears('delivered')) this.#tell(about, outgoing, start);
      } catch (error) {
        failed(error);
        return;
      }
      then();
    };
    try {
      this.#begin(conversationId, outgoing, sent, failed);
    } catch (error) {
      failed(error);
    }
  }

  #tell(about: Omit<RegistryEvents['delivered'], 'took'>, outgoing: Outgoing, start: number): void {
    const took = this.#context.clock.elapsed() - start;
    const askId = askIdOf(outgoing);
    this.#context.emit('delivered', askId === undefined ? { ...about, took } : { ...about, askId, took });
  }

  #begin(conversationId: string, outgoing: Outgoing, sent: Sent, failed: (error: unknown) => void): void {
    if (outgoing.type === 'forward') {
      this.#record(outgoing.conversationId, outgoing.entryId, outgoing.entry).then(() => sent(), failed);
      return;
    }
    const name = outgoing.place.channel;
    const channel = this.#context.channels.get(name);
    if (channel === undefined) throw new AgentError('unknown-channel', `No channel ${name} here.`);
    if (outgoing.type === 'redraw') {
      this.#redraw(conversationId, outgoing, channel).then(() => sent(), failed);
      return;
    }
    const redraws = outgoing.type === 'question' && channel.update !== undefined;
    const as = (sentId: unknown): void =>
      sent(redraws && typeof sentId === 'string' ? { name: outgoing.ask.id, id: sentId } : undefined);
    this.#inTime(channel.send(messageFor(outgoing, conversationId, this.#context.language)), name, as, failed);
  }

  async #redraw(conversationId: string, outgoing: OutgoingQuestion, channel: Channel): Promise<void> {
    if (channel.update === undefined) return;
    this.#hurry(); // the question's own id may still wait to be marked
    await this.#flushing;
    const sentId = await this.#context.store.sentAs(conversationId, outgoing.ask.id);
    if (sentId === null) return;
    const message = messageFor(outgoing, conversationId, this.#context.language);
    const updating = channel.update(sentId, message);
    await new Promise<unknown>((resolve, reject) => this.#inTime(updating, channel.name, resolve, reject));
  }

  /** A send that does not come back has failed; should it succeed later, the person sees it twice. */
  #inTime(sending: unknown, channel: string, sent: (as: unknown) => void, failed: (error: unknown) => void): void {
    const { sendLimit } = this.#context.settings;
    const late = (): void =>
      failed(new Error(`Channel ${channel} did not send within ${sendLimit} ms (settings.sendLimit).`));
    const deadline = this.#limits.set(late);
    // Promise.resolve() for a channel that gives back no promise
    Promise.resolve(sending).then(
      (as) => {
        if (deadline.cancel()) sent(as);
      },
      (error: unknown) => {
        if (deadline.cancel()) failed(error);
      },
    );
  }

  async #failed(conversationId: string, outgoing: Outgoing, error: unknown): Promise<void> {
    const { settings } = this.#context;
    const tries = (outgoing.tries ?? 0) + 1;
    const failure = failureOf(error);
    const about = { conversationId, key: outgoing.key, channel: channelOf(outgoing) };
    this.#context.emit('deliveryFailed', { ...about, tries, failure });
    const wait = settings.deliveries[tries - 1];
    if (wait !== undefined || outgoing.type === 'forward') {
      const again = {
        in: wait ?? (settings.deliveries.at(-1) as number),
        data: writeOutgoing({ ...outgoing, tries }),
      };
      this.#mark({ ...about, again });
      return;
    }
    this.#context.logger.error('An output could not be delivered and was given up', { ...about, tries, failure });
    try {
      if (outgoing.type === 'question') {
        const entry: Entry = { type: 'undeliverable', askId: outgoing.ask.id, failure };
        await this.#record(conversationId, `undeliverable:${outgoing.key}`, entry);
      }
      this.gone(conversationId, about);
    } catch (cause) {
      // not recorded, so not given up: the loan runs out and somebody tries once more
      this.#context.logger.warn('Giving up a delivery could not be recorded', { ...about, failure: failureOf(cause) });
    }
  }

  #mark(mark: Mark): void {
    this.#marks.push(mark);
    this.#flushing ??= this.#flush();
  }

  /** Gathers marks for a moment, so that many cost one round trip; ends when none are left. */
  async #flush(): Promise<void> {
    const { clock, settings, store } = this.#context;
    while (this.#marks.length > 0) {
      if (this.#hurried === 0) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(settings.markDelay, resolve);
          this.#hurry = () => {
            cancel();
            resolve();
          };
        });
        this.#hurry = notNow; // what it sees would be kept until the next time
      }
      const withdrawn = this.#withdrawn;
      const marks = this.#marks.filter(
        ({ conversationId, key, sentAs }) => sentAs !== undefined || !withdrawn.get(conversationId)?.includes(key),
      );
      this.#marks = [];
      if (withdrawn.size > 0) this.#withdrawn = new Map();
      if (marks.length === 0) continue;
      try {
        await retried(this.#context, 'sent', settings.loan / 2, () => store.sent(marks));
      } catch (error) {
        this.#context.logger.warn('Sent outputs could not be marked; they may go out twice', {
          failure: failureOf(error),
        });
      }
    }
    this.#flushing = undefined;
  }
}

function askIdOf(outgoing: Outgoing): string | undefined {
  if (outgoing.type === 'say') return undefined;
  if (outgoing.type !== 'forward') return outgoing.ask.id;
  return outgoing.entry.type === 'open' ? outgoing.entry.ask.id : undefined;
}
