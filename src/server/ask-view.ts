/**
 * An ask as the inbox shows it to one person: plain JSON, for the API, the page and live events alike. It has what the program guarantees
 * (agent, tool, details, requester) and the form to answer with; the context only for operators.
 */
import type { Shape } from '../core/ask/answer-type.js';
import type { AnswerableBy, AskStatus, TakenStep } from '../core/ask/ask.js';
import { endReasonOf, publicView, shapeOf } from '../core/ask/ask.js';
import { drawnDigest } from '../core/ask/drawn.js';
import { toolOf } from '../core/ask/tool-call.js';
import { definedFields } from '../core/defined-fields.js';
import { isMessageEntry } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { copyOf } from '../core/json.js';
import { type ShownPerson, shownPerson } from '../core/participant.js';
import type { RecordedAsk } from '../registry/inbox/inbox-port.js';
import type { InboxPerson } from './person.js';
import { operates } from './rights.js';

/**
 * An ask as the inbox gives it to one person. Times are in ISO 8601.
 *
 * @example
 * import type { InboxAsk } from 'askback/server';
 *
 * const line = ({ question, status, mayAnswer }: InboxAsk) => `${question} (${status}${mayAnswer ? ', yours to answer' : ''})`;
 */
export interface InboxAsk {
  /** The id of the ask. */
  readonly id: string;
  /** The conversation in which it was asked. */
  readonly conversationId: string;
  /** The conversation of whom it was asked for, where it is put to others. */
  readonly originConversationId?: string;
  /** The agent that asked; `@wait` where a program did. */
  readonly agentName: string;
  /** The channel on which it was asked. */
  readonly channelName: string;
  /** The tool that asked, or whose call is to be approved. */
  readonly tool?: string;
  /** The tenant it was asked in. */
  readonly tenant?: string;
  /** The text of the question. */
  readonly question: string;
  /** What is asked now, where that is a part of the answer: the next field of a form. */
  readonly prompt?: string;
  /** The name of its answer type. */
  readonly kind: string;
  /** How the answer can be given. */
  readonly shape: Shape;
  /** What the person is shown beside the question. */
  readonly details?: Readonly<Record<string, string>>;
  /** Open (`pending`), or how it ended. */
  readonly status: AskStatus;
  /** When it was asked. */
  readonly askedAt: string;
  /** When it expires. */
  readonly expiresAt?: string;
  /** Whom it was asked for. */
  readonly asker?: ShownPerson;
  /** Who may answer. */
  readonly answerableBy: AnswerableBy;
  /** How many different people must say yes. */
  readonly quorum?: number;
  /** Who has said yes or no so far. */
  readonly votes?: readonly { readonly by: ShownPerson; readonly at: string; readonly value: boolean }[];
  /** The steps that were taken: to whom it was escalated, or who handed it to whom, in order. */
  readonly steps?: readonly {
    readonly type: 'escalated' | 'handed-over';
    /** When the step was taken. */
    readonly at: string;
    /** Where the question is shown since then. */
    readonly channel?: string;
    /** Who may answer since then, by an escalation. */
    readonly answerableBy?: AnswerableBy;
    /** The question had reached nobody. */
    readonly why?: 'undeliverable';
    /** Who handed it over. */
    readonly by?: ShownPerson;
    /** Who got it. */
    readonly to?: ShownPerson;
    /** What was said about it. */
    readonly reason?: string;
  }[];
  /** What a form has so far. */
  readonly partial?: Json;
  /** How often it was asked again after a reply that was no answer. */
  readonly retries: number;
  /** How often it may be asked again. */
  readonly maxRetries: number;
  /** The reply that decided it, as it was given. */
  readonly answer?: string;
  /** The reply as the question's type read it. */
  readonly value?: Json;
  /** Who decided it. */
  readonly decidedBy?: ShownPerson;
  /** When it was decided. */
  readonly decidedAt?: string;
  /** The channel by which it was decided; absent for the API and the page. */
  readonly decidedVia?: string;
  /** Why it ended, where more is known than the status says. */
  readonly reason?: string;
  /** The answer is for the handler only, and is shown nowhere. */
  readonly sensitive?: true;
  /** Whether the person it is given to may answer it now. */
  readonly mayAnswer: boolean;
  /** Of all that a person decides by: whoever answers may send it back, and is refused where it is not the same any more. */
  readonly digest: string;
  /** The digest of what was shown to whoever decided it, where they sent it: for operators only. */
  readonly drawn?: string;
  /** What the agent has kept with it: for operators only. */
  readonly context?: Readonly<Record<string, Json>>;
}

/** An answer: what a person typed, or what a control gave. */
export type GivenAnswer = { readonly text: string } | { readonly value: Json };

/** The ask as `person`, who may see it, is shown it. */
export function viewFor(person: InboxPerson, { ask, conversationId }: RecordedAsk, mayAnswer: boolean): InboxAsk {
  const view = publicView<Json>(ask, conversationId);
  const { question, audience, progress, decision } = ask;
  const { origin, tenant } = audience;
  const askerId = origin === undefined ? audience.asker : origin.asker;
  return {
    id: ask.id,
    conversationId,
    ...definedFields({
      originConversationId: origin?.conversationId,
      tool: toolOf(ask),
      tenant,
      prompt: progress.part?.prompt,
      details: view.details,
      expiresAt: isoTime(ask.timing.expiresAt),
      asker: askerId === undefined ? undefined : { id: askerId },
      quorum: audience.quorum,
      votes: progress.votes?.map(({ by, at, value }) => ({ by: shownPerson(by), at: isoTime(at), value })),
      steps: progress.steps?.map(stepOf),
      partial: view.partial,
      answer: view.answer,
      value: view.value,
      decidedBy: decision?.by && shownPerson(decision.by),
      decidedAt: isoTime(decision?.at),
      decidedVia: decision !== undefined && isMessageEntry(decision.entry) ? decision.channel : undefined,
      reason: endReasonOf(ask),
      sensitive: question.sensitive,
      ...(operates(person, tenant) && { drawn: decision?.drawn, context: copyOf(ask.own.context) }),
    }),
    agentName: ask.agentName,
    channelName: ask.places.own.channel,
    question: question.text,
    kind: question.kind,
    shape: copyOf(shapeOf(ask)),
    status: ask.status,
    askedAt: isoTime(ask.timing.askedAt),
    answerableBy: view.answerableBy,
    retries: progress.retries,
    maxRetries: question.maxRetries,
    mayAnswer: mayAnswer && ask.status === 'pending',
    digest: drawnDigest(ask),
  };
}

function stepOf(step: TakenStep): NonNullable<InboxAsk['steps']>[number] {
  const { type, channel } = step;
  const at = isoTime(step.at);
  if (step.type === 'escalated')
    return { type, at, ...definedFields({ channel, answerableBy: copyOf(step.answerableBy), why: step.why }) };
  const { by, to, reason } = step;
  return { type, at, by: shownPerson(by), to: shownPerson(to), ...definedFields({ channel, reason }) };
}

function isoTime(at: number): string;
function isoTime(at: number | undefined): string | undefined;
function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
