/**
 * Reading asks, histories and parked work. Changes nothing.
 */
import type { Ask, PendingAsk, Place } from '../../core/ask/ask.js';
import { askView, withoutSensitiveAnswer } from '../../core/ask/ask.js';
import { checkOptions, integer, type OptionRules, optional, string } from '../../core/check-options.js';
import type { Conversation, Parked } from '../../core/conversation/conversation.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { replyText } from '../../core/conversation/reply-text.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import { failureOf, isUnreadable } from '../../core/errors.js';
import { readConversation, readItem, readSettled } from '../../core/format/document.js';
import { copyOf } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { inBatches } from '../../core/promise.js';
import { badCursor } from '../../stores/pages.js';
import type { Listed, ListName, Page } from '../../stores/port.js';
import { assertGiven } from '../arguments.js';
import type { RegistryContext } from '../context.js';
import { byId } from '../turn/author-hooks.js';

/** Documents or records read at once: more would only queue up in the store and run into its time limit. */
export const readAtOnce = 100;

export const pageRules = { limit: optional(integer({ min: 1 }), 100), cursor: optional(checkedCursor) };

const parkedRules = { tenant: optional(string()), ...pageRules } satisfies OptionRules<ParkedFilter>;

/**
 * Which parked work is listed. What is left out does not matter.
 *
 * @example
 * import { AgentRegistry, type ParkedFilter } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const first: ParkedFilter = { tenant: 'north', limit: 20 };
 * const { items, cursor } = await registry.parked(first);
 */
export interface ParkedFilter {
  /** Work of this tenant. */
  readonly tenant?: string;
  /**
   * At most this much is looked at per page. A page may have less, or nothing, although there is more.
   *
   * @default 100
   */
  readonly limit?: number;
  /** Of the page before, with the same filter. */
  readonly cursor?: string;
}

/**
 * A page of parked work, in the order it was parked. With a cursor there is more, even if this page is empty.
 *
 * @example
 * import { AgentRegistry, type ParkedPage } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { items, cursor }: ParkedPage = await registry.parked();
 */
export interface ParkedPage {
  /** The parked work of this page. */
  readonly items: readonly ParkedWork[];
  /** Give it to the next call, with the same filter, for the next page. Absent on the last page. */
  readonly cursor?: string;
  /** How much work of this page, whatever the filter, is missing because its record cannot be read: the log names each. Absent if none is. */
  readonly unreadable?: number;
}

/**
 * Work that failed too often, or for good, and waits for `retry()` or `closeParked()`.
 *
 * @example
 * import { AgentRegistry, type ParkedWork } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const tell = ({ id, attempts, failure }: ParkedWork) => console.log(id, attempts, failure.message);
 * for (const work of (await registry.parked()).items) tell(work);
 */
export interface ParkedWork {
  /** The id for `retry()` and `closeParked()`. */
  readonly id: string;
  /** The conversation whose work it is. */
  readonly conversationId: string;
  /** The message, answer or deadline that the work is about. */
  readonly entryId: string;
  /** When it was parked. */
  readonly at: Date;
  /** How often it was tried. */
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly failure: Failure;
  /** The ask that it is about, if it is about one. */
  readonly askId?: string;
  /** The question of that ask. */
  readonly question?: string;
  /** The agent whose turn failed, where it is known. */
  readonly agentName?: string;
  /** What the person wrote or chose. Absent where it may be the answer to a sensitive question. */
  readonly text?: string;
  /** The tenant of whoever it is for. */
  readonly tenant?: string;
}

/** Which page of a history is read. */
export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

/** What could be read of a page, and how many of its records could not. */
interface ReadPage<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
  readonly unreadable?: number;
}

/** An ask, open or settled, and its conversation. */
export interface FoundAsk {
  readonly ask: Ask;
  readonly conversationId: string;
}

/** The ask as callers get it: without the answer to a sensitive question. */
export function shownAsk({ ask, conversationId }: FoundAsk): PendingAsk<unknown> {
  return askView<unknown>(withoutSensitiveAnswer(ask), conversationId);
}

/** Where work is or was parked, and the work as long as it is. */
interface FoundParked {
  readonly conversationId: string;
  readonly parked: Parked | undefined;
}

export class AskLookup {
  readonly #context: RegistryContext;

  constructor(context: RegistryContext) {
    this.#context = context;
  }

  /** The ask; null if there is none of that id, or if `by` is given and may not answer it. */
  async get(id: string, by?: Participant): Promise<PendingAsk<unknown> | null> {
    const found = await this.find(id);
    return found !== null && (await this.isFor(by, found.ask, found.conversationId)) ? shownAsk(found) : null;
  }

  /** Whether this person may answer it. No where `identify` or a policy fails: that must not hide other asks. */
  async isFor(by: Participant | undefined, ask: Ask, conversationId: string, place?: Place): Promise<boolean> {
    if (by === undefined) return true;
    try {
      return (await byId(this.#context, ask, conversationId, by, place)).may;
    } catch (error) {
      const about = { conversationId, askId: ask.id, failure: failureOf(error) };
      this.#context.logger.warn('Nobody can tell who may answer an ask; it is left out', about);
      return false;
    }
  }

  /** The ask and its conversation, open or settled; null if there is none of that id. */
  async find(id: string, looks = 3): Promise<FoundAsk | null> {
    const found = typeof id === 'string' ? await this.#context.store.find(id) : null;
    if (found === null) return null;
    if ('record' in found) return readSettled(found.record) ?? null;
    const { conversationId } = found;
    const document = await this.document(conversationId);
    const ask =
      document.asks.find((each) => each.id === id) ?? document.parked.find((each) => each.ask?.id === id)?.ask;
    if (ask !== undefined) return { ask, conversationId };
    return looks > 1 ? this.find(id, looks - 1) : null; // settled between the two looks: it is a record by now
  }

  async document(conversationId: string): Promise<Conversation> {
    const state = await this.#context.store.conversation(conversationId);
    return readConversation(state?.document ?? null, conversationId);
  }

  async parked(filter: ParkedFilter): Promise<ParkedPage> {
    assertGiven(filter, ['tenant'], 'parked()');
    const { tenant, ...page } = checkOptions('parked()', filter, parkedRules, '{ limit: 100 }');
    const { items, ...rest } = await this.listed('parked', page, ({ parked }, { id, conversationId }) => {
      const found = parked.find((each) => each.id === id);
      return found && parkedWork(found, conversationId);
    });
    return { items: items.filter((work) => tenant === undefined || work.tenant === tenant), ...rest };
  }

  /** Where the id of parked work leads, and the work as long as it is parked; null for another id. */
  async findParked(id: string): Promise<FoundParked | null> {
    const found = typeof id === 'string' ? await this.#context.store.find(id) : null;
    if (found === null || 'record' in found) return null;
    const { conversationId } = found;
    const { parked } = await this.document(conversationId);
    return { conversationId, parked: parked.find((each) => each.id === id) };
  }

  /** One piece of parked work by its id; null if nothing is parked under it. */
  async parkedById(id: string): Promise<ParkedWork | null> {
    const found = await this.findParked(id);
    return found?.parked === undefined ? null : parkedWork(found.parked, found.conversationId);
  }

  /** The parked work that is about an ask; null if there is none. */
  async parkedFor(askId: string, conversationId: string): Promise<ParkedWork | null> {
    const parked = (await this.document(conversationId)).parked.find(({ ask }) => ask?.id === askId);
    return parked === undefined ? null : parkedWork(parked, conversationId);
  }

  /** A page of a list of the store: what `pick` makes of each item and the document of its conversation. */
  async listed<T>(
    list: ListName,
    page: Page,
    pick: (document: Conversation, item: Listed) => T | undefined,
  ): Promise<ReadPage<T>> {
    const { items, cursor } = await this.#context.store.list(list, page);
    const documents = await this.documents(items.map(({ conversationId }) => conversationId));
    const read = items.map((item) => {
      const document = documents.get(item.conversationId);
      return document === undefined ? null : pick(document, item);
    });
    return pageOf(read, cursor);
  }

  /** Oldest first. */
  async history(conversationId: string, page: PageOptions): Promise<ReadPage<HistoryItem>> {
    const checked = checkOptions('history()', page, pageRules, '{ limit: 100 }');
    const { items, cursor } = await this.#context.store.history(conversationId, checked);
    const read = items.map((item) => this.readable(() => copyOf(readItem(item, conversationId))));
    return pageOf(read, cursor);
  }

  /** The documents of these conversations; one that cannot be read is left out with a warning. */
  async documents(ids: readonly string[]): Promise<ReadonlyMap<string, Conversation>> {
    const read = await inBatches([...new Set(ids)], readAtOnce, async (id) => {
      const document = await this.document(id).catch((error: unknown) => this.unreadable(error));
      return document === null ? [] : [[id, document] as const];
    });
    return new Map(read.flat());
  }

  /** What is read; null, with a warning, where the record cannot be: it must not hide the others. Other errors go on. */
  readable<T>(read: () => T, about?: { readonly askId: string }): T | null {
    try {
      return read();
    } catch (error) {
      return this.unreadable(error, about);
    }
  }

  /** The same for the error of a read. */
  unreadable(error: unknown, about?: { readonly askId: string }): null {
    if (!isUnreadable(error)) throw error;
    this.#context.logger.warn('A record cannot be read and is left out', { ...about, failure: failureOf(error) });
    return null;
  }
}

/** What could be read of a page: null stands for a record that could not, undefined for what is gone. */
export function pageOf<T>(read: readonly (T | null | undefined)[], cursor: string | undefined): ReadPage<T> {
  const unreadable = read.filter((each) => each === null).length || undefined; // absent if there is none
  return { items: read.filter((each) => each != null), ...definedFields({ cursor, unreadable }) };
}

/** The stores can read only a string. */
function checkedCursor(value: unknown): string {
  if (typeof value === 'string') return value;
  throw badCursor(value);
}

function parkedWork(parked: Parked, conversationId: string): ParkedWork {
  const { id, at, queued, attempts, failure, ask, hidden } = parked;
  const isSecret = hidden === true || ask?.question.sensitive === true;
  return {
    id,
    conversationId,
    entryId: queued.id,
    at: new Date(at),
    attempts,
    failure: copyOf(failure),
    ...definedFields({
      askId: ask?.id,
      question: ask?.question.text,
      agentName: parked.agentName ?? ask?.agentName,
      text: isSecret ? undefined : replyText(queued.entry),
      tenant: parked.tenant ?? ask?.audience.tenant,
    }),
  };
}
