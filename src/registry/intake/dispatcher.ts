/**
 * The dispatcher: records what comes in, claims conversations, and hands each claim to the worker.
 * A message is acknowledged once it is stored; whether it is worked on here or elsewhere makes no difference to it.
 * Entries of one conversation reach the store in the order in which they were handed over.
 */

import { hasUnownedAsk } from '../../core/conversation/conversation.js';
import type { Entry, EntryOutcome } from '../../core/conversation/entry.js';
import { authorOf, reservedRoomFor } from '../../core/conversation/entry.js';
import type { Mutable } from '../../core/defined-fields.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { readConversation, readEntry, readOutcome, writeEntry } from '../../core/format/document.js';
import { ShortLivedMap } from '../../machine/short-lived-map.js';
import type { Claim, ConversationState, NewEntry, Predecide, Take, Taken } from '../../stores/port.js';
import { Admission } from '../admission.js';
import type { RegistryContext } from '../context.js';
import { intakeTimeout, warnOnce } from '../context.js';
import { Lease } from '../lease/lease.js';
import { LeaseTable } from '../lease/lease-table.js';
import type { SleepingTurns } from '../lease/sleeping-turns.js';
import { Notifier } from '../notifier.js';
import { isUnavailable, retried } from '../retry.js';
import { outsideTurn } from '../turn/current-turn.js';
import { arrivedHint } from '../waiters.js';
import type { Predecider } from '../work/predecide.js';
import type { Release, Worker } from '../work/worker.js';
import { LeftToOthers } from './left-to-others.js';

/** How far a claim may be delayed on its way before it must not count any more. */
const claimWindow = 10_000;

/** For how many sweeps a process without agents does not look again at what is for agents. */
const agentsAhead = 12;

export interface Recorded {
  readonly isRepeat: boolean;
  /** What became of it, where it is a repeat of an entry that was closed. */
  readonly outcome: EntryOutcome | undefined;
}

interface RecordOptions {
  /** The process that waits for what becomes of the entry. */
  readonly waiter?: string | undefined;
  /** The turn id that its work must have: for work that begins again. */
  readonly turn?: string | undefined;
}

interface TakeParts {
  readonly claims: boolean;
  readonly entry?: NewEntry;
  readonly predecide?: Predecide | undefined;
}

/** Whatever else an earlier entry was refused for is its own affair. */
function afterFailure(error: unknown, record: () => Promise<Recorded>): Promise<Recorded> {
  return isUnavailable(error) ? Promise.reject(error as AgentError) : record();
}

export class Dispatcher {
  readonly #context: RegistryContext;
  readonly #worker: Worker;
  readonly #predecider: Predecider;
  readonly #sleeping: SleepingTurns;
  readonly #admission: Admission;
  readonly #leases: LeaseTable;
  /** Notifies when a lease ends, a turn falls asleep, or the backlog was looked through. */
  readonly #changed = new Notifier();
  /** Conversations that this process recorded something for and had no turn slot to work on. */
  readonly #backlog = new Set<string>();
  #isCatchingUp = false;
  /** The conversation in the slot of the sweep. */
  #sweptNow: string | undefined;
  /** Conversations that this process could do nothing for. */
  readonly #handedBack: LeftToOthers;
  /** Conversations in which a process without agents has seen nothing to do. */
  readonly #leftToAgents: LeftToOthers;
  /** Conversations in which callers of this process wait for an answer, and how many do. */
  readonly #waitedIn = new Map<string, number>();
  /** By conversation: the last entry that is being recorded, or waits for its turn to be. */
  readonly #recording = new ShortLivedMap<string, Promise<Recorded>>();
  #isStopping = false;
  #time: { readonly now: number; readonly at: number } | undefined;

  constructor(context: RegistryContext, worker: Worker, predecider: Predecider, sleeping: SleepingTurns) {
    this.#context = context;
    this.#worker = worker;
    this.#predecider = predecider;
    this.#sleeping = sleeping;
    this.#handedBack = new LeftToOthers(context.clock, context.settings.sweep);
    this.#leftToAgents = new LeftToOthers(context.clock, agentsAhead * context.settings.sweep);
    this.#admission = new Admission(() => context);
    this.#leases = new LeaseTable(context);
    sleeping.onSleep(() => {
      this.#catchUp();
      this.#changed.notify();
    });
  }

  /**
   * Records an entry and, where it can, begins to work on it. Resolves once it is stored. Entries of one conversation are
   * recorded one after the other, in the order of the calls; those that wait behind one which the store could not take are
   * refused with it, so that none is accepted before one that has to be sent again.
   */
  record(conversationId: string, id: string, entry: Entry, options: RecordOptions = {}): Promise<Recorded> {
    const record = (): Promise<Recorded> => this.#record(conversationId, id, entry, options);
    const before = this.#recording.get(conversationId);
    const recorded =
      before === undefined ? record() : before.then(record, (error: unknown) => afterFailure(error, record));
    this.#recording.set(conversationId, recorded);
    const over = (): void => {
      if (this.#recording.get(conversationId) === recorded) this.#recording.delete(conversationId);
    };
    recorded.then(over, over);
    return recorded;
  }

  /** No await before the take where there is a place: with nothing before it, an entry leaves in the tick of its call. */
  async #record(conversationId: string, id: string, entry: Entry, options: RecordOptions): Promise<Recorded> {
    const queued = this.#admission.queue(conversationId);
    if (queued !== undefined) await queued;
    const began = this.#admission.begin();
    try {
      const { settings } = this.#context;
      const { waiter, turn } = options;
      const room = settings.queue + reservedRoomFor(entry, settings.reserved);
      const claims = this.#mayTake(conversationId) && !this.#looksFirst(conversationId) && this.free > 0;
      const predecide = claims ? this.#predecider.entering(conversationId, id, entry) : undefined;
      const record: Mutable<NewEntry> = { id, data: writeEntry(entry, waiter), room };
      if (turn !== undefined) record.turn = turn;
      const person = authorOf(entry)?.id;
      if (person !== undefined) record.person = person;
      const taken = await this.#take(conversationId, { claims, entry: record, predecide });
      this.sawTime(taken.now);
      if (taken.claim !== undefined) this.#begin(conversationId, taken.claim, id);
      return this.#recorded(conversationId, taken, claims, room);
    } catch (error) {
      this.#admission.failed(began, error);
      throw error;
    } finally {
      this.#admission.end();
    }
  }

  /** What the caller gets. Where this process cannot work on the entry, it gives a hint to the others. */
  #recorded(conversationId: string, { entry, claim, outcome }: Taken, claims: boolean, room: number): Recorded {
    if (entry === 'full') {
      throw new AgentError(
        'queue-full',
        `Conversation ${JSON.stringify(conversationId)} has ${room} entries waiting, which is the limit; this one was not recorded. Send it again later.`,
      );
    }
    if (entry === 'recorded' && !claims) {
      // where this process cannot work on it now, neither the others nor itself should wait for the sweep
      this.#context.store.hint({ conversationId });
      this.#leftToAgents.delete(conversationId);
      this.#later(conversationId);
    } else if (entry === 'recorded' && claim === undefined) this.#tellHolder(conversationId);
    return { isRepeat: entry === 'repeat', outcome: outcome === undefined ? undefined : readOutcome(outcome) };
  }

  /** The turn that holds the conversation may be waiting for exactly this entry. */
  #tellHolder(conversationId: string): void {
    if (!this.#sleeping.wake(conversationId)) this.#context.store.hint({ conversationId, entryId: arrivedHint });
  }

  /** Claims a conversation that has work to do, if this process may. With `isSwept` also into the slot of the sweep. */
  async tryTake(conversationId: string, isSwept = false): Promise<boolean> {
    if (!this.#mayTake(conversationId)) return false;
    if (this.#looksFirst(conversationId) && !(await this.#isForNoAgent(conversationId))) return false;
    if (this.free === 0) {
      if (!isSwept) this.#later(conversationId);
      // what only waits for a slot of its own keeps out of the sweep's: if it hung there too, nothing would go on
      if (!isSwept || this.freeToSweep === 0 || this.#backlog.has(conversationId)) return false;
      this.#sweptNow = conversationId;
    }
    const began = this.#admission.begin(); // it counts, and does not queue
    try {
      const { claim, now } = await this.#take(conversationId, { claims: true });
      this.sawTime(now);
      if (claim !== undefined) this.#begin(conversationId, claim);
      else this.#freeSweptSlot(conversationId);
      return claim !== undefined;
    } catch (error) {
      this.#freeSweptSlot(conversationId);
      this.#admission.failed(began, error);
      throw error;
    } finally {
      this.#admission.end();
    }
  }

  /** Without agents, where no caller of this process waits. */
  #looksFirst(conversationId: string): boolean {
    return this.#context.agentNames.length === 0 && !this.#waitedIn.has(conversationId);
  }

  /** Whether no agent is needed here. It is read, not claimed: a claim of what is for agents would keep them waiting. */
  async #isForNoAgent(conversationId: string): Promise<boolean> {
    if (this.#leftToAgents.has(conversationId)) return false;
    const state = await this.#context.store.conversation(conversationId);
    if (state !== null && this.#hasUnownedAsk(conversationId, state)) return this.#mayTake(conversationId);
    this.#leftToAgents.add(conversationId);
    return false;
  }

  /** What cannot be read is reported by the processes that work on it. */
  #hasUnownedAsk(conversationId: string, { document, queue }: ConversationState): boolean {
    try {
      const conversation = readConversation(document, conversationId);
      const entries = queue.map(readEntry);
      const hasIts = hasUnownedAsk(conversation, entries);
      if (!hasIts && conversation.late?.own.unowned && entries.some(({ entry }) => entry.type === 'message'))
        warnOnce(
          this.#context,
          'late without agents',
          'A message came after the deadline of an ask that no agent owns. It is kept in the queue of its conversation, for a process with agents: this one has none, so nobody is told that it was too late',
          { conversationId, askId: conversation.late.id },
        );
      return hasIts;
    } catch {
      return false;
    }
  }

  #take(conversationId: string, { claims, entry, predecide }: TakeParts): Promise<Taken> {
    const { newId, settings } = this.#context;
    const token = newId();
    const call: Mutable<Take> = { conversationId, token, turn: token, lease: claims ? settings.lease : 0 };
    const now = this.storeTime();
    if (entry !== undefined) call.entry = entry;
    else if (now !== undefined) call.claimBefore = now + claimWindow;
    if (predecide !== undefined) call.predecide = predecide;
    return retried(this.#context, 'take', intakeTimeout, () => this.#context.store.take(call));
  }

  /** The caller need not wait for the work. It is part of no turn, even if the call was made in one. */
  #begin(conversationId: string, claim: Claim, arrival?: string): void {
    const lease = new Lease(this.#context, conversationId, claim, arrival);
    this.#leases.add(lease);
    void outsideTurn(() => this.#worker.work(lease, claim)).then((release) => this.#released(lease, release));
  }

  #released(lease: Lease, release: Release): void {
    const { conversationId } = lease;
    if (release.type === 'failed') this.#again(conversationId, release.wait);
    if (release.type === 'handed-back') {
      this.#handedBack.add(conversationId);
      this.#context.store.hint({ conversationId });
    }
    this.#leases.remove(lease);
    this.#freeSweptSlot(conversationId);
    this.#catchUp();
    this.#changed.notify();
  }

  #freeSweptSlot(conversationId: string): void {
    if (this.#sweptNow === conversationId) this.#sweptNow = undefined;
  }

  /** Looks at a conversation after its back-off, without waiting for the sweep. */
  #again(conversationId: string, ms: number): void {
    this.#context.clock.after(ms + 1, () => void this.#tryQuietly(conversationId));
  }

  /** An entry came in for a leased conversation: if a turn of this process waits in it, it looks. */
  arrived(conversationId: string): void {
    this.#sleeping.wake(conversationId);
  }

  /** A caller waits for an answer in this conversation: until that ends, this process works on it without a look, even without agents. */
  waitBegins(conversationId: string): void {
    this.#waitedIn.set(conversationId, (this.#waitedIn.get(conversationId) ?? 0) + 1);
  }

  waitEnds(conversationId: string): void {
    const left = (this.#waitedIn.get(conversationId) ?? 1) - 1;
    if (left === 0) this.#waitedIn.delete(conversationId);
    else this.#waitedIn.set(conversationId, left);
  }

  /** The same while the work runs. */
  async waitingIn<T>(conversationId: string, work: () => Promise<T>): Promise<T> {
    this.waitBegins(conversationId);
    try {
      return await work();
    } finally {
      this.waitEnds(conversationId);
    }
  }

  /** Looks at a conversation in which a caller begins to wait: what came before is queued. */
  lookIn(conversationId: string): void {
    if (this.#context.agentNames.length === 0) void this.#tryQuietly(conversationId);
  }

  /** How many conversations more this process may work on now, beside the one in the slot of the sweep. */
  get free(): number {
    if (this.#isStopping) return 0;
    const working = this.#leases.size - this.#sleeping.asleep - (this.#isSweptSlotTaken() ? 1 : 0);
    return Math.max(0, this.#context.settings.turns - working);
  }

  /** The same for the sweep, which has a slot of its own: however much comes in, deadlines and recovery go on. */
  get freeToSweep(): number {
    return this.#isStopping ? 0 : Math.max(this.free, this.#isSweptSlotTaken() ? 0 : 1);
  }

  /** How many conversations wait for a slot. */
  get waiting(): number {
    return this.#backlog.size;
  }

  /** How many conversations are left to others now. */
  get leftToOthers(): number {
    return this.#handedBack.size + this.#leftToAgents.size;
  }

  /** A turn that waits for a person takes no slot. */
  #isSweptSlotTaken(): boolean {
    return this.#sweptNow !== undefined && !this.#sleeping.has(this.#sweptNow);
  }

  /** Settles when the sweep may take more, or never will. */
  async roomToSweep(): Promise<void> {
    while (!this.#isStopping && this.freeToSweep === 0) await this.#changed.next();
  }

  get busy(): boolean {
    return this.#leases.size > this.#sleeping.asleep || this.#isCatchingUp;
  }

  /** The store's time as far as this process knows it. */
  storeTime(): number | undefined {
    const time = this.#time;
    return time && Math.floor(time.now + this.#context.clock.elapsed() - time.at);
  }

  /** The store has just said its time. */
  sawTime(now: number): void {
    this.#time = { now, at: this.#context.clock.elapsed() };
  }

  /** Settles when no turn runs here; one that waits for a person does not run. */
  async idle(): Promise<void> {
    while (this.busy) await this.#changed.next();
  }

  /** Takes nothing new, lets turns finish within the grace time, and gives the rest back. Renewal goes on meanwhile. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#worker.drain();
    this.#changed.notify();
    const { clock, settings } = this.#context;
    const stopped = new AgentError('stopped', 'The registry was stopped; the turn is given back and runs elsewhere.');
    for (const lease of this.#leases.list()) {
      if (lease.isWaiting) lease.interrupt(stopped); // a person may take days
    }
    const cancel = clock.after(settings.grace, () => {
      for (const lease of this.#leases.list()) lease.interrupt(stopped);
      this.#admission.close(stopped);
    });
    await this.#admission.idle();
    while (this.#leases.size > 0) await this.#changed.next();
    await this.idle();
    cancel();
    this.#leases.stop();
  }

  #mayTake(conversationId: string): boolean {
    return !this.#isStopping && !this.#handedBack.has(conversationId);
  }

  /** Goes back to a recorded conversation when this process has a free turn slot, which may be now. */
  #later(conversationId: string): void {
    if (!this.#mayTake(conversationId)) return;
    this.#backlog.add(conversationId);
    this.#catchUp();
  }

  #catchUp(): void {
    if (this.#backlog.size > 0 && this.free > 0 && !this.#isCatchingUp) void this.#takeBacklog();
  }

  async #takeBacklog(): Promise<void> {
    this.#isCatchingUp = true;
    for (const conversationId of this.#backlog) {
      if (this.free === 0) break;
      this.#backlog.delete(conversationId);
      await this.#tryQuietly(conversationId);
    }
    this.#isCatchingUp = false; // no await since the last look: a slot that gets free from here on begins anew
    this.#changed.notify();
  }

  async #tryQuietly(conversationId: string): Promise<void> {
    try {
      await this.tryTake(conversationId);
    } catch (error) {
      const failure = failureOf(error);
      this.#context.logger.warn('A conversation could not be taken; the sweep looks again', { failure });
    }
  }
}
