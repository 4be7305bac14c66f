/**
 * Predecides replies: where the type of a question alone says what is an answer, the decision is written together with the
 * reply, in one store step instead of two. Otherwise nothing is predecided, and the turn decides.
 * None of the author's code runs here.
 */
import { builtInType } from '../../answers/built-in-types.js';
import { withoutWaiting } from '../../answers/pattern/pattern.js';
import type { AnswerType } from '../../core/ask/answer-type.js';
import type { Ask } from '../../core/ask/ask.js';
import { decidedBy } from '../../core/ask/decision.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import { changedAsks, nextWork, withAsk } from '../../core/conversation/conversation.js';
import type { Entry, Queued } from '../../core/conversation/entry.js';
import { drawnFor } from '../../core/conversation/entry.js';
import { replyText } from '../../core/conversation/reply-text.js';
import { readConversation, writeConversation } from '../../core/format/document.js';
import { ownParticipant } from '../../core/participant.js';
import { isPromiseLike } from '../../core/promise.js';
import type { Predecide } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { RegisteredAgent } from '../turn/agent-port.js';
import { reads } from '../turn/agent-port.js';
import { answerOf, parsedAs } from '../turn/parse-reply.js';
import { placeOf, writtenAt } from '../turn/turn.js';
import { ownReadingFor } from './read-turn.js';

export class Predecider {
  readonly #context: RegistryContext;
  readonly #agents: ReadonlyMap<string, RegisteredAgent>;

  constructor(context: RegistryContext, agents: ReadonlyMap<string, RegisteredAgent>) {
    this.#context = context;
    this.#agents = agents;
  }

  /** For an entry that may be a reply. */
  entering(conversationId: string, id: string, entry: Entry): Predecide | undefined {
    if (entry.type !== 'message' && entry.type !== 'answer') return undefined;
    return (document, now) => {
      try {
        const conversation = readConversation(document, conversationId);
        if (!this.#isPredecidable(conversation)) return undefined;
        const after = this.#decided(conversation, { id, at: now, entry });
        return after && { document: writeConversation(after), changed: changedAsks(conversation, after) };
      } catch {
        return undefined; // the turn meets the same error, and reports it
      }
    };
  }

  /**
   * Whether replies to this conversation can be predecided at all: only where all questions are declared and of built-in types.
   * What a type from elsewhere has made may not be the same once it was stored.
   */
  #isPredecidable({ asks, late, parked }: Conversation): boolean {
    if (asks.length === 0 || late !== undefined || parked.length > 0) return false;
    try {
      return asks.every((ask) => this.#builtIn(ask) !== undefined);
    } catch {
      return false; // a question is not declared any more: the turn that reads a reply to it reports that
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
    const locale = who?.locale ?? ask.question.locale;
    const reply = { text, entry: queued.entry, language: language(locale), locale };
    const parsed = withoutWaiting(() => parsedAs(type, ask, reply, settings));
    if (isPromiseLike(parsed)) {
      Promise.resolve(parsed).catch(() => {}); // the turn awaits it
      return undefined;
    }
    if (!parsed.ok) return undefined;
    const verdict = { status: 'answered', ...answerOf(parsed.value, text, settings) } as const;
    const from = writtenAt(queued);
    const by = {
      entry: queued.id,
      at: Math.max(queued.at, ask.timing.askedAt),
      channel: (from ?? placeOf(queued, reading)).channel,
      who: who === undefined ? undefined : ownParticipant(who),
      drawn: drawnFor(queued.entry),
      from,
    };
    return withAsk(conversation, decidedBy(ask, verdict, by));
  }

  /** The built-in type that alone decides about replies to this ask. */
  #typeFor(ask: Ask): AnswerType<unknown> | undefined {
    const { question, audience, progress, decision } = ask;
    if (decision !== undefined || audience.quorum !== undefined || progress.waitsIn !== undefined) return undefined;
    const type = this.#builtIn(ask);
    if (type === undefined || type.isOpen?.(question.data) === true) return undefined;
    return (question.kindVersion ?? 1) <= (type.version ?? 1) ? type : undefined;
  }

  /** The built-in type of a declared question, unless the author has a say in its replies. */
  #builtIn(ask: Ask): AnswerType<unknown> | undefined {
    const type = this.#agents.get(ask.agentName)?.[reads]?.(ask);
    return type === builtInType(ask.question.kind) ? type : undefined;
  }
}
