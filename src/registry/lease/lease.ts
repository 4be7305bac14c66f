/**
 * One lease on a conversation: the fence, the revision and the store's time, carried from save to save.
 */
import type { Mutable } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import type { Claim, Save, Saved } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { tryAgain } from '../retry.js';
import type { StopSignal } from './stop-signal.js';

/** What a save writes; what is left out, or undefined, stays as it is. */
export interface Changes
  extends Partial<Pick<Save, 'outputs' | 'withdraw' | 'history' | 'asks' | 'parked' | 'people'>> {
  readonly document?: Save['document'] | undefined;
  readonly due?: number | null | undefined;
  readonly open?: boolean | undefined;
  readonly closes?: Save['closes'] | undefined;
}
type Done = Extract<Saved, { type: 'saved' }>;

/** What becomes of the lease with a save. The next work has the id of the save that hands it over as its turn id. */
export type SaveEnd = Exclude<Save['then'], { type: 'next' }> | { readonly type: 'next'; readonly lease: number };

export class Lease {
  readonly conversationId: string;
  readonly token: string;
  /** The life of the conversation that was claimed. */
  readonly incarnation: string;
  /** The id of the entry that was recorded with the claim; its caller may still wait. */
  readonly arrival: string | undefined;
  /** When the work at hand began, by this process's own measure. */
  begun: number;
  /** When the store answered last, by the same. */
  heard: number;
  readonly #context: RegistryContext;
  #revision: number;
  /** When the lease may be over, by this process's own measure. */
  #heldUntil: number;
  #historyEnd: number;
  #historyBegan: number;
  #calls = 0;
  /** The store's time in its last answer. */
  #now: number;
  #lost = false;
  #reason: AgentError | undefined;
  #turn: StopSignal | undefined;

  /** The claim has just come from the store. */
  constructor(context: RegistryContext, conversationId: string, claim: Claim, arrival?: string) {
    this.#context = context;
    this.conversationId = conversationId;
    this.token = claim.token;
    this.incarnation = claim.incarnation;
    this.arrival = arrival;
    this.#revision = claim.revision;
    this.#historyEnd = claim.historyEnd;
    this.#historyBegan = claim.historyEnd;
    this.#now = claim.now;
    this.heard = context.clock.elapsed();
    this.begun = this.heard;
    this.#heldUntil = this.heard + context.settings.lease;
  }

  /** The revision that the next save follows. */
  get revision(): number {
    return this.#revision;
  }

  /** The number of the first history item that the work at hand could write. */
  get historyBegan(): number {
    return this.#historyBegan;
  }

  /** The number that the next history item will have. */
  get historyEnd(): number {
    return this.#historyEnd;
  }

  /** The store's time in its last answer, plus what has passed since. A replica's own clock is never read. */
  now(): number {
    return Math.floor(this.#now + this.#context.clock.elapsed() - this.heard);
  }

  /** The store extended it by a call that was made at `at`. */
  renewed(at: number): void {
    this.#heldUntil = at + this.#context.settings.lease;
  }

  /** A process that stood still for longer than its lease must begin nothing that another may have begun meanwhile. */
  assertHeld(): void {
    if (this.#context.clock.elapsed() < this.#heldUntil) return;
    const fenced = this.#fenced();
    this.lost(fenced);
    throw fenced;
  }

  /** The conversation is lost to another process: nothing more can be saved. */
  lost(reason: AgentError): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#reason = reason;
    this.#turn?.because(reason);
  }

  /** This process stops: the unfinished turn is given back, which can still be saved. */
  interrupt(reason: AgentError): void {
    this.#reason ??= reason;
    this.#turn?.because(reason);
  }

  /** Its turn waits for a person. */
  get isWaiting(): boolean {
    return this.#turn?.isWaiting === true;
  }

  /**
   * The result of a turn's work. Rejects as soon as the turn has to stop, also for a reason from before it, whether or not the work listens to
   * the signal. What a stopped turn still does counts for nothing.
   */
  run<T>(turn: StopSignal, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        turn.end();
        if (this.#turn === turn) this.#turn = undefined;
      };
      const fail = (reason: unknown): void => {
        end();
        reject(reason);
      };
      turn.onStop = fail;
      this.#turn = turn;
      if (this.#reason !== undefined) turn.because(this.#reason);
      if (turn.isStopped) return;
      work().then((result) => {
        end();
        resolve(result);
      }, fail);
    });
  }

  /** Writes, or rejects with `lease-lost`: then nothing was written and this lease is over. */
  save(then: SaveEnd, changes: Changes): Promise<Done> {
    const { settings, store } = this.#context;
    if (this.#lost) return Promise.reject(this.#fenced());
    this.#calls += 1;
    const id = `${this.token}.${this.#calls}`;
    const { outputs = [], withdraw = [], history = [], people = [], document, due, open, closes } = changes;
    // field by field: made with spreads, this record alone costs a tenth of a small turn
    const call: Mutable<Save> = {
      conversationId: this.conversationId,
      token: this.token,
      call: id,
      revision: this.#revision,
      outputs,
      withdraw,
      history,
      historyLimit: settings.historyLimit,
      asks: changes.asks ?? { opened: [], changed: [], settled: [] },
      parked: changes.parked ?? { added: [], removed: [] },
      people,
      then: then.type === 'next' ? { type: 'next', turn: id, lease: then.lease } : then,
      sendLease: settings.sendLease,
      retention: settings.retention,
      dedupeWindow: settings.dedupeWindow,
    };
    if (document !== undefined) call.document = document;
    if (due !== undefined) call.due = due;
    if (open !== undefined) call.open = open;
    if (closes !== undefined) call.closes = closes;
    const save = (): Promise<Saved> => store.save(call);
    const until = this.#context.clock.elapsed() + settings.lease;
    return save().then(
      (saved) => this.#saved(saved, history.length),
      async (error: unknown) => this.#saved(await tryAgain(this.#context, 'save', until, save, error), history.length),
    );
  }

  #saved(saved: Saved, items: number): Done {
    if (saved.type === 'refused') {
      this.lost(this.#fenced());
      throw this.#fenced();
    }
    this.#revision = saved.revision;
    this.#historyEnd += items;
    if (saved.next !== undefined) this.#historyBegan = this.#historyEnd;
    this.#now = saved.now;
    this.heard = this.#context.clock.elapsed();
    if (saved.next !== undefined) {
      this.begun = this.heard;
      this.#heldUntil = this.heard + this.#context.settings.lease;
    }
    return saved;
  }

  #fenced(): AgentError {
    return new AgentError(
      'lease-lost',
      `Conversation ${JSON.stringify(this.conversationId)} is held by another process now; nothing of this turn was saved. It runs again there.`,
    );
  }
}
