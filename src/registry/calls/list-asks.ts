/**
 * Lists of asks over all conversations: those that are open, and the log of those that were decided. Changes nothing.
 */
import type { Ask, AskStatus, PendingAsk } from '../../core/ask/ask.js';
import { handOversOf } from '../../core/ask/steps.js';
import { toolOf } from '../../core/ask/tool-call.js';
import type { CheckedOptions, OptionRule } from '../../core/check-options.js';
import {
  checkOptions,
  latestDate,
  type OptionRules,
  oneOf,
  optional,
  string,
  wrongOption,
} from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { readSettled } from '../../core/format/document.js';
import { describe } from '../../core/ids.js';
import type { Participant } from '../../core/participant.js';
import { deadlineRank } from '../../stores/pages.js';
import { assertGiven, assertNamed, personRule } from '../arguments.js';
import type { RegistryContext } from '../context.js';
import type { AskLookup, FoundAsk } from './lookup.js';
import { pageOf, pageRules, shownAsk } from './lookup.js';

/**
 * Which asks are listed. What is left out does not matter.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { asks, cursor } = await registry.listAsks({ status: 'decided', since: new Date('2026-01-01'), agentName: 'refunds' });
 */
export interface AskFilter {
  /**
   * `'pending'`: open asks, in the order they were asked. `'decided'`, or one of the ends: asks whose turn is over, the one that was decided
   * last first, for as long as they are kept (`settings.retention`).
   *
   * @default 'pending'
   */
  readonly status?: AskStatus | 'decided';
  /**
   * The order of pending asks: `'asked'`, or `'deadline'`, the soonest first and then those without a deadline, oldest first. Decided
   * asks have an order of their own.
   *
   * @default 'asked'
   */
  readonly sort?: 'asked' | 'deadline';
  /** Decided at this time or later; of pending asks, asked. A number is in ms. */
  readonly since?: Date | number;
  /** Decided before this time; of pending asks, asked. */
  readonly until?: Date | number;
  /** Asks of this conversation. */
  readonly conversationId?: string;
  /** Asks of this agent. */
  readonly agentName?: string;
  /** The exact text of the question. */
  readonly question?: string;
  /** Asks that a tool of this name made, or that asked for its approval. */
  readonly tool?: string;
  /** Asks that were asked on this channel. */
  readonly channelName?: string;
  /** Asks that were asked in this tenant. */
  readonly tenant?: string;
  /**
   * The id of an ask; if there is none, a conversation, by its id; if there is none, exactly one of the values of `details`. The first
   * two are found at once.
   */
  readonly search?: string;
  /** Asks that this participant, by id, was named for, or that were asked for them, also where they were put to others. */
  readonly participantId?: string;
  /** Asks that this person may answer by their id, or might have answered. */
  readonly for?: Participant;
  /**
   * At most this many are looked at per page. A page may have fewer, or none, although there are more.
   *
   * @default 100
   */
  readonly limit?: number;
  /** Of the page before, with the same filter. */
  readonly cursor?: string;
}

/**
 * A page of asks. With a cursor there are more, even if this page has none.
 *
 * @example
 * import { AgentRegistry, type AskPage } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { asks, cursor }: AskPage = await registry.listAsks({ limit: 20 });
 */
export interface AskPage {
  /** The asks of this page. */
  readonly asks: readonly PendingAsk<unknown>[];
  /** Give it to the next call, with the same filter, for the next page. Absent on the last page. */
  readonly cursor?: string;
  /** How many asks of this page, whatever the filter, are missing because their records cannot be read: the log names each. Absent if none is. */
  readonly unreadable?: number;
}

const timeRule: OptionRule<number> = (value, name) => {
  const time: unknown = value instanceof Date ? value.getTime() : value;
  if (typeof time === 'number' && time >= 0 && time <= latestDate) return time;
  throw wrongOption(name, 'a Date, or a number of milliseconds from 0 up', value);
};

const statuses = ['pending', 'decided', 'answered', 'declined', 'exhausted', 'expired', 'cancelled'] as const;

/** A field of these that is there without a value would list all asks instead of some. */
const namedRules = {
  conversationId: optional(string()),
  agentName: optional(string()),
  question: optional(string()),
  tool: optional(string()),
  channelName: optional(string()),
  tenant: optional(string()),
  search: optional(string()),
  participantId: optional(string()),
};

const filterRules = {
  status: optional(oneOf(...statuses), 'pending'),
  sort: optional(oneOf('asked', 'deadline'), 'asked'),
  since: optional(timeRule),
  until: optional(timeRule),
  ...namedRules,
  for: optional(personRule),
  ...pageRules,
} satisfies OptionRules<AskFilter>;

/** A filter that was checked. */
type Wanted = CheckedOptions<typeof filterRules>;

/** `place`: its number among the open asks of its conversation. */
interface ListedAsk extends FoundAsk {
  readonly place?: number;
}

interface FoundPage {
  readonly found: readonly ListedAsk[];
  readonly cursor?: string;
  readonly unreadable?: number;
}

export class AskListing {
  readonly #context: RegistryContext;
  readonly #asks: AskLookup;

  constructor(context: RegistryContext, asks: AskLookup) {
    this.#context = context;
    this.#asks = asks;
  }

  async list(given: AskFilter): Promise<AskPage> {
    const { found, ...page } = await this.find(given);
    return { asks: found.map(shownAsk), ...page };
  }

  /** The records of a page of asks. */
  async find(given: AskFilter): Promise<FoundPage> {
    assertNamed(given, 'for', 'listAsks()');
    assertGiven(given, Object.keys(namedRules), 'listAsks()');
    const wanted = checkOptions('listAsks()', given, filterRules, "{ for: { id: 'web:4711' } }");
    if (wanted.status !== 'pending' && wanted.sort === 'deadline') {
      const expected = `'asked', or nothing, where status is ${describe(wanted.status)}`;
      throw wrongOption('listAsks(): sort', expected, wanted.sort);
    }
    return wanted.search === undefined ? this.#listed(wanted) : this.#searched(wanted, wanted.search);
  }

  #listed(wanted: Wanted): Promise<FoundPage> {
    if (wanted.status !== 'pending') return this.#decided(wanted);
    return wanted.conversationId === undefined ? this.#open(wanted) : this.#openIn(wanted, wanted.conversationId);
  }

  /** An id leads to its ask or conversation. Values of `details` are in no index: they are looked for from page to page. */
  async #searched(wanted: Wanted, search: string): Promise<FoundPage> {
    const ask = await this.#asks.find(search);
    if (ask !== null) return { found: await this.#fitting([ask], wanted) };
    const { conversationId = search } = wanted;
    const isThere = conversationId === search && (await this.#context.store.conversation(search)) !== null;
    return this.#listed(isThere ? { ...wanted, conversationId } : wanted);
  }

  /** The log of decided asks. */
  async #decided(wanted: Wanted): Promise<FoundPage> {
    const { limit, cursor, since, until, conversationId } = wanted;
    const page = await this.#context.store.settled({
      limit,
      ...definedFields({ cursor, since, until, conversationId }),
    });
    const settled = page.items.map(({ id, record }) => this.#asks.readable(() => readSettled(record), { askId: id }));
    const { items, ...rest } = pageOf(settled, page.cursor); // without what erased asks have left
    return { found: await this.#fitting(items, wanted), ...rest };
  }

  async #openIn(wanted: Wanted, conversationId: string): Promise<FoundPage> {
    const { limit, cursor } = wanted;
    const { asks } = await this.#asks.document(conversationId);
    const all = asks.map((ask) => ({ ask, conversationId }));
    const found = await this.#fitting(all, wanted);
    if (wanted.sort === 'deadline') found.sort(byDeadline);
    const start = cursor === undefined || cursor === '' ? 0 : found.findIndex(({ ask }) => ask.id === cursor) + 1;
    const shown = found.slice(start, start + limit);
    const next = start + limit < found.length ? shown.at(-1)?.ask.id : undefined;
    return { found: shown, ...definedFields({ cursor: next }) };
  }

  async #open(wanted: Wanted): Promise<FoundPage> {
    const { limit, cursor, sort } = wanted;
    const list = sort === 'deadline' ? 'deadline' : 'open';
    const page = { limit, ...definedFields({ cursor }) };
    const { items, ...rest } = await this.#asks.listed(list, page, ({ asks }, { id, conversationId }) => {
      const place = asks.findIndex((each) => each.id === id);
      const ask = asks[place];
      return ask && { ask, conversationId, place };
    });
    const found = await this.#fitting(items, wanted);
    if (sort === 'asked') found.sort(byTimeAsked);
    return { found, ...rest };
  }

  async #fitting<T extends ListedAsk>(found: readonly T[], wanted: Wanted): Promise<T[]> {
    const fitting: T[] = [];
    for (const each of found) {
      const { ask, conversationId } = each;
      if (fits(each, wanted) && (await this.#asks.isFor(wanted.for, ask, conversationId))) fitting.push(each);
    }
    return fitting;
  }
}

/** Asked in the same millisecond of one conversation: in the order they were asked there. */
function byTimeAsked(one: ListedAsk, other: ListedAsk): number {
  const byTime = one.ask.timing.askedAt - other.ask.timing.askedAt;
  if (byTime !== 0) return byTime;
  if (one.conversationId !== other.conversationId) return one.conversationId < other.conversationId ? -1 : 1;
  return (one.place ?? 0) - (other.place ?? 0);
}

const rankOf = ({ timing }: Ask): number => deadlineRank(timing.expiresAt, timing.askedAt);

/** As the store lists them. */
function byDeadline({ ask: one }: ListedAsk, { ask: other }: ListedAsk): number {
  return rankOf(one) - rankOf(other) || (one.id < other.id ? -1 : 1);
}

function fits({ ask, conversationId }: ListedAsk, wanted: Wanted): boolean {
  const { status, agentName, question, tool, channelName, tenant } = wanted;
  return (
    (wanted.conversationId === undefined || wanted.conversationId === conversationId) &&
    (status === 'decided' ? ask.status !== 'pending' : ask.status === status) &&
    (agentName === undefined || ask.agentName === agentName) &&
    (question === undefined || ask.question.text === question) &&
    (tool === undefined || toolOf(ask) === tool) &&
    (channelName === undefined || ask.places.own.channel === channelName) &&
    (tenant === undefined || ask.audience.tenant === tenant) &&
    isSearched(ask, conversationId, wanted.search) &&
    isInTime(ask, wanted) &&
    concerns(ask, wanted.participantId)
  );
}

/** By the decision, as the store lists it, or by when an open ask was asked. */
function isInTime({ timing, decision }: Ask, { since = 0, until = Number.POSITIVE_INFINITY }: Wanted): boolean {
  const at = Math.floor(decision?.at ?? timing.askedAt);
  return at >= since && at < until;
}

function isSearched(
  { id, question: { details = {} } }: Ask,
  conversationId: string,
  search: string | undefined,
): boolean {
  if (search === undefined || id === search || conversationId === search) return true;
  return Object.values(details).includes(search);
}

/** An ask that is put to others has the person it was asked for in its origin. */
function concerns(ask: Ask, participantId: string | undefined): boolean {
  const { asker, origin, answerableBy } = ask.audience;
  if (participantId === undefined || asker === participantId || origin?.asker === participantId) return true;
  if (handOversOf(ask).some(({ by, to }) => [by.id, to.id].includes(participantId))) return true;
  return Array.isArray(answerableBy) && answerableBy.includes(participantId);
}
