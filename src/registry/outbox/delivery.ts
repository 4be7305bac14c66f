/**
 * What saves put into the outbox, and who may send it; sends it in order within a conversation, and marks it. Decides nothing about asks:
 * giving up is an entry in the conversation's queue.
 */
import type { Channel } from '../../channels/port.js';
import type { Entry } from '../../core/conversation/entry.js';
import type { Outgoing, OutgoingMessage, OutgoingQuestion } from '../../core/conversation/outgoing.js';
import {
  channelOf,
  copyIn,
  forwardChannel,
  mayBeSent,
  messageFor,
  overMessageFor,
  redrawnCopy,
} from '../../core/conversation/outgoing.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import { AgentError, failureOf, withoutQuote } from '../../core/errors.js';
import { readOutgoing, writeOutgoing } from '../../core/format/document.js';
import { describeKind } from '../../core/ids.js';
import { sleep } from '../../machine/clock.js';
import { Deadlines } from '../../machine/deadlines.js';
import type { Mark, Output } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { handleChannel, warnOnce } from '../context.js';
import { Notifier } from '../notifier.js';
import { AuthorCall, runAuthorCall } from '../turn/current-turn.js';
import { savedHint } from '../waiters.js';
import type { SaidOutputs } from './said-outputs.js';
import { quotedAs } from './sent-ids.js';
import { SentMarks } from './sent-marks.js';

/** Puts an entry into a conversation's queue. */
export type RecordEntry = (conversationId: string, entryId: string, entry: Entry) => Promise<unknown>;

/** By what an output is marked, and named in events and logs. */
type OutputName = Pick<Mark, 'conversationId' | 'key' | 'channel'>;

interface LentOutput {
  readonly about: OutputName;
  readonly outgoing: Outgoing;
  /** When our lease to send it is over. */
  readonly until: number;
  /** The platform is asked before it is sent: another may have sent it. */
  readonly isLookedFor: boolean;
}

/** A copy whose send is under way elsewhere is looked for after this time first, then each time after three times as long. */
const firstLook = 1_000;
/** From then on the platform is asked for it at each look: a sender that lives has mostly noted its id by then. */
const platformLook = 10_000;
const notSent = Symbol('not sent');
/** A platform that cannot be asked whether it has a question is asked so often again: a minute's wait is better than a double. */
const mostFailedLooks = 3;
/** Our lease to send is over, or it is sent later: by the process that borrows it then. */
const leftToOthers = Symbol('left to others');

const nothing = (): undefined => undefined;

export class Delivery {
  readonly #context: RegistryContext;
  readonly #record: RecordEntry;
  readonly #said: SaidOutputs;
  readonly #channels: readonly string[];
  /** What each conversation has to send after what is under way, in order. */
  readonly #queues = new Map<string, LentOutput[]>();
  /** Notifies when no queue is left. */
  readonly #allSent = new Notifier();
  readonly #deadlines: Deadlines;
  readonly #marks: SentMarks;
  #stopped = false;

  constructor(context: RegistryContext, said: SaidOutputs, record: RecordEntry) {
    [this.#context, this.#said, this.#record] = [context, said, record];
    this.#marks = new SentMarks(context);
    this.#deadlines = new Deadlines(context.clock, context.settings.sendLimit);
    // everything this process can push: its channels, and entries for other conversations
    this.#channels = [...[...context.channels.keys()].filter((name) => name !== handleChannel), forwardChannel];
  }

  /** False where there is no reader, or the reader fetches it. A redraw goes out only where a channel can draw again, or people are told. */
  goesOut(output: Outgoing): boolean {
    if (output.type === 'forward') return true;
    if (output.place.trigger || output.place.channel === '' || output.place.channel === handleChannel) return false;
    if (output.type !== 'redraw' || output.told !== undefined) return true;
    const channel = this.#context.channels.get(output.place.channel);
    return channel === undefined || channel.update !== undefined;
  }

  /** The output as a save stores it: lent to this process where that sends it. */
  stored(output: Outgoing): Output {
    const to = this.#sends(output) ? 'saver' : 'anyone';
    return { key: output.key, channel: channelOf(output), data: writeOutgoing(output), to };
  }

  /**
   * After the save: sends what it has lent us, and tells the others of the rest, and those who follow the conversation on a channel that is
   * fetched from. What is reached after its lease to send is over is dropped: others send it. `withdrawn` is what the save took back, `shownOn`
   * the channels of what else it wrote into the history.
   */
  saved(
    conversationId: string,
    outputs: readonly Outgoing[],
    withdrawn: readonly string[],
    shownOn: readonly string[] = [],
  ): void {
    const { store, channels, clock, settings } = this.#context;
    if (withdrawn.length > 0) this.#marks.withdrawn(conversationId, withdrawn);
    const mine = outputs.filter((output) => this.#sends(output));
    if (mine.length > 0) this.#enqueue(conversationId, mine, clock.elapsed() + settings.sendLease, false);
    const isFetched = (name: string): boolean => channels.get(name)?.isFetched === true;
    if (mine.length < outputs.length) store.hint({ conversationId, unsent: true });
    else if (shownOn.some(isFetched) || outputs.some((output) => isFetched(channelOf(output))))
      store.hint({ conversationId, entryId: savedHint });
    this.#said.changed(conversationId);
  }

  #sends(outgoing: Outgoing): boolean {
    return this.#channels.includes(channelOf(outgoing));
  }

  /** Borrows what others left, everywhere or in one conversation, and sends it. Returns how many were borrowed. */
  async collect(conversationId?: string): Promise<number> {
    const { store, settings, clock } = this.#context;
    if (this.#stopped) return 0;
    const until = clock.elapsed() + settings.sendLease;
    const where = conversationId === undefined ? {} : { conversationId };
    const lent = await store.unsent({ channels: this.#channels, limit: 100, sendLease: settings.sendLease, ...where });
    for (const each of lent) {
      const outgoing = readOutgoing(each.key, each.data);
      if (outgoing !== undefined)
        this.#enqueue(each.conversationId, [outgoing], until, mayBeSent(outgoing, each.now, settings.sendLease));
      else
        this.#context.logger.error('An output cannot be read and was left as it is', {
          conversationId: each.conversationId,
          key: each.key,
        });
    }
    return lent.length;
  }

  /** Settles when everything begun here is sent and marked, without batching any longer. */
  idle(): Promise<void> {
    return this.#marks.hurried(async () => {
      for (;;) {
        const written = this.#marks.written();
        if (this.#queues.size === 0 && written === undefined) return;
        await (this.#queues.size === 0 ? written : this.#allSent.next());
      }
    });
  }

  /** Lets sends under way finish for at most `grace` ms; what is left is sent by others when its lease is over. */
  async stop(grace: number): Promise<void> {
    this.#stopped = true;
    await Promise.race([this.idle(), sleep(this.#context.clock, grace)]);
  }

  #enqueue(conversationId: string, outgoing: readonly Outgoing[], until: number, isLookedFor: boolean): void {
    const added = outgoing.map((each): LentOutput => {
      const about = { conversationId, key: each.key, channel: channelOf(each) };
      return { about, outgoing: each, until, isLookedFor };
    });
    const queue = this.#queues.get(conversationId);
    if (queue !== undefined) {
      queue.push(...added);
      return;
    }
    this.#queues.set(conversationId, added);
    const call = new AuthorCall(this.#context); // part of no turn: one that waits for an answer sends before its end
    void runAuthorCall(call, () => this.#sendAll(conversationId, added, call));
  }

  async #sendAll(conversationId: string, queue: LentOutput[], call: AuthorCall): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const start = this.#context.clock.elapsed();
      if (start >= next.until) continue;
      try {
        const sentId = await this.#sent(next);
        if (sentId === leftToOthers) continue;
        if (sentId === notSent) this.#lookLater(next.about, next.outgoing as OutgoingQuestion);
        else this.#isSent(next, sentId, start);
      } catch (error) {
        await this.#failed(next, error);
      }
    }
    call.ended = true;
    this.#queues.delete(conversationId); // no await since the last look: what comes from here on begins a new queue
    if (this.#queues.size === 0) this.#allSent.notify();
  }

  /** Hands the output to its channel, or to the other conversation. Resolves with the channel's own id of what it sent. */
  #sent(lent: LentOutput): Promise<unknown> {
    const { outgoing, isLookedFor } = lent;
    const { conversationId } = lent.about;
    if (outgoing.type === 'forward')
      return this.#record(outgoing.conversationId, outgoing.entryId, outgoing.entry).then(nothing);
    const channel = this.#context.channels.get(outgoing.place.channel);
    if (channel === undefined) throw new AgentError('unknown-channel', `No channel ${outgoing.place.channel} here.`);
    if (outgoing.type === 'redraw') return this.#redraw(conversationId, outgoing, channel);
    const message = messageFor(outgoing, conversationId, this.#context.language);
    if (isLookedFor && outgoing.type === 'question' && channel.findSent !== undefined)
      return this.#sentOnce(lent, outgoing, channel, message);
    return this.#posted(lent, channel, message);
  }

  /** If it succeeds after the time limit, the person may see it twice. */
  #posted(lent: LentOutput, channel: Channel, message: OutgoingMessage): Promise<unknown> {
    return this.#inTime(
      channel,
      () => channel.send(message),
      (id) => this.#isSentLate(lent, id),
    );
  }

  /** A call of a channel that does not come back in time has failed. `missed` gets what it gives afterwards; `doing` is for the error. */
  #inTime(
    { name }: Channel,
    call: () => unknown,
    missed?: (result: unknown) => void,
    doing = 'send',
  ): Promise<unknown> {
    const { sendLimit } = this.#context.settings;
    const late = (): Error =>
      new Error(`Channel ${name} did not ${doing} within ${sendLimit} ms (settings.sendLimit).`);
    return this.#deadlines.limit(call, late, missed);
  }

  /**
   * Sends a question unless the platform has it. One that cannot be asked is asked again later, a few times: after that a question twice is
   * better than none.
   */
  async #sentOnce(
    lent: LentOutput,
    question: OutgoingQuestion,
    channel: Channel,
    message: OutgoingMessage,
  ): Promise<unknown> {
    try {
      const found = await this.#found(channel, message);
      if (found !== null) return found;
    } catch (error) {
      if (this.#askLater(lent.about, question, withoutQuote(failureOf(error), message.text))) return leftToOthers;
    }
    return this.#context.clock.elapsed() < lent.until ? this.#posted(lent, channel, message) : leftToOthers;
  }

  /** Whether the platform is asked again for a question that may have been sent. */
  #askLater(about: OutputName, question: OutgoingQuestion, failure: Failure): boolean {
    const { looks = 0 } = question;
    warnOnce(
      this.#context,
      `not looked for: ${about.channel} ${failure.code} ${withoutNumbers(failure.message)}`,
      'A channel could not be asked whether a question was sent before. It is asked again by settings.deliveryBackOff, three times; then the question is sent, perhaps for the second time. failure says why. If it is a channel of your own and the failure is a mistake in it, fix its findSent()',
      { ...about, failure },
    );
    const wait = looks < mostFailedLooks ? this.#context.settings.deliveryBackOff[looks] : undefined;
    if (wait === undefined) return false;
    this.#marks.add({ ...about, again: { in: wait, data: writeOutgoing({ ...question, looks: looks + 1 }) } });
    return true;
  }

  /** The platform's id of what was sent under the key of this message; null if the channel knows of none. */
  async #found(channel: Channel, message: OutgoingMessage): Promise<string | null> {
    const found = await this.#inTime(channel, () => channel.findSent?.(message), undefined, 'look for what it sent');
    if (found !== undefined && found !== null && typeof found !== 'string')
      this.#warnOfNoId(channel.name, 'findSent', found);
    return typeof found === 'string' && found !== '' ? found : null;
  }

  #isSent({ about, outgoing }: LentOutput, sentId: unknown, start: number): void {
    this.#marks.add({ ...about, ...this.#idsOf(outgoing, sentId) });
    if (!this.#context.hears('delivered')) return;
    const took = this.#context.clock.elapsed() - start;
    this.#context.emit('delivered', { ...about, ...definedFields({ askId: askIdOf(outgoing) }), took });
  }

  /** A copy that came after the time limit is there, too: its id is kept, and it need not be sent again. */
  #isSentLate({ about, outgoing }: LentOutput, sentId: unknown): void {
    if (this.#stopped || typeof sentId !== 'string' || sentId === '') return;
    const ids = this.#idsOf(outgoing, sentId);
    if (ids.sentAs !== undefined || ids.kept !== undefined) this.#marks.add({ ...about, ...ids });
  }

  /** What is kept of the channel's own id, with the mark: for drawing the copy again, and for replies that quote it. */
  #idsOf(outgoing: Outgoing, sentId: unknown): Pick<Mark, 'sentAs' | 'kept'> {
    const sentAs = this.#copySent(outgoing, sentId);
    const isQuoted = this.#context.channels.get(channelOf(outgoing))?.hasQuotes === true;
    if (!isQuoted || outgoing.type !== 'question' || typeof sentId !== 'string' || sentId === '')
      return definedFields({ sentAs });
    return definedFields({ sentAs, kept: quotedAs(outgoing, sentId, this.#context.settings.retention) });
  }

  /**
   * What is kept of a copy of a question that can be drawn again: the channel's own id; empty if it will never have one. Where it cannot,
   * and the recipient is told the end of the ask: that it was sent.
   */
  #copySent(outgoing: Outgoing, sentId: unknown): Mark['sentAs'] {
    if (outgoing.type !== 'question') return undefined;
    const isDrawn = this.#isDrawn(outgoing);
    if (!isDrawn && outgoing.told === undefined) return undefined;
    if (isDrawn && sentId !== undefined && sentId !== null && typeof sentId !== 'string')
      this.#warnOfNoId(outgoing.place.channel, 'send', sentId);
    return { name: outgoing.key, id: typeof sentId === 'string' ? sentId : '' };
  }

  /** A channel whose author may not see it: its questions are never drawn again, or are sent twice. */
  #warnOfNoId(channel: string, method: 'send' | 'findSent', returned: unknown): void {
    warnOnce(
      this.#context,
      `no id: ${channel} ${method}`,
      "A channel's send() or findSent() gave something else than a string for a question, so the question is not found again: its copy keeps its controls when the ask is over. Return the platform's id of the message as a string, as in return String(id)",
      { channel, method, returned: describeKind(returned) },
    );
  }

  /** Its channel can draw it again. */
  #isDrawn({ place }: OutgoingQuestion): boolean {
    return this.#context.channels.get(place.channel)?.update !== undefined;
  }

  /** Draws a copy again, or tells the recipient that its ask is over. Resolves with `notSent` if it is not noted yet that it was sent. */
  async #redraw(
    conversationId: string,
    outgoing: OutgoingQuestion,
    channel: Channel,
  ): Promise<typeof notSent | undefined> {
    const { told } = outgoing;
    if (channel.update === undefined && told === undefined) return undefined;
    await this.#marks.written(); // the question's own id may still wait to be marked
    const noted = await this.#context.store.sentAs(conversationId, redrawnCopy(outgoing));
    const sentId = noted ?? (await this.#foundCopy(conversationId, outgoing, channel));
    if (sentId === null) return notSent;
    if (sentId !== '' && channel.update !== undefined) {
      const message = messageFor(outgoing, conversationId, this.#context.language);
      await this.#inTime(channel, () => channel.update?.(sentId, message));
    } else if (told !== undefined) {
      const over = overMessageFor(outgoing, conversationId, this.#context.language);
      await this.#inTime(channel, () => channel.send(over));
    }
    return undefined;
  }

  /** The id of a copy whose id was not noted, once its sender had time enough to. Rejects if the platform cannot be asked. */
  async #foundCopy(conversationId: string, outgoing: OutgoingQuestion, channel: Channel): Promise<string | null> {
    const isEarly = waitedFor(outgoing) < Math.min(platformLook, this.#longestSend());
    if (isEarly || channel.findSent === undefined) return null;
    const message = messageFor(outgoing, conversationId, this.#context.language);
    return this.#found(channel, { ...message, key: redrawnCopy(outgoing) });
  }

  /** After this time no process sends any more what was lent to it before. */
  #longestSend(): number {
    const { sendLease, sendLimit } = this.#context.settings;
    return sendLease + sendLimit;
  }

  /**
   * Another process may be sending the copy: its ask ended meanwhile. The redraw stays in the outbox until that must be over, so
   * that no button is left, whichever process crashes. A copy that was withdrawn before it was sent is given up then.
   */
  #lookLater(about: OutputName, outgoing: OutgoingQuestion): void {
    const { looks = 0 } = outgoing;
    const isOver = waitedFor(outgoing) > this.#longestSend();
    const again = { in: firstLook * 3 ** looks, data: writeOutgoing({ ...outgoing, looks: looks + 1 }) };
    this.#marks.add(isOver ? about : { ...about, again });
  }

  async #failed({ about, outgoing }: LentOutput, error: unknown): Promise<void> {
    const { settings } = this.#context;
    const { conversationId } = about;
    const tries = (outgoing.tries ?? 0) + 1;
    const failure = failureOf(error);
    this.#context.emit('deliveryFailed', { ...about, tries, failure });
    const wait = isFinal(error) ? undefined : settings.deliveryBackOff[tries - 1];
    if (wait !== undefined || outgoing.type === 'forward') {
      const again = {
        in: wait ?? (settings.deliveryBackOff.at(-1) as number),
        data: writeOutgoing({ ...outgoing, tries }),
      };
      if (outgoing.type !== 'forward') {
        const { text } = messageFor(outgoing, conversationId, this.#context.language);
        this.#warnOfFailure(about, withoutQuote(failure, text), again.in);
      }
      this.#marks.add({ ...about, again });
      return;
    }
    this.#context.logger.error('An output could not be delivered and was given up', { ...about, tries, failure });
    try {
      if (outgoing.type === 'question') {
        const entry: Entry = { type: 'undeliverable', askId: outgoing.ask.id, copy: copyIn(outgoing.key), failure };
        await this.#record(conversationId, `undeliverable:${outgoing.key}`, entry);
      }
      // where it cannot be drawn again, what is noted says that it was sent: this was not
      const isNoted = outgoing.type === 'question' && this.#isDrawn(outgoing);
      this.#marks.add({ ...about, ...(isNoted && definedFields({ sentAs: this.#copySent(outgoing, undefined) })) });
    } catch (cause) {
      // not recorded, so not given up: the lease to send runs out and a process tries once more
      this.#context.logger.warn('Giving up a delivery could not be recorded', { ...about, failure: failureOf(cause) });
    }
  }

  /** A bug in a channel fails every try: the log names it at the first one, not when the output is given up. */
  #warnOfFailure(about: OutputName, failure: Failure, againIn: number): void {
    const { code, message } = failure;
    warnOnce(
      this.#context,
      `not sent: ${about.channel} ${code} ${withoutNumbers(message)}`,
      'A channel could not send an output. It is tried again after againIn ms, and then by settings.deliveryBackOff. failure says why. If it is a channel of your own and the failure is a mistake in it, fix its send() or update()',
      { ...about, failure, againIn },
    );
  }
}

/** How long the copy that this redraws was looked for. */
function waitedFor({ looks = 0 }: OutgoingQuestion): number {
  return (firstLook * (3 ** looks - 1)) / 2;
}

/** The channel has said that no try can succeed. */
function isFinal(error: unknown): boolean {
  return error instanceof AgentError && error.code === 'undeliverable';
}

/** Failures that differ only in a time, a count or the id of a request are one cause. */
function withoutNumbers(message: string): string {
  return message.replaceAll(/\S*\d\S*/g, '');
}

function askIdOf(outgoing: Outgoing): string | undefined {
  if (outgoing.type === 'say') return undefined;
  if (outgoing.type !== 'forward') return outgoing.ask.id;
  return outgoing.entry.type === 'open' ? outgoing.entry.ask.id : undefined;
}
