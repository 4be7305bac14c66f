/**
 * Answers that allow something once, and which of them are used. Both are read from what is stored anyway: the decided ask,
 * and the entries that used it. What an answer allows is decided by whoever asked.
 */
import type { Question } from '../../core/ask/answer-type.js';
import type { PendingAsk } from '../../core/ask/ask.js';
import { checkedAskOptions } from '../../core/ask/options.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { AgentError } from '../../core/errors.js';
import { readConversation } from '../../core/format/document.js';
import type { QuestionPlace } from '../../core/ids.js';
import { questionsKey } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { inBatches } from '../../core/promise.js';
import type { Wording } from '../../core/wording/wording.js';
import type { RegistryContext } from '../context.js';
import { waitingAgent } from '../context.js';
import { nextIdentity } from '../turn/asking.js';
import { currentTurn } from '../turn/current-turn.js';
import { newAsk, viaTarget } from '../turn/new-ask.js';
import type { Turn } from '../turn/turn.js';
import type { AskAndWait } from './ask-and-wait.js';
import { shownAsk } from './lookup.js';
import type { AskOpener, AskThereOptions } from './open-ask.js';
import type { CallParts } from './parts.js';

/** For the rooms above: what answers have allowed. */
export const uses = Symbol('uses');

/** What errors call a place: the options of tools that name one. */
const named = { call: 'where, or unattended.queue', prefix: '' };

type There = { readonly channel: string; readonly to?: Json; readonly conversationId?: string };

/** An answered ask that somebody waited for, or opened, from outside of an agent. */
export interface AnsweredAsk {
  readonly ask: PendingAsk<unknown>;
  /** The names it was used under; '' is the one without a name. */
  readonly uses: ReadonlySet<string>;
}

interface AnsweredAsks {
  readonly asks: readonly AnsweredAsk[];
  /** The store's time; 0 if nothing was ever asked there. */
  readonly now: number;
}

/** Conversations read at once. */
const atOnce = 20;
const page = 200;
const pages = 10;

export class SingleUse {
  readonly #context: RegistryContext;
  readonly #parts: CallParts;
  /** `registry.ask()` and `registry.askAndWait()`, also of something that is found by `about` among the questions of its place. */
  readonly asking: AskOpener;
  readonly waiting: AskAndWait;

  constructor(parts: CallParts, asking: AskOpener, waiting: AskAndWait) {
    [this.#context, this.#parts] = [parts.context, parts];
    [this.asking, this.waiting] = [asking, waiting];
  }

  /** How long an answer may be used: not for longer than a use is remembered, or it could be used again after that. */
  usableFor(ms: number): number {
    return Math.min(ms, this.#context.settings.dedupeWindow);
  }

  /** True for the first who asks under this name, in any process: the entry's id is the dedupe key. */
  async use(askId: string, name = ''): Promise<boolean> {
    const found = await this.#parts.asks.find(askId);
    if (found === null || found.ask.status !== 'answered' || found.ask.progress.value === false) return false; // a no allows nothing
    const { decision, timing } = found.ask;
    const age = (await this.now()) - (decision?.at ?? timing.askedAt);
    if (age >= this.usableFor(Number.POSITIVE_INFINITY)) return false;
    const { conversationId } = found;
    const { isRepeat } = await this.#parts.dispatcher.waitingIn(conversationId, () =>
      this.#parts.dispatcher.record(conversationId, entryIdOf(askId, name), { type: 'use', askId }),
    );
    return !isRepeat;
  }

  /** The conversation of this place. A question that is put there may have one of its own. */
  conversationOf(place: There): string {
    return this.#placed(place).conversationId;
  }

  #placed(place: There): QuestionPlace {
    const { conversationId } = place;
    return conversationId === undefined ? viaTarget(this.#context, place, named) : { conversationId, isApart: false };
  }

  /** The conversations in which questions put to this place are; with `about`, only those and the place's own. */
  async #conversationsAt(place: There, about?: string): Promise<readonly string[]> {
    const { conversationId, isApart } = this.#placed(place);
    if (!isApart) return [conversationId];
    const key = about === undefined ? questionsKey(conversationId) : questionsKey(conversationId, about);
    return [conversationId, ...(await this.#context.store.conversationsOf(key))];
  }

  /** The turn that is running, if this is its own conversation: then nothing is opened there before it ends. */
  turnIn(conversationId: string): Turn | undefined {
    const turn = currentTurn();
    const isOwn = turn?.context === this.#context && !turn.ended && turn.conversationId === conversationId;
    return isOwn ? turn : undefined;
  }

  /** The sentences for a question that is put there: in the language of whom the turn asks in its own conversation. */
  wordingAt(place: There): Wording {
    const turn = this.turnIn(this.conversationOf(place));
    return this.wordingFor(turn?.asker.localeHere);
  }

  wordingFor(locale: string | undefined): Wording {
    return this.#context.language(locale).wording;
  }

  /** The asks at a place, about one thing, that are open, or decided while the turn that follows is not over. */
  async asksAt(place: There, about: string): Promise<readonly PendingAsk<unknown>[]> {
    const documents = await this.#parts.asks.documents(await this.#conversationsAt(place, about));
    return [...documents].flatMap(([conversationId, { asks }]) => asks.map((ask) => shownAsk({ ask, conversationId })));
  }

  /** Whether an earlier attempt of the current turn has put this very question there. */
  async wasAsked(question: Question<unknown>, options: AskThereOptions): Promise<boolean> {
    const turn = currentTurn();
    if (turn?.context !== this.#context || turn.attempt === 1) return false;
    const { channel: _, to: __, conversationId: ___, ...rest } = options;
    const checked = checkedAskOptions(rest, this.#context.settings, question.type.kind, 'request()');
    const request = newAsk(waitingAgent, undefined, question, checked);
    const there = this.#placed(options);
    const isOwn = there.conversationId === turn.conversationId;
    const { id } = nextIdentity(turn, request, isOwn ? { ...there, isApart: false } : there);
    return turn.waitedFor(id) !== undefined || (await this.#parts.asks.find(id)) !== null;
  }

  /** The store's time. */
  async now(): Promise<number> {
    return (await this.#context.store.due(1)).now;
  }

  /** What was answered at this place, about one thing or at all, in the last `age` ms, the latest first. */
  async answered(place: There, age: number, about?: string): Promise<AnsweredAsks> {
    const found = await this.#conversationsAt(place, about);
    const all = await inBatches(found, atOnce, (conversationId) => this.#answeredIn(conversationId, age));
    const asks = all.flatMap((each) => each.asks);
    // one conversation gives them in order
    if (found.length > 1) asks.sort((one, other) => decidedAt(other) - decidedAt(one));
    return { asks, now: Math.max(0, ...all.map(({ now }) => now)) };
  }

  /** As far as its history is kept, and at most 2 000 items back. */
  async #answeredIn(conversationId: string, age: number): Promise<AnsweredAsks> {
    const state = await this.#context.store.conversation(conversationId);
    if (state === null) return { asks: [], now: 0 };
    // before the history: what leaves the queue or the document meanwhile stands there
    const queued = state.queue.map(({ id }) => id);
    const decided = readConversation(state.document, conversationId).asks.filter((ask) => ask.status === 'answered');
    const items = await this.#items(conversationId, state.now - age);
    const used = usesIn([...queued, ...items.flatMap((item) => (item.type === 'note' ? [item.entry] : []))]);
    const found = new Map(decided.map((ask) => [ask.id, shownAsk({ ask, conversationId })]));
    const settled = items.flatMap(answeredIn).filter((id) => !found.has(id));
    for (const ask of await Promise.all(settled.map((id) => this.#parts.asks.get(id))))
      if (ask !== null) found.set(ask.id, ask);
    const asks = [...found.values()].map((ask) => ({ ask, uses: used.get(ask.id) ?? new Set<string>() }));
    return { asks: asks.reverse(), now: state.now };
  }

  /** The history back to this time, oldest first. */
  async #items(conversationId: string, since: number): Promise<readonly HistoryItem[]> {
    let items: readonly HistoryItem[] = [];
    let cursor: string | undefined;
    for (let looked = 0; looked < pages; looked += 1) {
      const read = await this.#parts.asks.history(conversationId, {
        limit: page,
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (read.unreadable !== undefined)
        throw new AgentError(
          'bad-record',
          `The history of conversation ${JSON.stringify(conversationId)} cannot be read in full, so nobody can tell which of its approvals were used. The log names what is damaged.`,
        );
      items = [...read.items, ...items];
      cursor = read.cursor;
      if (cursor === undefined || (read.items[0]?.at ?? 0) < since) break;
    }
    return items.filter(({ at }) => at >= since);
  }
}

function decidedAt({ ask }: AnsweredAsk): number {
  return (ask.decidedAt ?? ask.askedAt).getTime();
}

function answeredIn(item: HistoryItem): readonly string[] {
  return item.type === 'decision' && item.status === 'answered' && item.agent === waitingAgent ? [item.askId] : [];
}

function entryIdOf(askId: string, name: string): string {
  return name === '' ? `use:${askId}` : `use:${askId}:${name}`;
}

function usesIn(entryIds: readonly string[]): ReadonlyMap<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const id of entryIds) {
    const [type, askId, name = ''] = id.split(':');
    if (type === 'use' && askId !== undefined) all.set(askId, (all.get(askId) ?? new Set()).add(name));
  }
  return all;
}
