/**
 * One hold on a conversation: the fence, the revision and the store's time, carried from save to save.
 */
import { AgentError } from '../core/errors.js';
import type { Claim, Save, Saved } from '../stores/port.js';
import type { House } from './house.js';
import { persistently } from './house.js';

type Changes = Partial<Omit<Save, 'conversationId' | 'token' | 'call' | 'revision' | 'then'>>;
type Done = Extract<Saved, { type: 'saved' }>;

const nothing = {
  outputs: [],
  withdraw: [],
  history: [],
  asks: { opened: [], settled: [] },
  parked: { added: [], removed: [] },
  people: [],
} as const;

export class Hold {
  readonly conversationId: string;
  readonly token: string;
  /** Aborted when the conversation is lost to another process: nothing more can be saved. */
  readonly lost = new AbortController();
  /** Aborted when this process wants the work back unfinished, which can still be saved. */
  readonly interrupted = new AbortController();
  readonly #house: House;
  #revision: number;
  #calls = 0;
  #time: { readonly now: number; readonly at: number };

  constructor(house: House, conversationId: string, claim: Claim) {
    this.#house = house;
    this.conversationId = conversationId;
    this.token = claim.token;
    this.#revision = claim.revision;
    this.#time = { now: claim.now, at: house.clock.elapsed() };
  }

  /** The store's time at its last word, plus what has passed since. A replica's own clock is never asked. */
  now(): number {
    return Math.floor(this.#time.now + this.#house.clock.elapsed() - this.#time.at);
  }

  /** Writes, or throws `lease-lost`: then nothing was written and this hold is over. */
  async save(then: Save['then'], changes: Changes): Promise<Done> {
    const { settings, store } = this.#house;
    if (this.lost.signal.aborted) throw this.#fenced();
    this.#calls += 1;
    const call: Save = {
      ...nothing,
      loan: settings.loan,
      retention: settings.retention,
      repeatMarks: settings.repeatMarks,
      ...changes,
      conversationId: this.conversationId,
      token: this.token,
      call: `${this.token}.${this.#calls}`,
      revision: this.#revision,
      then,
    };
    const saved = await persistently(this.#house, 'save', settings.lease, () => store.save(call));
    if (saved.type === 'refused') {
      this.lost.abort(this.#fenced());
      throw this.#fenced();
    }
    this.#revision = saved.revision;
    this.#time = { now: saved.now, at: this.#house.clock.elapsed() };
    return saved;
  }

  #fenced(): AgentError {
    return new AgentError(
      'lease-lost',
      `Conversation ${JSON.stringify(this.conversationId)} is held by another process now; nothing of this turn was saved. It runs again there.`,
    );
  }
}
