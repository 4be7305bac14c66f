/**
 * AgentRegistry: the class that users call. It wires the parts together, from the outbox up to the intake, and decides
 * nothing itself.
 */
import type { Channel, IncomingMessage } from '../channels/port.js';
import type { Question } from '../core/ask/answer-type.js';
import type { PendingAsk } from '../core/ask/ask.js';
import { shapeOf } from '../core/ask/ask.js';
import type { Outcome } from '../core/ask/outcome.js';
import type { Disposition } from '../core/conversation/entry.js';
import type { HistoryItem } from '../core/conversation/history.js';
import type { Handled, HandleOptions, Outputs, OutputsOptions } from '../core/conversation/said.js';
import { AgentError, failureOf } from '../core/errors.js';
import type { RegistryEvents } from '../core/events.js';
import { checkedId } from '../core/ids.js';
import type { Json } from '../core/json.js';
import type { Participant } from '../core/participant.js';
import { beforeExit } from '../machine/before-exit.js';
import { within } from '../machine/clock.js';
import type { Hint, Store } from '../stores/port.js';
import { namedPerson } from './arguments.js';
import type { AskAndWaitOptions } from './calls/ask-and-wait.js';
import { AskAndWait } from './calls/ask-and-wait.js';
import type { AskedFromOutside } from './calls/ask-owner.js';
import { type EraseResult, erase } from './calls/erase.js';
import type { AskFilter, AskPage } from './calls/list-asks.js';
import { AskListing } from './calls/list-asks.js';
import type { ParkedFilter, ParkedPage } from './calls/lookup.js';
import { AskLookup } from './calls/lookup.js';
import type { AskFromOutsideOptions, OpenedAsk } from './calls/open-ask.js';
import { AskOpener } from './calls/open-ask.js';
import type { CallParts } from './calls/parts.js';
import type { HandOverOptions, HandOverResult } from './calls/settle/hand-over.js';
import { handOver } from './calls/settle/hand-over.js';
import type { Cancelled, CancelOptions, CloseParkedOptions, ParkedClosed, Settled } from './calls/settle/settle.js';
import { answerAsk, cancel, closeParked, decline, recoverPending, retry } from './calls/settle/settle.js';
import { cameBack, show, showAll } from './calls/show.js';
import { SingleUse, uses } from './calls/single-use.js';
import { checkDeclaredQuestions } from './calls/start-check.js';
import { WaitingAgent } from './calls/waiting-agent.js';
import type { RegistryContext } from './context.js';
import { startedByTools, stoppedError, waitingAgent, warnOnce } from './context.js';
import type { Emitter } from './emitter.js';
import { InboxPort, inboxPort } from './inbox/inbox-port.js';
import { Dispatcher } from './intake/dispatcher.js';
import { Intake } from './intake/intake.js';
import type { SweepReport } from './intake/sweeper.js';
import { Sweeper } from './intake/sweeper.js';
import { SleepingTurns } from './lease/sleeping-turns.js';
import { Notifier } from './notifier.js';
import type { RegistryOptions } from './options.js';
import { checkedOptions } from './options.js';
import { Delivery } from './outbox/delivery.js';
import { ConversationFollower } from './outbox/follow.js';
import { SaidOutputs } from './outbox/said-outputs.js';
import { askSentAs } from './outbox/sent-ids.js';
import { closeStore, openStore } from './shared-store.js';
import type { RegisteredAgent } from './turn/agent-port.js';
import { currentTurn, isAwaitedBy, outsideTurn } from './turn/current-turn.js';
import type { WaitOptions } from './turn/wait-options.js';
import { arrivedHint, Waiters } from './waiters.js';
import { Commit } from './work/commit.js';
import { Predecider } from './work/predecide.js';
import { AgentRunner } from './work/run-agent.js';
import { WaitInTurn } from './work/wait-in-turn.js';
import { Worker } from './work/worker.js';

const ignored = (): void => {};

/** What each part of a stop may take beyond the grace time, in ms. */
const stopMargin = 500;

/**
 * Holds agents, channels and a store together, and runs them.
 *
 * @example
 * import { agent, AgentRegistry, TerminalChannel } from 'askback';
 *
 * const support = agent('support').onMessage(({ message }) => `You said ${message}`);
 * const registry = new AgentRegistry({ agents: [support], channels: [new TerminalChannel()] });
 * await registry.start();
 */
export class AgentRegistry {
  readonly #context: RegistryContext;
  readonly #store: Store; // unwrapped, as the user gave it: other registries may share it
  readonly #agents: ReadonlyMap<string, RegisteredAgent>;
  readonly #events: Emitter;
  readonly #dispatcher: Dispatcher;
  readonly #delivery: Delivery;
  readonly #said: SaidOutputs;
  readonly #follower: ConversationFollower;
  readonly #sweeper: Sweeper;
  readonly #intake: Intake;
  readonly #parts: CallParts;
  readonly #asking: AskOpener;
  readonly #waiting: AskAndWait;
  /** @internal */
  readonly [uses]: SingleUse;
  /** @internal */
  readonly [inboxPort]: InboxPort;
  readonly #started: Channel[] = [];
  #starting: Promise<void> | undefined;
  #ready: Promise<void> | undefined;
  #disconnect: (() => Promise<void>) | undefined;
  #hasOpened = false;
  #hasClosed = false;
  /** A registry that is used or stopped needs no notice that start() was forgotten. */
  #withdrawNotice: (() => void) | undefined;
  /** Tells what waits for a channel or the store that stop() was called. */
  readonly #stopping = new Notifier();
  #stopped: Promise<void> | undefined;

  constructor(options: RegistryOptions = {}) {
    const { context, store, agents, events } = checkedOptions(options);
    [this.#context, this.#store, this.#agents, this.#events] = [context, store, agents, events];
    const readers = new Map([...agents, [waitingAgent, new WaitingAgent()]]);
    const sleeping = new SleepingTurns();
    const asks = new AskLookup(context);
    const waiters = new Waiters(context, asks, sleeping);
    this.#said = new SaidOutputs(context);
    // an output may be an entry for another conversation: it is recorded there like a new message
    this.#delivery = new Delivery(context, this.#said, (id, entryId, entry) =>
      this.#dispatcher.record(id, entryId, entry),
    );
    this.#follower = new ConversationFollower(context, this.#said, asks);
    const predecider = new Predecider(context, readers);
    const commit = new Commit(context, this.#delivery, waiters);
    const waits = new WaitInTurn({ context, commit, waiters, sleeping });
    const worker = new Worker(context, new AgentRunner(context, readers, waits), commit);
    this.#dispatcher = new Dispatcher(context, worker, predecider, sleeping);
    this.#sweeper = new Sweeper(context, this.#dispatcher, this.#delivery);
    this.#intake = new Intake(context, this.#dispatcher, this.#said, waiters);
    const parts = { context, agents, dispatcher: this.#dispatcher, asks, waiters };
    this.#parts = parts;
    this.#asking = new AskOpener(parts);
    this.#waiting = new AskAndWait(parts, this.#asking);
    this[uses] = new SingleUse(parts, this.#asking, this.#waiting);
    this[inboxPort] = new InboxPort(parts, () => this.#open(), this.#stopping);
    this.#withdrawNotice = noticeBeforeExit(context);
  }

  /** @internal A program in which no tool has asked needs no start(). */
  [startedByTools](): void {
    this.#withdrawNotice?.();
  }

  /** Opens the store, starts the channels and the periodic sweep. A second call does nothing. */
  start(): Promise<void> {
    if (this.#stopped !== undefined) return Promise.reject(this.#refusal());
    this.#starting ??= outsideTurn(() => this.#start()).catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    await this.#open();
    try {
      for (const channel of this.#context.channels.values()) {
        const started = channel.start({
          receive: (message) => this.#received(channel, message),
          showOpen: (conversationId) => showAll(this.#parts, conversationId, channel.name),
          handle: (message, options) => this.#handledFor(channel, message, options),
          outputs: (conversationId, options) => this.outputs(conversationId, options),
          follow: (id, options) =>
            this.#follower.follow(checkedId(id, 'follow(): conversationId'), channel.name, options),
          conversationOf: async (askId) => (await this.#parts.asks.find(askId))?.conversationId,
          undelivered: (key, reason, address) => cameBack(this.#parts, key, reason, { channel: channel.name, address }),
          shapeOf: (askId) => this.#parts.asks.find(askId).then((found) => found?.ask && shapeOf(found.ask)),
          askSentAs: (sentId) => askSentAs(this.#context, channel.name, sentId),
          wording: (locale) => this.#context.language(locale).wording,
        });
        await Promise.race([started, this.#stopping.next()]);
        if (this.#stopped !== undefined) {
          // stop() did not know of it, and must not wait for it
          void Promise.resolve(started).then(() => this.#stopChannel(channel), ignored);
          throw stoppedError();
        }
        this.#started.push(channel);
      }
      checkDeclaredQuestions(this.#context, this.#agents.values()); // a channel may need its start to tell a wrong address
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#sweeper.start();
  }

  /** While it stops, messages are recorded for other processes. */
  #received(channel: Channel, message: IncomingMessage): Promise<'recorded' | 'repeat'> {
    return this.#hasClosed ? Promise.reject(stoppedError()) : this.#intake.receive(channel, message);
  }

  /** While it stops, nobody would do the work that the caller waits for. */
  #handledFor(channel: Channel, message: IncomingMessage, options?: HandleOptions): Promise<Handled> {
    return this.#stopped === undefined
      ? this.#intake.handle(message, options, channel)
      : Promise.reject(stoppedError());
  }

  /**
   * Accepts nothing new, lets turns finish within `settings.grace`, and releases the rest to other processes. Inside a
   * turn, a function of the registry such as `identify`, or a channel's `send` it returns at once, because that has to
   * finish first.
   */
  async stop(): Promise<void> {
    this.#stopped ??= this.#context.hold.during(() => this.#close()); // what follows stop() must run, whatever hangs
    this.#stopping.notify();
    if (!isAwaitedBy(this.#context)) return this.#stopped;
    this.#stopped.catch((error: unknown) => this.#context.logger.error('stop() failed', { failure: failureOf(error) }));
  }

  /** One sweep for overdue work, awaited to its end: for serverless functions, called by a cron job. */
  async sweep(): Promise<SweepReport> {
    this.#assertOutside('sweep()');
    await this.#open();
    let expired = 0;
    const off = this.on('expired', () => {
      expired += 1;
    });
    try {
      const { taken, delivered } = await this.#sweeper.sweep();
      await this.idle();
      return { taken, expired, delivered };
    } finally {
      off();
    }
  }

  /** Resolves when this process has no work in progress: for tests, and for serverless functions. */
  async idle(): Promise<void> {
    this.#assertOutside('idle()');
    await this.#sweeper.idle();
    await this.#dispatcher.idle();
    await this.#delivery.idle();
    if (this.#dispatcher.busy) await this.idle(); // a delivery to another conversation may have started a turn there
  }

  /**
   * For a transport of your own: handles one message, waits for its outcome (at most `timeout`, and not while its turn waits
   * for a person) and returns what was said. The same id again gives the same outputs.
   */
  async handle(message: IncomingMessage, options: HandleOptions = {}): Promise<Handled> {
    this.#warnIfNotStarted();
    const opening = this.#opening();
    if (opening !== undefined) await opening;
    return this.#intake.handle(message, options);
  }

  /**
   * For a transport of your own: what was said in a conversation since a cursor, in order, whatever said it and on whichever channel.
   * Waits up to `wait` ms if that is nothing. Without `after` it begins with the oldest that is kept.
   */
  async outputs(conversationId: string, options: OutputsOptions = {}): Promise<Outputs> {
    const id = checkedId(conversationId, 'outputs(): conversationId');
    const opening = this.#opening();
    if (opening === undefined) return this.#said.fetch(id, options);
    try {
      await opening;
    } catch (error) {
      if (this.#stopped === undefined) throw error;
    }
    return this.#said.fetch(id, options); // empty if stop() was called meanwhile
  }

  #warnIfNotStarted(): void {
    const { channels } = this.#context;
    if (this.#starting !== undefined || channels.size === 0) return;
    warnOnce(
      this.#context,
      'handle() before start()',
      'handle() was called before start(): channels are not started, and nothing expires or is recovered. Call await registry.start() first',
      { channels: [...channels.keys()] },
    );
  }

  /** Asks, and waits for the outcome. After `timeout` the ask is cancelled; with `keep` it stays open. */
  async askAndWait<T = string>(question: string | Question<T>, options: AskAndWaitOptions): Promise<Outcome<T>> {
    await this.start();
    return this.#waiting.askAndWait<T>(question, options);
  }

  /**
   * Asks without waiting for the answer: its handlers, `wait(id)` in any process, or an event listener is told the outcome. Resolves once the
   * ask is open. If its conversation is busy for longer than `settings.callTimeout`, it rejects with `not-opened` and nobody is asked.
   */
  async ask(question: AskedFromOutside, options: AskFromOutsideOptions): Promise<OpenedAsk> {
    await this.start();
    return this.#asking.ask(question, options);
  }

  /** Waits for the outcome of an ask, whoever opened it; resolves at once if it is settled already. */
  async wait<T = unknown>(askId: string, options: WaitOptions = {}): Promise<Outcome<T>> {
    await this.#open();
    return this.#waiting.wait<T>(askId, options);
  }

  /**
   * Answers an ask by its id. `by` must be somebody who may: it is checked like a message's sender. Without `by` the answer is
   * anonymous, and counts where anyone may answer: pass `by` wherever you know who it is, and do not let the public call
   * this, or name who may in `answerableBy`.
   */
  async answer(
    askId: string,
    answer: { readonly text: string } | { readonly value: Json },
    who: { readonly by?: Participant } = {},
  ): Promise<Settled> {
    await this.#open();
    return answerAsk(this.#parts, askId, answer, who);
  }

  /**
   * Uses up an approval: true for the first call in any process, false for every later one. False as well for an ask that is
   * not answered, whose answer is `false` (a no allows nothing), or that was answered more than `settings.dedupeWindow` ago.
   */
  async use(askId: string): Promise<boolean> {
    await this.#open();
    return this[uses].use(askId);
  }

  /**
   * Settles an ask as declined: the person does not want to answer. `reason` is what they say about it, in at most 1,000 characters: it
   * is kept with the decision, for the handlers, the history and operators; no channel gets it.
   */
  async decline(askId: string, who: { readonly by?: Participant; readonly reason?: string } = {}): Promise<Settled> {
    await this.#open();
    return decline(this.#parts, askId, who);
  }

  /**
   * Hands an open ask to another person, who may answer it from then on; who hands it over may not any more. Both are told, as far as a
   * channel knows where they can be reached. `by` must be somebody who may answer: it is checked like a message's sender. An ask is handed
   * over at most 5 times, and never to the person it is asked for or to another tenant.
   */
  async handOver(askId: string, options: HandOverOptions): Promise<HandOverResult> {
    await this.#open();
    return handOver(this.#parts, askId, options);
  }

  /**
   * Cancels one ask, or everything open in a conversation. An ask that was answered first stays answered. A cancel that
   * waits behind a turn for longer than `settings.callTimeout` is `received`, and done later. `by` and `reason` are kept with the
   * decision.
   */
  async cancel(askId: string, options?: CancelOptions): Promise<Settled>;
  async cancel(all: { readonly conversationId: string }, options?: CancelOptions): Promise<Cancelled>;
  async cancel(
    what: string | { readonly conversationId: string },
    options: CancelOptions = {},
  ): Promise<Settled | Cancelled> {
    await this.#open();
    return cancel(this.#parts, what, options);
  }

  /** The ask with its decision, or null; with `for` only if that person may answer it. Settled asks stay for `settings.retention`. */
  async getAsk(id: string, only: { readonly for?: Participant } = {}): Promise<PendingAsk<unknown> | null> {
    await this.#open();
    return this.#parts.asks.get(id, namedPerson(only, 'for', 'getAsk()'));
  }

  /**
   * Open asks in the order they were asked, or, with `status`, decided ones, the last decision first: who answered what, and when.
   * The answer to a sensitive question is not in it.
   */
  async listAsks(filter: AskFilter = {}): Promise<AskPage> {
    await this.#open();
    return new AskListing(this.#context, this.#parts.asks).list(filter);
  }

  /**
   * Sends a new copy of an open question to where it was asked, for somebody who has lost sight of it. It costs no attempt, and the
   * reminders stay as they are. Resolves once it is recorded. An ask that is over, or that nobody has been shown yet because it
   * waits behind another, is refused.
   *
   * @example
   * import { AgentRegistry } from 'askback';
   *
   * const registry = new AgentRegistry();
   * const { asks } = await registry.listAsks({ conversationId: 'web-anna' });
   * if (asks[0]) await registry.show(asks[0].id);
   */
  async show(askId: string): Promise<void> {
    await this.#open();
    return show(this.#parts, askId);
  }

  /** The messages and decisions of a conversation, its last `settings.historyLimit`, oldest first; without a cursor, the latest page. `unreadable`: so many of the page are missing. */
  async history(
    conversationId: string,
    page: { readonly limit?: number; readonly cursor?: string } = {},
  ): Promise<{ readonly items: readonly HistoryItem[]; readonly cursor?: string; readonly unreadable?: number }> {
    await this.#open();
    return this.#parts.asks.history(checkedId(conversationId, 'history(): conversationId'), page);
  }

  /** Work that failed too often and waits for `retry()` or `closeParked()`, in the order it was parked, in pages. */
  async parked(filter: ParkedFilter = {}): Promise<ParkedPage> {
    await this.#open();
    return this.#parts.asks.parked(filter);
  }

  /** Tries parked work once more, with the same turn id. */
  async retry(id: string): Promise<Disposition | { readonly type: 'received' }> {
    await this.#open();
    return retry(this.#parts, id);
  }

  /**
   * Ends parked work without trying it again: it was seen to by hand, or is given up. Who and why is in the history. An ask that it has
   * decided stays decided. Whether `by` may is for you to check.
   */
  async closeParked(id: string, options: CloseParkedOptions = {}): Promise<ParkedClosed> {
    await this.#open();
    return closeParked(this.#parts, id, options);
  }

  /**
   * Erases one conversation, or all conversations of a participant. A tombstone stays for each ask. Refused while an effect
   * is unfinished, unless forced. What was asked for the participant in conversations of others stays: `elsewhere` lists them.
   */
  async erase(
    what: { readonly conversationId: string } | { readonly participantId: string },
    options: { readonly force?: boolean } = {},
  ): Promise<EraseResult> {
    await this.#open();
    return erase(this.#context, what, options, this.#parts.waiters);
  }

  /**
   * Expires asks without a deadline that are older than `maxAge` ms: those of an agent where a process has it, those that no agent owns in
   * any. Interrupted work is recovered without this call.
   */
  async recoverPending(maxAge: number): Promise<{ readonly expired: number; readonly recovered: number }> {
    await this.#open();
    return recoverPending(this.#parts, maxAge);
  }

  /** Adds an event listener. Returns a function that removes it. */
  on<E extends keyof RegistryEvents>(event: E, listener: (about: RegistryEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  /** A turn, or a send, that waited for the end of all of them would wait for itself. */
  #assertOutside(what: string): void {
    if (!isAwaitedBy(this.#context)) return;
    throw new AgentError(
      'in-turn',
      `${what} was called in a turn of the same registry, in a function that it calls, or in a channel's send, and would wait for that to end. Call it where nothing of the registry waits.`,
    );
  }

  /** The error of a call after stop(). A turn that makes one cannot go on here: it is given back and runs elsewhere. */
  #refusal(): AgentError {
    const stopped = stoppedError();
    const turn = currentTurn();
    if (turn?.context === this.#context) turn.stop.because(stopped);
    return stopped;
  }

  /** Undefined if it is open: messages of channels and of handle() are recorded in the order of the calls, so neither waits. */
  #opening(): Promise<void> | undefined {
    if (this.#stopped !== undefined) throw this.#refusal();
    return this.#hasOpened ? undefined : this.#open();
  }

  async #open(): Promise<void> {
    if (this.#stopped !== undefined) throw this.#refusal();
    this.#withdrawNotice?.();
    this.#ready ??= outsideTurn(() => this.#connect()).catch((error: unknown) => {
      this.#ready = undefined; // the next call tries again
      throw error;
    });
    await (this.#hasOpened ? this.#ready : Promise.race([this.#ready, this.#stopping.next()]));
    if (this.#stopped !== undefined) throw this.#refusal();
    this.#hasOpened = true;
  }

  async #connect(): Promise<void> {
    await openStore(this.#store);
    try {
      if (this.#stopped !== undefined) throw stoppedError();
      const unwatch = await this.#store.watch((hint) => this.#hinted(hint));
      this.#disconnect = async () => {
        await this.#ended('The store did not end its hints cleanly', unwatch);
        await this.#ended('The store did not close cleanly', () => closeStore(this.#store));
      };
    } catch (error) {
      await closeStore(this.#store);
      throw error;
    }
    if (this.#hasClosed) await this.#disconnect(); // stop() could not wait for it
  }

  /** Each part has its time: whatever hangs, the process gets `settings.grace` and less than two seconds more. */
  async #close(): Promise<void> {
    const { grace } = this.#context.settings;
    this.#withdrawNotice?.();
    this.#parts.waiters.stopAsks();
    this.#said.stop();
    const work = Promise.all([this.#dispatcher.stop(), this.#sweeper.stop()]); // messages that still come are recorded for others
    const sent = work.then(() => this.#delivery.stop(grace));
    await this.#within(grace + stopMargin, sent, 'Turns or sends did not end; others take them over');
    this.#parts.waiters.stop();
    await this.#within(stopMargin, this.#intake.idle(), 'A call of handle() did not end');
    await Promise.all(
      this.#started.map((channel) => {
        const warning = `Channel ${JSON.stringify(channel.name)} did not stop, and may keep the process alive`;
        return this.#within(stopMargin, this.#stopChannel(channel), warning);
      }),
    );
    this.#hasClosed = true;
    await this.#within(stopMargin, Promise.resolve(this.#disconnect?.()), 'The store did not close');
  }

  /** Waits for the work, but not for longer than `ms`. */
  async #within(ms: number, work: Promise<unknown>, warning: string): Promise<void> {
    const { clock, logger } = this.#context;
    await within<unknown>(clock, ms, work, () => {
      logger.warn(`${warning}; stop() goes on without it`, { waited: ms });
    });
  }

  #stopChannel(channel: Channel): Promise<void> {
    return this.#ended('A channel did not stop cleanly', () => channel.stop?.(), { channel: channel.name });
  }

  /** Ends one part. An error of it is logged: the other parts stop all the same. */
  async #ended(warning: string, end: () => unknown, about: object = {}): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.#context.logger.warn(warning, { ...about, failure: failureOf(error) });
    }
  }

  #hinted({ conversationId, entryId, unsent }: Hint): void {
    this.#said.changed(conversationId);
    if (entryId === arrivedHint) this.#dispatcher.arrived(conversationId);
    else if (entryId !== undefined) this.#parts.waiters.wake(conversationId, entryId);
    if (entryId !== undefined) return;
    const work = unsent ? this.#delivery.collect(conversationId) : this.#dispatcher.tryTake(conversationId);
    work.catch((error: unknown) =>
      this.#context.logger.warn('A hint could not be followed; the sweep looks again', { failure: failureOf(error) }),
    );
  }
}

/**
 * Without start() the channels of a registry hear nothing, and a program that has nothing else to do ends silently. Channels that are
 * fetched from keep no program alive. Undefined where there are no others.
 */
function noticeBeforeExit({ logger, channels }: RegistryContext): (() => void) | undefined {
  const listening = [...channels.values()].filter(({ isFetched }) => isFetched !== true);
  if (listening.length === 0) return undefined;
  const about = { channels: listening.map(({ name }) => name) };
  const message =
    'The program ends, and start() was never called, so no channel was listened to. Call await registry.start()';
  return beforeExit(() => logger.warn(message, about));
}
