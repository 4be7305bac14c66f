/**
 * What a reply will decide, known before it is recorded: where this process has asked the question itself and its type alone
 * says what is an answer, the decision is written together with the reply. Otherwise nothing is predecided, and the turn
 * decides. Nobody is asked here, and none of the author's code runs.
 */
import { builtInType } from '../../answers/built-in-types.js';
import type { AnswerType } from '../../core/ask/answer-type.js';
import type { Ask } from '../../core/ask/ask.js';
import { decidedBy } from '../../core/ask/decision.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import { changed, nextWork } from '../../core/conversation/conversation.js';
import type { Entry, Queued } from '../../core/conversation/entry.js';
import { replyText } from '../../core/conversation/reply-text.js';
import { writeConversation } from '../../core/format/document.js';
import { ownParticipant } from '../../core/participant.js';
import { isPromiseLike } from '../../core/promise.js';
import type { Predecided } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { DocumentVersion } from '../document-cache.js';
import type { RegisteredAgent } from '../turn/agent-port.js';
import { reads } from '../turn/agent-port.js';
import { answerOf, parsedAs } from '../turn/parse-reply.js';
import { ownReadingFor, placeOf } from './work-item.js';

export interface PredecidedReply extends Predecided, DocumentVersion {}

export class Predecider {
  readonly #context: RegistryContext;
  readonly #agents: ReadonlyMap<string, RegisteredAgent>;

  constructor(context: RegistryContext, agents: ReadonlyMap<string, RegisteredAgent>) {
    this.#context = context;
    this.#agents = agents;
  }

  /**
   * Whether a reply here may be predecided at all: only a declared question has a type that is known to decide alone. And not
   * where a type from elsewhere may have a part in it: what it has made may not be the same once it was stored.
   */
  isPredecidable({ asks, late, parked }: Conversation): boolean {
    if (asks.length === 0 || late !== undefined || parked.length > 0) return false;
    try {
      return asks.every((ask) => this.#builtIn(ask) !== undefined);
    } catch {
      return false; // one is not declared any more: whoever gets a reply to it says so
    }
  }

  /** What the entry will make of its conversation, by the store's time. */
  of(conversationId: string, id: string, entry: Entry, now: number | undefined): PredecidedReply | undefined {
    if (now === undefined || (entry.type !== 'message' && entry.type !== 'answer')) return undefined;
    try {
      const known = this.#context.documents.of(conversationId);
      if (known === undefined) return undefined;
      const after = this.#decided(known.conversation, { id, at: now, entry });
      if (after === undefined) return undefined;
      const { incarnation, revision } = known;
      return { incarnation, revision, document: writeConversation(after), conversation: after };
    } catch {
      return undefined; // the turn meets it too, and says so
    }
  }

  #decided(conversation: Conversation, queued: Queued): Conversation | undefined {
    if (nextWork(conversation, queued, queued.at)?.type !== 'entry') return undefined;
    const read = ownReadingFor(this.#context, conversation, queued);
    if (read?.reading.type !== 'reply') return undefined;
    const { reading, who } = read;
    const { ask } = reading;
    const type = this.#typeFor(ask);
    if (type === undefined) return undefined;
    const { settings, language } = this.#context;
    const text = replyText(queued.entry) ?? '';
    const locale = who?.locale ?? ask.locale;
    const parsed = parsedAs(type, ask, { text, entry: queued.entry, language: language(locale), locale }, settings);
    if (isPromiseLike(parsed)) {
      Promise.resolve(parsed).catch(() => {}); // a pattern that may take long: the turn waits for it
      return undefined;
    }
    if (!parsed.ok) return undefined;
    const verdict = { status: 'answered', ...answerOf(parsed.value, text, settings) } as const;
    const by = {
      entry: queued.id,
      at: Math.max(queued.at, ask.askedAt),
      channel: placeOf(queued, reading).channel,
      who: who === undefined ? undefined : ownParticipant(who),
    };
    return changed(conversation, decidedBy(ask, verdict, by));
  }

  /** The type that alone decides about replies to this ask: a built-in one, whose reading has no effects. */
  #typeFor(ask: Ask): AnswerType<unknown> | undefined {
    if (ask.decision !== undefined || ask.quorum !== undefined || ask.waitsIn !== undefined) return undefined;
    const type = this.#builtIn(ask);
    if (type === undefined || type.isOpen?.(ask.data) === true) return undefined;
    return (ask.kindVersion ?? 1) <= (type.version ?? 1) ? type : undefined;
  }

  /** The type of a declared question that nobody else has a say in, where it is one of ours. */
  #builtIn(ask: Ask): AnswerType<unknown> | undefined {
    const type = this.#agents.get(ask.agentName)?.[reads]?.(ask);
    return type === builtInType(ask.kind) ? type : undefined;
  }
}
