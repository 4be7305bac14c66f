/**
 * The desk: records what comes in, takes conversations, and keeps the holds of this process alive.
 * A message is acknowledged once it is stored; whether it is worked on here or elsewhere makes no difference to it.
 */

import type { Disposition, Entry } from '../../core/conversation/entry.js';
import { isReserved } from '../../core/conversation/entry.js';
import type { Mutable } from '../../core/defined-fields.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { readConversation, readOutcome, writeEntry } from '../../core/format/document.js';
import type { Claim, NewEntry, Take, Taken } from '../../stores/port.js';
import { Admission } from '../admission.js';
import type { RegistryContext } from '../context.js';
import { intakePatience } from '../context.js';
import { Lease, RecordedMessage } from '../lease/lease.js';
import { LeaseTable } from '../lease/lease-table.js';
import { Renewal } from '../lease/renewal.js';
import { arrivedHint } from '../outcome-waiters.js';
import type { Commit } from '../work/commit.js';
import type { PredecidedReply } from '../work/predecide.js';
import type { WaitingTurn } from '../work/wait-in-turn.js';
import type { Takes, Worker } from '../work/worker.js';
import { SleepingTurns } from './sleeping-turns.js';

/** How far a claim may be delayed on its way before it must not count any more. */
const claimWindow = 10_000;

interface Recorded {
  readonly repeat: boolean;
  readonly disposition?: Disposition;
}

/** What whoever recorded it is told. */
type As<T> = (recorded: Recorded) => T;
const asItIs: As<Recorded> = (recorded) => recorded;
const inAWord: As<'recorded' | 'repeat'> = ({ repeat }) => (repeat ? 'repeat' : 'recorded');

/** What came in, and what is known of it. */
interface Arrival {
  readonly entry?: NewEntry;
  readonly predecided?: PredecidedReply | undefined;
  readonly said?: RecordedMessage | undefined;
}

export class Dispatcher implements Takes {
  readonly #context: RegistryContext;
  readonly #leases = new LeaseTable();
  readonly #renewal: Renewal;
  readonly #admission: Admission;
  readonly #backlog = new Set<string>();
  #catchingUp: Promise<void> | undefined;
  readonly #avoided = new Map<string, () => void>();
  /** Conversations in which somebody here waits for an answer, and how many do. */
  readonly #waitedIn = new Map<string, number>();
  readonly #waitingTurns = new SleepingTurns(() => this.#catchUp());
  #worker: Worker | undefined;
  #commit: Commit | undefined;
  #stopping = false;
  #time: { readonly now: number; readonly at: number } | undefined;

  constructor(context: RegistryContext) {
    this.#context = context;
    this.#renewal = new Renewal(context, this.#leases);
    this.#admission = new Admission(() => context);
  }

  /** The parts that need the desk themselves. */
  equip(worker: Worker, commit: Commit): void {
    this.#worker = worker;
    this.#commit = commit;
  }

  /** Records an entry and, where it can, begins to work on it. Resolves once it is stored. */
  record(conversationId: string, entryId: string, entry: Entry, waiter?: string): Promise<Recorded> {
    return this.#admission.enter(() => this.#record(conversationId, entryId, entry, asItIs, waiter), conversationId);
  }

  /** The same for a channel's message, with what its channel is told. */
  receive(conversationId: string, entryId: string, entry: Entry): Promise<'recorded' | 'repeat'> {
    return this.#admission.enter(() => this.#record(conversationId, entryId, entry, inAWord), conversationId);
  }

  #record<T>(conversationId: string, entryId: string, entry: Entry, as: As<T>, waiter?: string): Promise<T> {
    const { settings } = this.#context;
    const room = settings.queue + (isReserved(entry) ? settings.reserved : 0);
    const data = writeEntry(entry, waiter);
    const record: Mutable<NewEntry> = { id: entryId, data, room };
    if (entry.type === 'message')
      return this.#enter(conversationId, record, as, entry, new RecordedMessage(data, entry, waiter));
    if (entry.type !== 'retry') return this.#enter(conversationId, record, as, entry);
    return this.#parkedTurn(conversationId, entry.parkedId).then((turn) => {
      if (turn !== undefined) record.turn = turn;
      return this.#enter(conversationId, record, as);
    });
  }

  #enter<T>(conversationId: string, entry: NewEntry, as: As<T>, what?: Entry, said?: RecordedMessage): Promise<T> {
    const takes = this.#mayTake(conversationId) && this.free > 0;
    const predecided =
      takes && what ? this.#commit?.predecider.of(conversationId, entry.id, what, this.storeTime()) : undefined;
    const told = (taken: Taken): T => {
      if (taken.entry === 'full') {
        throw new AgentError(
          'queue-full',
          `Conversation ${JSON.stringify(conversationId)} has ${entry.room} entries waiting, which is the limit; this one was not recorded. Send it again later.`,
        );
      }
      if (taken.entry === 'recorded' && !takes) {
        // where this process cannot work on it now, nobody should have to wait for the sweep: neither others nor itself
        this.#context.store.hint({ conversationId });
        this.#later(conversationId);
      } else if (taken.entry === 'recorded' && taken.claim === undefined) this.#tellHolder(conversationId);
      const repeat = taken.entry === 'repeat';
      const { outcome } = taken;
      return as(outcome === undefined ? { repeat } : { repeat, disposition: readOutcome(outcome) });
    };
    return this.#take(conversationId, takes, told, { entry, predecided, said });
  }

  /** Whoever holds the conversation may be waiting for exactly this. */
  #tellHolder(conversationId: string): void {
    if (!this.#waitingTurns.wake(conversationId)) this.#context.store.hint({ conversationId, entryId: arrivedHint });
  }

  /** Takes a conversation that wants a holder, if this process may. */
  async tryTake(conversationId: string): Promise<boolean> {
    if (!this.#mayTake(conversationId)) return false;
    if (this.free === 0) {
      this.#later(conversationId);
      return false;
    }
    return this.#take(conversationId, true, (taken) => taken.claim !== undefined);
  }

  /** Leaves a conversation to others for a while, then looks again. */
  avoid(conversationId: string): void {
    this.#avoided.get(conversationId)?.();
    const cancel = this.#context.clock.after(this.#context.settings.sweep, () => this.#avoided.delete(conversationId));
    this.#avoided.set(conversationId, cancel);
  }

  /** Looks at a conversation again after its back-off, without waiting for the sweep. */
  again(conversationId: string, ms: number): void {
    this.#context.clock.after(ms + 1, () => void this.#tryQuietly(conversationId));
  }

  /** Something came in for a conversation that somebody holds: if it is a waiting turn of this process, it looks. */
  arrived(conversationId: string): void {
    this.#waitingTurns.wake(conversationId);
  }

  /** A turn of this process waits: it is woken by what comes in, and takes no place among those that work. */
  turnWaits(conversationId: string, wake: () => void): WaitingTurn {
    return this.#waitingTurns.add(conversationId, wake);
  }

  /** Somebody here waits for an answer in this conversation, so this process works on it even without agents. */
  waitIn(conversationId: string): () => void {
    this.#waitedIn.set(conversationId, (this.#waitedIn.get(conversationId) ?? 0) + 1);
    return () => {
      const left = (this.#waitedIn.get(conversationId) ?? 1) - 1;
      if (left === 0) this.#waitedIn.delete(conversationId);
      else this.#waitedIn.set(conversationId, left);
    };
  }

  /** Looks at a conversation in which somebody here begins to wait: what came before stands in line. */
  lookIn(conversationId: string): void {
    if (this.#context.agentNames.length === 0) void this.#tryQuietly(conversationId);
  }

  /** How many conversations more this process may work on now. */
  get free(): number {
    return this.#works()
      ? Math.max(0, this.#context.settings.turns - this.#leases.size + this.#waitingTurns.asleep)
      : 0;
  }

  get busy(): boolean {
    return this.#leases.size > this.#waitingTurns.asleep || this.#catchingUp !== undefined;
  }

  /** The store's time as far as this process knows it. */
  storeTime(): number | undefined {
    const time = this.#time;
    return time && Math.floor(time.now + this.#context.clock.elapsed() - time.at);
  }

  /** The store has just said its time: when that was by this process's own measure. */
  sawTime(now: number): number {
    this.#time = { now, at: this.#context.clock.elapsed() };
    return this.#time.at;
  }

  /** Settles when no turn runs here; one that waits for a person does not run. */
  async idle(): Promise<void> {
    while (this.busy) {
      await new Promise<void>((resolve) => {
        this.#waitingTurns.onSleep = resolve;
        void (this.#catchingUp ?? this.#leases.ended()).then(resolve);
      });
    }
  }

  /** Takes nothing new, lets turns finish within the grace time, and gives the rest back. Renewal goes on meanwhile. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#commit !== undefined) this.#commit.draining = true;
    const { clock, settings } = this.#context;
    const stopped = new AgentError('stopped', 'The registry was stopped; the turn is given back and runs elsewhere.');
    for (const lease of this.#leases.list()) {
      if (this.#waitingTurns.has(lease.conversationId)) lease.interrupt(stopped); // a person may take days
    }
    const cancel = clock.after(settings.grace, () => {
      for (const lease of this.#leases.list()) lease.interrupt(stopped);
      this.#admission.close(stopped);
    });
    await this.#admission.empty();
    while (this.#leases.size > 0) await this.#leases.ended();
    await this.idle();
    cancel();
    this.#renewal.stop();
    for (const cancelAvoid of this.#avoided.values()) cancelAvoid();
  }

  #works(): boolean {
    return !this.#stopping && (this.#context.agentNames.length > 0 || this.#waitedIn.size > 0);
  }

  #mayTake(conversationId: string): boolean {
    if (!this.#works() || this.#avoided.has(conversationId)) return false;
    return this.#context.agentNames.length > 0 || this.#waitedIn.has(conversationId);
  }

  #take<T>(
    conversationId: string,
    claim: boolean,
    told: (taken: Taken) => T,
    { entry, predecided, said }: Arrival = {},
  ): Promise<T> {
    const { store, settings, newId, documents } = this.#context;
    const lease = claim ? settings.lease : 0;
    const call: Mutable<Take> = { conversationId, token: newId(), turn: newId(), lease };
    const known = entry === undefined ? this.storeTime() : undefined;
    if (predecided !== undefined) call.predecided = predecided;
    if (entry !== undefined) call.entry = entry;
    else if (known !== undefined) call.claimBefore = known + claimWindow;
    const begin = (taken: Taken): T => {
      const heard = this.sawTime(taken.now);
      if (predecided !== undefined && taken.claim?.document === predecided.document)
        documents.wentOn(conversationId, predecided);
      if (taken.claim !== undefined)
        this.#begin(new Lease(this.#context, conversationId, taken.claim, heard, said, entry?.id), taken.claim);
      return told(taken);
    };
    return this.#admission.through('take', intakePatience, () => store.take(call), begin);
  }

  #begin(lease: Lease, claim: Claim): void {
    this.#leases.add(lease, (over) =>
      (this.#worker as Worker).work(lease, claim, () => {
        over();
        this.#catchUp();
      }),
    );
    this.#renewal.start();
  }

  /** Goes back to a recorded conversation when this process has a hand free, which may be now. */
  #later(conversationId: string): void {
    if (!this.#mayTake(conversationId)) return;
    this.#backlog.add(conversationId);
    this.#catchUp();
  }

  #catchUp(): void {
    if (this.#backlog.size > 0 && this.free > 0) this.#catchingUp ??= this.#takeBacklog();
  }

  async #takeBacklog(): Promise<void> {
    for (const conversationId of this.#backlog) {
      if (this.free === 0) break;
      this.#backlog.delete(conversationId);
      await this.#tryQuietly(conversationId);
    }
    // in the same breath as the last look: a hand that gets free from here on begins anew
    this.#catchingUp = undefined;
  }

  async #tryQuietly(conversationId: string): Promise<void> {
    try {
      await this.tryTake(conversationId);
    } catch (error) {
      const failure = failureOf(error);
      this.#context.logger.warn('A conversation could not be taken; the sweep looks again', { failure });
    }
  }

  async #parkedTurn(conversationId: string, parkedId: string): Promise<string | undefined> {
    const state = await this.#context.store.conversation(conversationId);
    const { parked } = readConversation(state?.document ?? null, conversationId);
    return parked.find((each) => each.id === parkedId)?.turn;
  }
}
