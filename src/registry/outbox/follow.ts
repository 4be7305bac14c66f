/**
 * A conversation as the person in it follows it, for a channel that is fetched from: the items of said-outputs.ts seen by one person
 * on one channel. A question that is over is shown with what became of it. Changes nothing.
 */
import type { Ask } from '../../core/ask/ask.js';
import { shapeOf, withoutSensitiveAnswer } from '../../core/ask/ask.js';
import {
  checkOptions,
  expecting,
  having,
  integer,
  type OptionRules,
  optional,
  string,
} from '../../core/check-options.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import { findAsk } from '../../core/conversation/conversation.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { messageFor } from '../../core/conversation/outgoing.js';
import type { Followed, FollowedItem, FollowOptions } from '../../core/conversation/said.js';
import { readableAnswer } from '../../core/conversation/said.js';
import { definedFields } from '../../core/defined-fields.js';
import { messageEntryId } from '../../core/ids.js';
import type { Participant } from '../../core/participant.js';
import type { AskLookup } from '../calls/lookup.js';
import type { RegistryContext } from '../context.js';
import { positionIn } from './output-cursor.js';
import type { SaidOutputs } from './said-outputs.js';

const rules = {
  for: expecting<Participant>(
    'a participant with an id',
    (value) => typeof (value as Participant | undefined)?.id === 'string',
  ),
  after: optional(string()),
  wait: optional(integer({ min: 0, max: 3_600_000, of: 'ms' }), 0),
  limit: optional(integer({ min: 1, max: 1_000 }), 100),
  signal: optional(having<AbortSignal>('an AbortSignal', 'addEventListener')),
} satisfies OptionRules<FollowOptions>;

/** Who looks, where. */
interface Viewer {
  readonly conversationId: string;
  readonly channel: string;
  readonly person: Participant;
}

/** An item, and the ask that it is about as far as the document has it. */
interface SeenItem {
  readonly item: HistoryItem;
  readonly askId?: string;
  readonly open?: Ask;
}

export class ConversationFollower {
  readonly #context: RegistryContext;
  readonly #said: SaidOutputs;
  readonly #asks: AskLookup;

  constructor(context: RegistryContext, said: SaidOutputs, asks: AskLookup) {
    this.#context = context;
    this.#said = said;
    this.#asks = asks;
  }

  async follow(conversationId: string, channel: string, options: FollowOptions): Promise<Followed> {
    const example = "{ for: { id: 'web:anna' } }";
    const { for: person, after, limit, wait, signal } = checkOptions('follow()', options, rules, example);
    const viewer = { conversationId, channel, person };
    const { found, cursor, gap } = await this.#said.read(conversationId, {
      after: positionIn(conversationId, after, 'follow()'),
      limit,
      wait,
      view: (document, item) => seen(viewer, document, item),
      ...definedFields({ signal }),
    });
    const asks = await this.#settledAsks(found);
    const items: FollowedItem[] = [];
    for (const each of found) {
      const drawn = await this.#drawn(viewer, each, asks);
      if (drawn !== undefined) items.push(drawn);
    }
    const stopped = this.#said.isStopped ? (true as const) : undefined;
    return { items, cursor, ...definedFields({ gap, stopped }) };
  }

  /** The asks that are not in the document any more, by id; one that is not kept is missing. */
  async #settledAsks(found: readonly SeenItem[]): Promise<ReadonlyMap<string, Ask>> {
    const ids = found.flatMap(({ askId, open }) => (askId === undefined || open?.status === 'pending' ? [] : [askId]));
    const asks = await Promise.all([...new Set(ids)].map((id) => this.#asks.find(id)));
    return new Map(asks.flatMap((each) => (each === null ? [] : [[each.ask.id, withoutSensitiveAnswer(each.ask)]])));
  }

  async #drawn(
    viewer: Viewer,
    { item, open }: SeenItem,
    asks: ReadonlyMap<string, Ask>,
  ): Promise<FollowedItem | undefined> {
    const { conversationId, channel, person } = viewer;
    const at = new Date(item.at);
    if (item.type === 'in') {
      const id = item.entry.slice(messageEntryId(channel, '').length);
      return { type: 'received', id, at, text: item.text, ...definedFields({ control: item.control }) };
    }
    if (item.type === 'decision') {
      const ask = asks.get(item.askId);
      // an ask put to people elsewhere ends in this history, too
      if (ask !== undefined && ask.places.own.channel !== channel) return undefined;
      const answer = answerIn(ask);
      return { type: 'decided', at, askId: item.askId, status: item.status, ...definedFields({ answer }) };
    }
    if (item.type !== 'out') return undefined;
    const { key, text, askId, only } = item;
    const ask = open?.status === 'pending' ? open : asks.get(askId ?? '');
    const place = { channel, address: null, ...definedFields({ thread: ask?.places.own.thread }) };
    const outgoing =
      ask === undefined
        ? ({ type: 'say', key, text, place, ...definedFields({ only }) } as const)
        : ({ type: 'question', key, text, place, ask } as const);
    const message = messageFor(outgoing, conversationId, this.#context.language);
    const isTheirs = ask?.status === 'pending' && (await this.#asks.isFor(person, ask, conversationId, place));
    const answer = answerIn(ask);
    return { type: 'said', at, message, ...definedFields({ mayAnswer: isTheirs ? true : undefined, answer } as const) };
  }
}

/** The answer as people read it. */
function answerIn(ask: Ask | undefined): string | undefined {
  if (ask === undefined) return undefined;
  const { status, question, progress } = ask;
  return readableAnswer({ ...progress, status, shape: shapeOf(ask), sensitive: question.sensitive });
}

/** What this person may see on this channel; undefined for everything else. */
function seen({ channel, person }: Viewer, document: Conversation, item: HistoryItem): SeenItem | undefined {
  if (item.type === 'in') return item.channel === channel ? { item } : undefined;
  if (item.type === 'decision') return { item, askId: item.askId };
  if (item.type !== 'out' || item.aside || item.channel !== channel) return undefined;
  if (item.only !== undefined && item.only !== person.id) return undefined;
  if (item.askId === undefined) return { item };
  return { item, askId: item.askId, ...definedFields({ open: findAsk(document, item.askId) }) };
}
