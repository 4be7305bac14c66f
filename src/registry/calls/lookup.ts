/**
 * Reading asks, histories and parked work. Changes nothing.
 */
import type { Ask, PendingAsk } from '../../core/ask/ask.js';
import { askView, withoutSensitiveAnswer } from '../../core/ask/ask.js';
import { checkOptions, integer, type OptionRules, optional, string } from '../../core/check-options.js';
import type { Conversation, Parked } from '../../core/conversation/conversation.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { readConversation, readItem, readSettled } from '../../core/format/document.js';
import type { Participant } from '../../core/participant.js';
import { badCursor } from '../../stores/pages.js';
import { assertGiven, assertNamed, lookingPerson, personRule } from '../arguments.js';
import type { RegistryContext } from '../context.js';
import { byId } from '../turn/author-hooks.js';

/** Documents read at once: more would only queue up in the store and run into its time limit. */
const atOnce = 100;

export interface AskFilter {
  readonly conversationId?: string;
  readonly agentName?: string;
  /** The exact text of the question. */
  readonly question?: string;
  /** Asks that this participant, by id, was named for or whose message started them. */
  readonly participantId?: string;
  /** Asks that this person may answer by their id. */
  readonly for?: Participant;
  /** At most this many are looked at per page; default 100. */
  readonly limit?: number;
  readonly cursor?: string;
}

const pageRules = { limit: optional(integer({ min: 1 }), 100), cursor: optional(checkedCursor) };
const filterRules = {
  conversationId: optional(string()),
  agentName: optional(string()),
  question: optional(string()),
  participantId: optional(string()),
  for: optional(personRule),
  ...pageRules,
} satisfies OptionRules<AskFilter>;

/** A page of asks; with a cursor there are more. */
export interface AskPage {
  readonly asks: readonly PendingAsk<unknown>[];
  readonly cursor?: string;
}

export interface ParkedWork {
  readonly id: string;
  readonly conversationId: string;
  readonly entryId: string;
  readonly at: Date;
  readonly attempts: number;
  readonly failure: Failure;
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
    if (found === null || !(await this.#isFor(by, found.ask, found.conversationId))) return null;
    return askView<unknown>(withoutSensitiveAnswer(found.ask), found.conversationId);
  }

  /** Whoever cannot be judged may not see it: that must not hide the others. */
  async #isFor(by: Participant | undefined, ask: Ask, conversationId: string): Promise<boolean> {
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

  async list(given: AskFilter): Promise<AskPage> {
    assertNamed(given, 'for', 'listAsks()');
    assertGiven(given, ['conversationId', 'agentName', 'question', 'participantId'], 'listAsks()');
    const filter = checkOptions('listAsks()', given, filterRules, "{ for: { id: 'web:4711' } }");
    const { for: by, limit, cursor, conversationId } = filter;
    if (conversationId !== undefined) {
      const all = (await this.document(conversationId)).asks.filter((ask) => fits(ask, filter));
      const asks = await filtered(all, (ask) => this.#isFor(by, ask, conversationId));
      const start = cursor === undefined || cursor === '' ? 0 : asks.findIndex((ask) => ask.id === cursor) + 1;
      const shown = asks.slice(start, start + limit);
      const more = start + limit < asks.length ? shown.at(-1)?.id : undefined;
      return {
        asks: shown.map((ask) => askView<unknown>(withoutSensitiveAnswer(ask), conversationId)),
        ...definedFields({ cursor: more }),
      };
    }
    const page = await this.#context.store.list('open', { limit, ...(cursor === undefined ? {} : { cursor }) });
    const documents = await this.#documents(page.items.map((item) => item.conversationId));
    const listed = page.items.flatMap(({ id, conversationId: home }) => {
      const document = documents.get(home);
      const place = document?.asks.findIndex((each) => each.id === id) ?? -1;
      const ask = document?.asks[place];
      return ask === undefined || !fits(ask, filter) ? [] : [{ ask, home, place }];
    });
    const found = await filtered(listed, ({ ask, home }) => this.#isFor(by, ask, home));
    // asked in the same millisecond of one conversation: in the order they were asked there
    found.sort(
      (a, b) => a.ask.askedAt - b.ask.askedAt || (a.home === b.home ? a.place - b.place : a.home < b.home ? -1 : 1),
    );
    const asks = found.map(({ ask, home }) => askView<unknown>(withoutSensitiveAnswer(ask), home));
    return { asks, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
  }

  async parked(): Promise<readonly ParkedWork[]> {
    const all: ParkedWork[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#context.store.list('parked', {
        limit: 500,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const documents = await this.#documents(page.items.map((item) => item.conversationId));
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

  async #documents(ids: readonly string[]): Promise<ReadonlyMap<string, Conversation>> {
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

async function filtered<T>(all: readonly T[], keeps: (each: T) => Promise<boolean>): Promise<T[]> {
  const kept: T[] = [];
  for (const each of all) if (await keeps(each)) kept.push(each);
  return kept;
}

function fits(ask: Ask, filter: AskFilter): boolean {
  const { agentName, question, participantId } = filter;
  const named =
    participantId === undefined ||
    ask.asker === participantId ||
    (Array.isArray(ask.answerableBy) && ask.answerableBy.includes(participantId));
  return (
    named &&
    (agentName === undefined || ask.agentName === agentName) &&
    (question === undefined || ask.question === question)
  );
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
