/**
 * What was said in a conversation, read again from its history: in order, from any place on, in any process, for as long as the
 * history is kept.
 */
import { checkOptions, integer, type OptionRules, optional, string } from '../../core/check-options.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import { findAsk } from '../../core/conversation/conversation.js';
import type { ItemRange } from '../../core/conversation/entry.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { messageFor } from '../../core/conversation/outgoing.js';
import type { FetchedOutput, Outputs, OutputsOptions } from '../../core/conversation/said.js';
import { definedFields } from '../../core/defined-fields.js';
import { readConversation, readItem } from '../../core/format/document.js';
import type { ConversationState, Stored } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { Watch } from '../watch.js';
import type { OutputPosition } from './output-cursor.js';
import { cursorOf, positionIn } from './output-cursor.js';

const rules = {
  after: optional(string()),
  wait: optional(integer({ min: 0, max: 60_000, of: 'ms' }), 0),
  limit: optional(integer({ min: 1, max: 1_000 }), 100),
} satisfies OptionRules<OutputsOptions>;

/** What somebody makes of an item; undefined for what is nothing to them. */
type ItemView<T> = (document: Conversation, item: HistoryItem) => T | undefined;

/** What is read, from where on, and for how long somebody waits for it. */
interface ReadOptions<T> {
  readonly after: OutputPosition | undefined;
  readonly limit: number;
  readonly wait: number;
  readonly view: ItemView<T>;
  readonly signal?: AbortSignal;
}

interface FoundItems<T> {
  readonly found: readonly T[];
  readonly cursor: string;
  readonly gap?: true;
}

interface Look<T> extends FoundItems<T> {
  readonly position: OutputPosition;
  /** More items follow. */
  readonly hasMore: boolean;
}

/** How many items of a history are read at once. */
const itemsAtOnce = 250;
const beginning: OutputPosition = { incarnation: '', next: 0 };

/** More entries than a queue has. */
const wholeQueue = 1_000_000;

export class SaidOutputs {
  readonly #context: RegistryContext;
  /** Of those who wait for more to be said, by conversation. */
  readonly #watch: Watch<true>;

  constructor(context: RegistryContext) {
    this.#context = context;
    this.#watch = new Watch(context, { every: 1_000, each: 32 }); // a look is two reads
  }

  /** What one turn said. Its items are written, so the two reads need no order. */
  async inRange(conversationId: string, [from, to]: ItemRange): Promise<Outputs> {
    const { store } = this.#context;
    const [{ items, first }, state] = await Promise.all([
      store.historyFrom(conversationId, from, to - from),
      this.#stateOf(conversationId),
    ]);
    const kept = items.slice(0, Math.max(0, to - first));
    const options = { limit: kept.length, view: this.#outputsOf(conversationId) };
    const { found: outputs, cursor } = look(conversationId, state, kept, Math.min(first, to), options);
    return first > from && to > from ? { outputs, cursor, gap: true } : { outputs, cursor };
  }

  fetch(conversationId: string, options: OutputsOptions): Promise<Outputs> {
    const { after, wait, limit } = checkOptions('outputs()', options, rules, '{ after: cursor, wait: 25_000 }');
    return this.since(conversationId, positionIn(conversationId, after, 'outputs()'), limit, wait);
  }

  /** Everything since a place, or from the oldest that is kept; waits for `wait` ms if that is nothing. */
  async since(
    conversationId: string,
    after: OutputPosition | undefined,
    limit: number,
    wait: number,
  ): Promise<Outputs> {
    const view = this.#outputsOf(conversationId);
    const { found: outputs, ...rest } = await this.read(conversationId, { after, limit, wait, view });
    return { outputs, ...rest };
  }

  /** The items since a place, as `view` sees them; waits like since(). */
  async read<T>(conversationId: string, options: ReadOptions<T>): Promise<FoundItems<T>> {
    const { after, wait, signal } = options;
    const known: { looked?: Look<T>; failure?: { readonly error: unknown } } = {};
    /** True when something was found, or cannot be read; the next look goes on behind what this one has seen. */
    const look = async (): Promise<true | undefined> => {
      try {
        for (;;) {
          const looked = await this.#readWhileOpen(conversationId, known.looked?.position ?? after, options);
          known.looked = looked;
          if (looked.found.length > 0 || looked.gap || this.isStopped || signal?.aborted === true) return true;
          if (!looked.hasMore) return undefined;
        }
      } catch (error) {
        known.failure = { error };
        return true;
      }
    };
    const watching = { look, timeout: wait, signals: [signal] };
    const watch = (): Promise<unknown> => this.#watch.until(conversationId, watching).catch(() => undefined); // the signal has ended it
    await (wait > 0 ? this.#context.hold.during(watch) : look());
    const { failure, looked = await this.#readWhileOpen(conversationId, after, options) } = known;
    if (failure !== undefined) throw failure.error;
    const { position: _, hasMore: __, ...found } = looked;
    return found;
  }

  /** The cursor behind everything that has been said. */
  async end(conversationId: string): Promise<string> {
    const { first } = await this.#context.store.historyFrom(conversationId, Number.MAX_SAFE_INTEGER, 0);
    const state = await this.#stateOf(conversationId);
    return cursorOf(conversationId, { incarnation: state?.incarnation ?? '', next: first });
  }

  /** Something was saved in the conversation, here or in another process. */
  changed(conversationId: string): void {
    this.#watch.wake(conversationId);
  }

  get isStopped(): boolean {
    return this.#watch.isStopped;
  }

  /** Nobody waits any longer. */
  stop(): void {
    this.#watch.stop();
  }

  /** Its document and its life. Nobody who fetches needs the entries that wait, which may be many. */
  #stateOf(conversationId: string): Promise<ConversationState | null> {
    return this.#context.store.conversation(conversationId, wholeQueue);
  }

  /** Nothing where stop() has closed the store meanwhile: whoever fetches goes on from the same place. */
  async #readWhileOpen<T>(
    conversationId: string,
    after: OutputPosition | undefined,
    options: ReadOptions<T>,
  ): Promise<Look<T>> {
    try {
      return await this.#readFrom(conversationId, after, options);
    } catch (error) {
      if (!this.isStopped) throw error;
      const position = after ?? beginning;
      return { found: [], position, hasMore: false, cursor: cursorOf(conversationId, position) };
    }
  }

  /** The history is read first: a question in it that is not open by then is over, and none is passed that is not open yet. */
  async #readFrom<T>(
    conversationId: string,
    after: OutputPosition | undefined,
    options: ReadOptions<T>,
  ): Promise<Look<T>> {
    const { store } = this.#context;
    const { incarnation, next } = after ?? beginning;
    const { items, first } = await store.historyFrom(conversationId, next, itemsAtOnce);
    const state = await this.#stateOf(conversationId);
    if (incarnation !== '' && incarnation !== (state?.incarnation ?? '')) {
      const anew = await this.#readFrom(conversationId, undefined, options);
      return { ...anew, gap: true };
    }
    const looked = look(conversationId, state, items, first, options);
    return after !== undefined && first > next ? { ...looked, gap: true } : looked;
  }

  #outputsOf(conversationId: string): ItemView<FetchedOutput> {
    return (document, item) => this.#output(conversationId, document, item);
  }

  /** The output of an item; undefined for what is none, was said aside, or asks something that is over. */
  #output(conversationId: string, document: Conversation, item: HistoryItem): FetchedOutput | undefined {
    if (item.type !== 'out' || item.aside) return undefined;
    const { key, text, channel, askId, only } = item;
    const place = { channel, address: null };
    const { language } = this.#context;
    if (askId === undefined) {
      const said = { type: 'say', key, text, place, ...definedFields({ only }) } as const;
      return { ...messageFor(said, conversationId, language), channel };
    }
    const ask = findAsk(document, askId);
    if (ask?.status !== 'pending') return undefined;
    const question = { type: 'question', key, place, text, ask } as const;
    return { ...messageFor(question, conversationId, language), channel };
  }
}

/** What is seen among items, at most `limit`. The cursor stands behind the last item that was looked at. */
function look<T>(
  conversationId: string,
  state: ConversationState | null,
  items: readonly Stored[],
  first: number,
  { limit, view }: Pick<ReadOptions<T>, 'limit' | 'view'>,
): Look<T> {
  const document = readConversation(state?.document ?? null, conversationId);
  const found: T[] = [];
  let looked = 0;
  for (; looked < items.length && found.length < limit; looked += 1) {
    const seen = view(document, readItem(items[looked] as Stored, conversationId));
    if (seen !== undefined) found.push(seen);
  }
  const position = { incarnation: state?.incarnation ?? '', next: first + looked };
  const hasMore = looked < items.length || items.length === itemsAtOnce;
  return { found, position, hasMore, cursor: cursorOf(conversationId, position) };
}
