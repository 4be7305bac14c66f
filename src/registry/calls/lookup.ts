/**
 * Reading asks, histories and parked work. Changes nothing.
 */
import type { Ask, PendingAsk } from '../../core/ask/ask.js';
import { askView, withoutSensitiveAnswer } from '../../core/ask/ask.js';
import { checkOptions, integer, optional } from '../../core/check-options.js';
import type { Conversation, Parked } from '../../core/conversation/conversation.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import type { Failure } from '../../core/errors.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { readConversation, readItem, readSettled } from '../../core/format/document.js';
import type { Participant } from '../../core/participant.js';
import { badCursor } from '../../stores/pages.js';
import { lookingPerson } from '../arguments.js';
import type { RegistryContext } from '../context.js';
import { byId } from '../turn/author-hooks.js';

/** Documents read at once: more would only queue up in the store and run into its time limit. */
const atOnce = 100;

export const pageRules = { limit: optional(integer({ min: 1 }), 100), cursor: optional(checkedCursor) };

/**
 * Work that failed too often, or for good, and waits for `retry()`.
 *
 * @example
 * import { AgentRegistry, type ParkedWork } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const tell = ({ id, attempts, failure }: ParkedWork) => console.log(id, attempts, failure.message);
 * for (const work of await registry.parked()) tell(work);
 */
export interface ParkedWork {
  /** The id for `retry()`. */
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
}

export class AskLookup {
  readonly #context: RegistryContext;

  constructor(context: RegistryContext) {
    this.#context = context;
  }

  /** The same for whoever asks from outside. */
  async getFor(id: string, only: { readonly for?: Participant }): Promise<PendingAsk<unknown> | null> {
    return this.get(id, lookingPerson(only, 'getAsk()'));
  }

  async get(id: string, by?: Participant): Promise<PendingAsk<unknown> | null> {
    const found = await this.find(id);
    if (found === null || !(await this.isFor(by, found.ask, found.conversationId))) return null;
    return askView<unknown>(withoutSensitiveAnswer(found.ask), found.conversationId);
  }

  /** Whoever cannot be judged may not see it: that must not hide the others. */
  async isFor(by: Participant | undefined, ask: Ask, conversationId: string): Promise<boolean> {
    if (by === undefined) return true;
    try {
      return (await byId(this.#context, ask, conversationId, by)).may;
    } catch (error) {
      const about = { conversationId, askId: ask.id, failure: failureOf(error) };
      this.#context.logger.warn('Nobody can tell who may answer an ask; it is left out', about);
      return false;
    }
  }

  /** The ask and its conversation, open or settled; null if there is none of that id. */
  async find(id: string, looks = 3): Promise<{ readonly ask: Ask; readonly conversationId: string } | null> {
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

  async parked(): Promise<readonly ParkedWork[]> {
    const all: ParkedWork[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#context.store.list('parked', {
        limit: 500,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const documents = await this.documents(page.items.map((item) => item.conversationId));
      for (const item of page.items) {
        const parked = documents.get(item.conversationId)?.parked.find((each) => each.id === item.id);
        if (parked !== undefined) all.push(parkedWork(parked, item.conversationId));
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    return all;
  }

  async history(
    conversationId: string,
    page: { readonly limit?: number; readonly cursor?: string },
  ): Promise<{ items: readonly HistoryItem[]; cursor?: string }> {
    const { limit, cursor } = checkOptions('history()', page, pageRules, '{ limit: 100 }');
    const found = await this.#context.store.history(conversationId, {
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const items = found.items.map(readItem);
    return { items, ...(found.cursor === undefined ? {} : { cursor: found.cursor }) };
  }

  /** The documents of these conversations; one that cannot be read is left out with a warning. */
  async documents(ids: readonly string[]): Promise<ReadonlyMap<string, Conversation>> {
    const found = new Map<string, Conversation>();
    const unique = [...new Set(ids)];
    for (let start = 0; start < unique.length; start += atOnce) {
      const some = unique.slice(start, start + atOnce);
      const read = some.map((id) => this.document(id).catch((error: unknown) => this.unreadable(error)));
      for (const [i, document] of (await Promise.all(read)).entries()) {
        if (document !== null) found.set(some[i] as string, document);
      }
    }
    return found;
  }

  /** A record that cannot be read is left out with a warning: it must not hide the others. Other errors go on. */
  unreadable(error: unknown): null {
    if (!(error instanceof AgentError) || (error.code !== 'bad-record' && error.code !== 'newer-record')) throw error;
    this.#context.logger.warn('A record cannot be read and is left out', { failure: failureOf(error) });
    return null;
  }
}

/** The stores can read only a string. */
function checkedCursor(value: unknown): string {
  if (typeof value === 'string') return value;
  throw badCursor(value);
}

function parkedWork(parked: Parked, conversationId: string): ParkedWork {
  const { id, at, queued, attempts, failure, ask } = parked;
  return {
    id,
    conversationId,
    entryId: queued.id,
    at: new Date(at),
    attempts,
    failure,
    ...(ask === undefined ? {} : { askId: ask.id }),
  };
}
