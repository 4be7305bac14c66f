/**
 * What a person can do in the inbox, each call with its rights: the API, the page and live events all come here. What somebody may
 * not see is `null` or `unknown`, as if it did not exist. What a reply means is decided by the engine.
 */
import { Buffer } from 'node:buffer';
import { handOversOf } from '../core/ask/steps.js';
import type { Outputs, OutputsOptions } from '../core/conversation/said.js';
import { definedFields } from '../core/defined-fields.js';
import { failureOf } from '../core/errors.js';
import { digest } from '../core/ids.js';
import type { Participant, ShownPerson } from '../core/participant.js';
import { within } from '../machine/clock.js';
import type { AskFilter } from '../registry/calls/list-asks.js';
import type { ParkedPage, ParkedWork } from '../registry/calls/lookup.js';
import type { Cancelled, SettleCall, Settled } from '../registry/calls/settle/settle.js';
import type { InboxPort, RecordedAsk, RecordedPage } from '../registry/inbox/inbox-port.js';
import type { AgentRegistry } from '../registry/registry.js';
import type { GivenAnswer, InboxAsk } from './ask-view.js';
import { viewFor } from './ask-view.js';
import { boundedRead } from './charts/bounded-read.js';
import type { InboxPerson } from './person.js';
import { participantOf } from './person.js';
import { answersAsk, has, hearsOfErased, operates, seesAsk, seesConversation } from './rights.js';
import type { ToolResult } from './tool-result.js';
import { answerIn, isResultOf } from './tool-result.js';

/** What became of somebody's decision. */
export type InboxDecision =
  | { readonly type: 'accepted' | 'counted' | 'already' | 'late' | 'received'; readonly ask: InboxAsk }
  /** It does not fit the question. */
  | { readonly type: 'invalid'; readonly problem: string; readonly ask: InboxAsk }
  /** What the person saw when they decided is not what the ask is now. */
  | { readonly type: 'changed'; readonly ask: InboxAsk }
  /** They see the ask, and may not decide it. */
  | { readonly type: 'refused'; readonly ask: InboxAsk }
  | { readonly type: 'unknown' };

/** What became of a hand-over. Who handed it over may not see the ask any more. */
export type InboxHandOver =
  | { readonly type: 'handed-over'; readonly id: string }
  | Exclude<InboxDecision, { readonly type: 'accepted' | 'counted' }>;

/** What comes with a change: what the person was shown, why they make it, and the id under which the call may be repeated. */
export interface DecisionCall {
  /** The digest of the ask as it was shown. */
  readonly drawn?: string;
  /** Why, in the person's words. An answer has none. */
  readonly reason?: string;
  /** The caller's own id of the call. The same again, by the same person for the same ask, is the same call. */
  readonly key?: string;
}

/** What became of a change to parked work. `gone`: somebody else was first. */
export interface ParkedChange {
  readonly type: 'done' | 'received' | 'gone' | 'unknown';
}

/** A page of asks that a person sees. With a cursor there may be more, even if this page is short. */
export interface InboxPage extends Omit<RecordedPage, 'asks'> {
  readonly asks: readonly InboxAsk[];
}

/** How much waits of one kind. `isMore`: not all was looked at, so there may be more. */
export interface WaitingCount {
  readonly count: number;
  readonly isMore: boolean;
}

/** So much is counted of what waits. */
const countBounds = { own: 1_000, looked: 5_000 };

/** How long somebody waits for what becomes of their decision, in ms. Proxies give up after a minute. */
const longestWait = 10_000;

/** So many asks are looked at for a page, where most are not for the person. */
const mostLooked = 500;

export class InboxCalls {
  readonly #registry: AgentRegistry;
  readonly #port: InboxPort;
  readonly #personWith: (id: string) => Promise<InboxPerson | undefined>;

  /** `personWith` finds the person with an id, where somebody can tell. */
  constructor(
    registry: AgentRegistry,
    port: InboxPort,
    personWith: (id: string) => Promise<InboxPerson | undefined> = async () => undefined,
  ) {
    this.#registry = registry;
    this.#port = port;
    this.#personWith = personWith;
  }

  /** The asks that a person sees, in the order of the filter. */
  async list(person: InboxPerson, filter: AskFilter & { readonly limit: number }): Promise<InboxPage> {
    const asks: InboxAsk[] = [];
    let { cursor } = filter;
    let [looked, unreadable] = [0, 0];
    do {
      const limit = filter.limit - asks.length;
      const page = await this.#port.list({ ...filter, limit, ...definedFields({ cursor }) });
      for (const recorded of page.asks) {
        const ask = await this.seen(person, recorded);
        if (ask !== null) asks.push(ask);
      }
      looked += limit;
      unreadable += page.unreadable ?? 0;
      cursor = page.cursor;
    } while (cursor !== undefined && asks.length < filter.limit && looked < mostLooked);
    return { asks, ...definedFields({ cursor, unreadable: toldUnreadable(person, unreadable) }) };
  }

  /** One ask; null if there is none that this person sees. */
  async get(person: InboxPerson, id: string): Promise<InboxAsk | null> {
    const recorded = await this.#port.find(id);
    return recorded && this.seen(person, recorded);
  }

  /** The conversation, a page of it, the latest first asked for; null if there is none that this person sees. */
  async history(
    person: InboxPerson,
    conversationId: string,
    page: { readonly limit?: number; readonly cursor?: string } = {},
    around?: InboxAsk,
  ): Promise<Awaited<ReturnType<AgentRegistry['history']>> | null> {
    if (!(await this.#seesConversation(person, conversationId, around))) return null;
    return this.#registry.history(conversationId, page);
  }

  /** The conversations of a participant that this person sees, in order of their ids. Each costs some reads, so pages are short. */
  async conversations(
    person: InboxPerson,
    participantId: string,
    { limit = 20, cursor = '' }: { readonly limit?: number; readonly cursor?: string },
  ): Promise<{ readonly ids: readonly string[]; readonly cursor?: string }> {
    if (!has(person, 'conversations')) return { ids: [] };
    const all = [...(await this.#port.conversationsOf(participantId))].sort().filter((id) => id > cursor);
    const looked = all.slice(0, limit);
    const seen = await Promise.all(looked.map((id) => this.#seesConversation(person, id)));
    const ids = looked.filter((_, i) => seen[i]);
    return { ids, ...(all.length > looked.length && definedFields({ cursor: looked.at(-1) })) };
  }

  /** What was said in a conversation since a cursor; null if there is none that this person sees. */
  async outputs(person: InboxPerson, conversationId: string, options: OutputsOptions): Promise<Outputs | null> {
    if (!(await this.#seesConversation(person, conversationId))) return null;
    return this.#registry.outputs(conversationId, options);
  }

  /** For operators: cancels what is open in a conversation. Null if there is none that this person operates. */
  async cancelAll(person: InboxPerson, conversationId: string, reason?: string): Promise<Cancelled | null> {
    if (!has(person, 'admin') || !(await this.#seesConversation(person, conversationId))) return null;
    const { asks } = await this.#port.list({ conversationId, limit: mostLooked });
    if (!asks.every(({ ask }) => operates(person, ask.audience.tenant))) return null; // each of their own can be cancelled by its id
    return this.#registry.cancel({ conversationId }, whoChanges(person, definedFields({ reason })));
  }

  /** For operators: how much waits for people and for operators, counted up to a limit. */
  async waiting(person: InboxPerson): Promise<{ readonly open: WaitingCount; readonly parked: WaitingCount } | null> {
    if (!has(person, 'admin')) return null;
    const tenant = person.everyTenant === true ? undefined : person.tenant;
    const [open, parked] = await Promise.all([
      boundedRead<RecordedAsk>(
        countBounds,
        ({ ask }) => operates(person, ask.audience.tenant),
        async (page) => {
          const { asks: rows, cursor } = await this.#port.list({ ...page, ...definedFields({ tenant }) });
          return { rows, cursor };
        },
      ),
      boundedRead<ParkedWork>(
        countBounds,
        (work) => operates(person, work.tenant),
        async (page) => {
          const { items: rows, cursor } = await this.#port.parked(page);
          return { rows, cursor };
        },
      ),
    ]);
    return {
      open: { count: open.own.length, isMore: open.isCut },
      parked: { count: parked.own.length, isMore: parked.isCut },
    };
  }

  /** `around` is an ask that the person was shown: the conversation is its own, or that of whom it was asked for. */
  async #seesConversation(person: InboxPerson, conversationId: string, around?: InboxAsk): Promise<boolean> {
    if (!has(person, 'conversations') || !isConversationId(conversationId)) return false;
    const [writers, open, decided] = await Promise.all([
      this.#port.tenantsIn(conversationId),
      this.#port.list({ conversationId, limit: 100 }),
      this.#port.list({ conversationId, status: 'decided', limit: 100 }),
    ]);
    const asks = [...open.asks, ...decided.asks];
    if (writers === null && asks.length === 0) return false;
    // one message of another tenant, however old, makes it a conversation of several
    const tenants = new Set([...(writers ?? []), ...asks.map(({ ask }) => ask.audience.tenant)]);
    if (!seesConversation(person, tenants)) return false;
    if (has(person, 'read') || around?.conversationId === conversationId) return true;
    if (around?.originConversationId === conversationId) return true;
    for (const each of asks) if ((await this.answers(person, each)) !== null) return true;
    return false;
  }

  async answer(person: InboxPerson, id: string, answer: GivenAnswer, call: DecisionCall = {}): Promise<InboxDecision> {
    return this.#decide(person, id, call, 'answer', (recorded) =>
      this.#port.answer(id, answer, participantOf(person), recorded),
    );
  }

  async decline(person: InboxPerson, id: string, call: DecisionCall = {}): Promise<InboxDecision> {
    const who = whoChanges(person, call);
    return this.#decide(person, id, call, 'decline', (recorded) => this.#port.decline(id, who, recorded));
  }

  /** Hands an ask to another person. `to` is their id. */
  async handOver(person: InboxPerson, id: string, to: string, call: DecisionCall = {}): Promise<InboxHandOver> {
    const recorded = await this.#port.find(id);
    const entryId = this.#entryId(person, id, call, 'hand-over');
    if (recorded !== null && handOversOf(recorded.ask).some(({ entry }) => entry === entryId))
      return { type: 'handed-over', id };
    const ask = recorded && (await this.seen(person, recorded));
    if (recorded === null || ask === null) return { type: 'unknown' };
    if (ask.status !== 'pending') return { type: ask.status === 'expired' ? 'late' : 'already', ask };
    if (!ask.mayAnswer) return { type: 'refused', ask };
    if (isChanged(call, ask)) return { type: 'changed', ask };
    const { name, tenant, locale, id: toId = to } = (await this.#personWith(to)) ?? {};
    const other = { id: toId, ...definedFields({ name, tenant, locale }) };
    const options = { ...whoChanges(person, call), to: other };
    const handed = await this.#port.handOver(id, options, { entryId });
    if (handed.type === 'handed-over') return { type: 'handed-over', id };
    if (handed.type === 'unknown') return handed;
    return handed.type === 'invalid' ? { ...handed, ask } : { type: handed.type, ask };
  }

  /** To whom this person has handed an ask by the call with this key; undefined if there was none. */
  async handedTo(person: InboxPerson, id: string, key: string): Promise<ShownPerson | undefined> {
    const entryId = this.#entryId(person, id, { key }, 'hand-over');
    const found = await this.#port.find(id);
    return found === null ? undefined : handOversOf(found.ask).find(({ entry }) => entry === entryId)?.to;
  }

  /** For operators: ends an ask without an answer. */
  async cancel(person: InboxPerson, id: string, call: DecisionCall = {}): Promise<InboxDecision> {
    const recorded = await this.#port.find(id);
    const ask = recorded && (await this.seen(person, recorded));
    if (recorded === null || ask === null) return { type: 'unknown' };
    if (!operates(person, recorded.ask.audience.tenant)) return { type: 'refused', ask };
    const entryId = this.#entryId(person, id, call, 'cancel');
    if (recorded.ask.decision?.entry === entryId) return { type: 'accepted', ask }; // a repeat of what cancelled it
    if (ask.status === 'pending' && isChanged(call, ask)) return { type: 'changed', ask };
    const how = { entryId, ...definedFields({ drawn: call.drawn }) };
    return this.#decided(person, recorded, await this.#port.cancel(id, whoChanges(person, call), how));
  }

  /** For operators: parked work of their tenants. Null for everybody else. */
  async parked(
    person: InboxPerson,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<ParkedPage | null> {
    if (!has(person, 'admin')) return null;
    const { items, unreadable, ...rest } = await this.#port.parked(page);
    const own = items.filter(({ tenant }) => operates(person, tenant));
    return { items: own, ...rest, ...definedFields({ unreadable: toldUnreadable(person, unreadable) }) };
  }

  /** Whether what follows from a decided ask has failed and is parked. */
  async isParked({ id, conversationId }: Pick<InboxAsk, 'id' | 'conversationId'>): Promise<boolean> {
    return (await this.#port.parkedFor(id, conversationId)) !== null;
  }

  /** For operators: tries parked work once more. */
  async retryParked(person: InboxPerson, id: string, call: DecisionCall = {}): Promise<ParkedChange> {
    if (!(await this.#operatesParked(person, id))) return { type: 'unknown' };
    const { type } = await this.#port.retry(id, this.#entryId(person, id, call, 'retry'));
    return { type: type === 'received' ? 'received' : 'done' };
  }

  /** For operators: ends parked work as it is. */
  async closeParked(person: InboxPerson, id: string, call: DecisionCall = {}): Promise<ParkedChange> {
    if (!(await this.#operatesParked(person, id))) return { type: 'unknown' };
    const { type } = await this.#port.closeParked(
      id,
      whoChanges(person, call),
      this.#entryId(person, id, call, 'unpark'),
    );
    return { type: type === 'closed' ? 'done' : type };
  }

  async #operatesParked(person: InboxPerson, id: string): Promise<boolean> {
    const work = has(person, 'admin') ? await this.#port.findParked(id) : null;
    return work !== null && operates(person, work.tenant);
  }

  /** The result of a model's tool call that asks a person. Whose call it is, and which options there are, says the stored ask. */
  async toolResult(
    person: InboxPerson,
    conversationId: string,
    result: ToolResult,
    call: DecisionCall = {},
  ): Promise<InboxDecision> {
    if (!isConversationId(conversationId)) return { type: 'unknown' };
    const open = await this.#port.list({ conversationId, limit: 100 });
    const decided = await this.#port.list({ conversationId, status: 'decided', limit: 100 });
    const found = [...open.asks, ...decided.asks].find(({ ask }) => isResultOf(result, ask));
    if (found === undefined) return { type: 'unknown' };
    const answer = answerIn(result, found.ask);
    if (answer === 'decline') return this.decline(person, found.ask.id, call);
    return this.answer(person, found.ask.id, answer, call);
  }

  /** Sends a new copy of an open question to where it was asked: for those who may answer it, and for operators. */
  async show(
    person: InboxPerson,
    id: string,
  ): Promise<InboxDecision | { readonly type: 'shown'; readonly ask: InboxAsk }> {
    const recorded = await this.#port.find(id);
    const ask = recorded && (await this.seen(person, recorded));
    if (recorded === null || ask === null) return { type: 'unknown' };
    if (ask.status !== 'pending') return { type: 'already', ask };
    if (!ask.mayAnswer && !operates(person, recorded.ask.audience.tenant)) return { type: 'refused', ask };
    await this.#registry.show(id);
    return { type: 'shown', ask };
  }

  /** An ask that was found, as this person sees it; null if it is not for them to see. */
  async seen(person: InboxPerson, recorded: RecordedAsk): Promise<InboxAsk | null> {
    const answers = await this.answers(person, recorded);
    return answers === null ? null : viewFor(person, recorded, answers);
  }

  /** Whether this person may answer it in this inbox; null if it is not for them to see. */
  async answers(person: InboxPerson, recorded: RecordedAsk): Promise<boolean | null> {
    const mayAnswer = await this.#port.mayAnswer(recorded, participantOf(person));
    return seesAsk(person, recorded.ask, mayAnswer) ? answersAsk(person, recorded.ask, mayAnswer) : null;
  }

  async #decide(
    person: InboxPerson,
    id: string,
    call: DecisionCall,
    what: string,
    settle: (recorded: SettleCall) => Promise<Settled>,
  ): Promise<InboxDecision> {
    const recorded = await this.#port.find(id);
    const ask = recorded && (await this.seen(person, recorded));
    if (recorded === null || ask === null) return { type: 'unknown' };
    const entryId = this.#entryId(person, id, call, what);
    if (recorded.ask.decision?.entry === entryId) return { type: 'accepted', ask }; // a repeat of what decided it
    if (recorded.ask.progress.votes?.some(({ entry }) => entry === entryId)) return { type: 'counted', ask };
    if (ask.status !== 'pending') return { type: ask.status === 'expired' ? 'late' : 'already', ask };
    if (!ask.mayAnswer) return { type: 'refused', ask };
    if (isChanged(call, ask)) return { type: 'changed', ask }; // told early; what still waits in the queue is compared there
    const settling = settle({ entryId, ...definedFields({ drawn: call.drawn }) });
    const decided = await this.#decided(person, recorded, await this.#outcomeOf(settling));
    return decided.type === 'received' ? this.#decidedSoFar(person, id, entryId, decided) : decided;
  }

  /** What becomes of it, but not for longer than somebody waits for a page: what follows from a decision may take hours. */
  async #outcomeOf(settling: Promise<Settled>): Promise<Settled> {
    try {
      return await within<Settled>(this.#port.clock, longestWait, settling, () => ({ type: 'received' }));
    } finally {
      settling.catch((error: unknown) => {
        this.#port.logger.warn('A decision was recorded, and what became of it could not be read', {
          failure: failureOf(error),
        });
      });
    }
  }

  /** Recorded, and perhaps decided already: the handler that follows may be slow, or fail and be tried again. */
  async #decidedSoFar(
    person: InboxPerson,
    id: string,
    entryId: string,
    otherwise: InboxDecision,
  ): Promise<InboxDecision> {
    const recorded = await this.#port.find(id);
    const ask = recorded && (await this.seen(person, recorded));
    if (recorded === null || ask === null) return otherwise;
    if (recorded.ask.decision?.entry === entryId) return { type: 'accepted', ask };
    return recorded.ask.progress.votes?.some(({ entry }) => entry === entryId) ? { type: 'counted', ask } : otherwise;
  }

  #entryId({ id, tenant = '' }: InboxPerson, askId: string, { key }: DecisionCall, what: string): string {
    return `${what}:${key === undefined ? this.#port.newId() : digest('inbox', id, tenant, askId, key)}`;
  }

  async #decided(person: InboxPerson, { ask: { id } }: RecordedAsk, settled: Settled): Promise<InboxDecision> {
    const ask = await this.get(person, id);
    if (ask === null || settled.type === 'unknown') return { type: 'unknown' };
    if (settled.type === 'invalid') return { type: 'invalid', problem: settled.problem, ask };
    return { type: settled.type, ask };
  }
}

/** How many records that cannot be read a person is told of: whose they are, nobody can tell. Undefined for none. */
function toldUnreadable(person: InboxPerson, count = 0): number | undefined {
  return count > 0 && hearsOfErased(person, undefined) ? count : undefined;
}

function whoChanges(person: InboxPerson, { reason }: DecisionCall): { by: Participant; reason?: string } {
  return { by: participantOf(person), ...definedFields({ reason }) };
}

function isChanged({ drawn }: DecisionCall, { digest: now }: InboxAsk): boolean {
  return drawn !== undefined && drawn !== now;
}

/** What the engine takes for an id. Anything else names nothing. */
function isConversationId(id: string): boolean {
  return id !== '' && id.isWellFormed() && Buffer.byteLength(id) <= 512;
}
