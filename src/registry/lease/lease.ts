/**
 * One hold on a conversation: the fence, the revision and the store's time, carried from save to save.
 */
import type { MessageEntry } from '../../core/conversation/entry.js';
import type { Mutable } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import type { Claim, Save, Saved } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { retried } from '../context.js';
import type { StopSignal } from './stop-signal.js';

type Own = 'conversationId' | 'token' | 'call' | 'revision' | 'then' | 'loan' | 'retention' | 'repeatMarks';
export type Changes = Partial<Omit<Save, Own>>;
type Done = Extract<Saved, { type: 'saved' }>;

const none: readonly never[] = [];
/** One empty list for all: what a save has is kept until it is answered. */
const some = <T>(list: readonly T[] | undefined): readonly T[] =>
  list === undefined || list.length === 0 ? none : list;
const noAsks: Save['asks'] = { opened: none, settled: none };
const noneParked: Save['parked'] = { added: none, removed: none };

/** A message that this process has just recorded, and the text it was recorded as: nobody has to read it again. */
export class RecordedMessage {
  readonly data: string;
  readonly entry: MessageEntry;
  readonly waiter: string | undefined;

  constructor(data: string, entry: MessageEntry, waiter: string | undefined) {
    this.data = data;
    this.entry = entry;
    this.waiter = waiter;
  }
}

export class Lease {
  readonly conversationId: string;
  readonly token: string;
  /** What was recorded with the claim. */
  readonly said: RecordedMessage | undefined;
  /** The entry that was recorded with the claim, by whoever is still in the call. */
  readonly brought: string | undefined;
  /** When the work at hand began, by this process's own measure. */
  begun: number;
  /** When the store said its last word, by the same. */
  heard: number;
  readonly #context: RegistryContext;
  #revision: number;
  #calls = 0;
  /** The store's time at its last word. */
  #now: number;
  #lost = false;
  #reason: AgentError | undefined;
  #turn: StopSignal | undefined;

  /** `heard`: when the store said so, by this process's own measure. */
  constructor(
    context: RegistryContext,
    conversationId: string,
    claim: Claim,
    heard: number,
    said?: RecordedMessage,
    brought?: string,
  ) {
    this.#context = context;
    this.conversationId = conversationId;
    this.token = claim.token;
    this.said = said;
    this.brought = brought;
    this.#revision = claim.revision;
    this.#now = claim.now;
    this.heard = heard;
    this.begun = heard;
  }

  /** The store's time at its last word, plus what has passed since. A replica's own clock is never asked. */
  now(): number {
    return Math.floor(this.#now + this.#context.clock.elapsed() - this.heard);
  }

  /** The conversation is lost to another process: nothing more can be saved. */
  lost(reason: AgentError): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#reason = reason;
    this.#turn?.because(reason);
  }

  /** This process wants the work back unfinished, which can still be saved. */
  interrupt(reason: AgentError): void {
    this.#reason ??= reason;
    this.#turn?.because(reason);
  }

  /** A turn begins, and hears of what stops it; of what came before it, at once. */
  began(turn: StopSignal): void {
    this.#turn = turn;
    if (this.#reason !== undefined) turn.because(this.#reason);
  }

  ended(turn: StopSignal): void {
    if (this.#turn === turn) this.#turn = undefined;
  }

  /** Writes, or rejects with `lease-lost`: then nothing was written and this hold is over. `done` is what follows at once. */
  save(then: Save['then'], changes: Changes): Promise<Done>;
  save<R>(then: Save['then'], changes: Changes, done: (saved: Done) => R): Promise<R>;
  save<R>(then: Save['then'], changes: Changes, done?: (saved: Done) => R): Promise<R | Done> {
    const { settings, store } = this.#context;
    if (this.#lost) return Promise.reject(this.#fenced());
    this.#calls += 1;
    const call: Mutable<Save> = {
      conversationId: this.conversationId,
      token: this.token,
      call: `${this.token}.${this.#calls}`,
      revision: this.#revision,
      outputs: some(changes.outputs),
      withdraw: some(changes.withdraw),
      history: some(changes.history),
      asks: changes.asks ?? noAsks,
      parked: changes.parked ?? noneParked,
      people: some(changes.people),
      then,
      loan: settings.loan,
      retention: settings.retention,
      repeatMarks: settings.repeatMarks,
    };
    if (changes.document !== undefined) call.document = changes.document;
    if (changes.due !== undefined) call.due = changes.due;
    if (changes.open !== undefined) call.open = changes.open;
    if (changes.closes !== undefined) call.closes = changes.closes;
    return retried(
      this.#context,
      'save',
      settings.lease,
      () => store.save(call),
      (saved) => (done === undefined ? this.#saved(saved) : done(this.#saved(saved))),
    );
  }

  #saved(saved: Saved): Done {
    if (saved.type === 'refused') {
      this.lost(this.#fenced());
      throw this.#fenced();
    }
    this.#revision = saved.revision;
    this.#now = saved.now;
    this.heard = this.#context.clock.elapsed();
    if (saved.next !== undefined) this.begun = this.heard;
    return saved;
  }

  #fenced(): AgentError {
    return new AgentError(
      'lease-lost',
      `Conversation ${JSON.stringify(this.conversationId)} is held by another process now; nothing of this turn was saved. It runs again there.`,
    );
  }
}
