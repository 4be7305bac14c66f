/**
 * What the rooms above may read of the engine to show asks to people: records instead of views, lists with who may answer, and
 * decisions under an id of the caller's. It adds no rule; what is shown to whom is decided in server/.
 */
import type { Channel } from '../../channels/port.js';
import { withoutSensitiveAnswer } from '../../core/ask/ask.js';
import type { Logger } from '../../core/events.js';
import { readTombstone, type Tombstone } from '../../core/format/document.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import type { Settings } from '../../core/settings.js';
import type { Clock } from '../../machine/clock.js';
import type { Page, Swap } from '../../stores/port.js';
import type { AskFilter, AskPage } from '../calls/list-asks.js';
import { AskListing } from '../calls/list-asks.js';
import type { AskLookup, FoundAsk, ParkedFilter } from '../calls/lookup.js';
import type { CallParts } from '../calls/parts.js';
import { handOver } from '../calls/settle/hand-over.js';
import type { SettleCall } from '../calls/settle/settle.js';
import { answerAsk, cancelOne, closeParked, decline, retry } from '../calls/settle/settle.js';
import type { RegistryContext } from '../context.js';
import type { Notifier } from '../notifier.js';
import { HistoryTenants } from './history-tenants.js';

/** For the rooms above: what they show of the engine's records. */
export const inboxPort = Symbol('inbox');

/** The ask as it is recorded, without the answer to a sensitive question. */
export type RecordedAsk = FoundAsk;

/** A page of recorded asks, and how many of its records cannot be read. */
export interface RecordedPage extends Omit<AskPage, 'asks'> {
  readonly asks: readonly RecordedAsk[];
}

export class InboxPort {
  readonly #parts: CallParts;
  readonly #context: RegistryContext;
  readonly #asks: AskLookup;
  readonly #open: () => Promise<void>;
  readonly #tenants: HistoryTenants;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly newId: () => string;
  /** Settles when the registry is stopped. */
  readonly stopping: Promise<void>;

  constructor(parts: CallParts, open: () => Promise<void>, stopping: Notifier) {
    const { context, asks } = parts;
    [this.#parts, this.#context, this.#asks, this.#open] = [parts, context, asks, open];
    const { channels, clock, logger, settings, newId } = context;
    [this.channels, this.clock, this.logger, this.settings, this.newId] = [channels, clock, logger, settings, newId];
    this.#tenants = new HistoryTenants(context.store);
    this.stopping = stopping.next();
  }

  /** The store's time. It rejects if the store does not answer. */
  now = this.#opened(async () => (await this.#context.store.due(1)).now);

  list = this.#opened(async (filter: AskFilter): Promise<RecordedPage> => {
    const { found, ...page } = await new AskListing(this.#context, this.#asks).find(filter);
    const asks = found.map(({ ask, conversationId }) => ({ ask: withoutSensitiveAnswer(ask), conversationId }));
    return { asks, ...page };
  });

  find = this.#opened(async (id: string): Promise<RecordedAsk | null> => {
    const found = await this.#asks.find(id);
    return found && { ask: withoutSensitiveAnswer(found.ask), conversationId: found.conversationId };
  });

  /** What is left of an ask whose conversation was erased; null for every other one. */
  erased = this.#opened(async (id: string): Promise<Tombstone | null> => {
    const found = await this.#context.store.find(id);
    return (found !== null && 'record' in found && readTombstone(found.record)) || null;
  });

  /**
   * Asks that were opened, changed, settled or erased since a cursor, in whichever process; without one, only the cursor of now. After a
   * `gap` some were missed: the lists have to be read anew. An ask may be told more than once.
   */
  changes = this.#opened((page: Page) => this.#context.store.changes(page));

  /** Compares and sets a small value that all processes share, for a time. The value must be one that no other call gives. */
  swap = this.#opened((call: Swap) => this.#context.store.swap(call));

  /** The ids of the conversations that a participant takes part in. */
  conversationsOf = this.#opened((participantId: string) => this.#context.store.conversationsOf(participantId));

  /** The tenants of those who wrote in a conversation, three of them at most; null if nothing was said there, or nothing is kept. */
  tenantsIn = this.#opened((conversationId: string) => this.#tenants.of(conversationId));

  /** Whether this person may answer it by its id. Nobody may whom a policy cannot judge. */
  mayAnswer({ ask, conversationId }: RecordedAsk, by: Participant): Promise<boolean> {
    return this.#asks.isFor(by, ask, conversationId);
  }

  /** The same as of the registry, recorded under the caller's own id: the same id again is the same call. */
  answer = this.#opened(
    (askId: string, given: { readonly text: string } | { readonly value: Json }, by: Participant, call: SettleCall) =>
      answerAsk(this.#parts, askId, given, { by }, call),
  );

  decline = this.#ofParts(decline);
  cancel = this.#ofParts(cancelOne);
  handOver = this.#ofParts(handOver);
  retry = this.#ofParts(retry);
  closeParked = this.#ofParts(closeParked);

  parked = this.#opened((filter: ParkedFilter) => this.#asks.parked(filter));

  findParked = this.#opened((id: string) => this.#asks.parkedById(id));

  /** The work about an ask that failed and is parked. */
  parkedFor = this.#opened((askId: string, conversationId: string) => this.#asks.parkedFor(askId, conversationId));

  #ofParts<A extends readonly unknown[], R>(call: (parts: CallParts, ...given: A) => Promise<R>) {
    return this.#opened((...given: A) => call(this.#parts, ...given));
  }

  /** The same call once the store is open. It rejects after stop(). */
  #opened<A extends readonly unknown[], R>(call: (...given: A) => Promise<R>): (...given: A) => Promise<R> {
    return async (...given) => {
      await this.#open();
      return call(...given);
    };
  }
}
