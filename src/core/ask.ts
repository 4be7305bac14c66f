/**
 * The ask: its record, and the rules by which one becomes the next. Re-asking is the next attempt of the same ask.
 * No clock, no store; the time is always given.
 */
import type { Making } from './given.js';
import { extended } from './given.js';
import type { Json } from './json.js';
import { copyOf } from './json.js';
import type { Participant } from './participant.js';
import type { Choice, Shape } from './question.js';

export type AskStatus = 'pending' | 'answered' | 'declined' | 'exhausted' | 'expired' | 'cancelled';
/**
 * How an ask ended without an answer.
 *
 * @example
 * onClosed: (ask, why: Closed) => (why === 'expired' ? 'Too late.' : undefined)
 */
export type Closed = 'declined' | 'exhausted' | 'expired' | 'cancelled' | 'undeliverable';
export type AnswerableBy = 'asker' | 'anyone' | readonly string[];

/** Where a message came from and where its answer goes. */
export interface Place {
  readonly channel: string;
  readonly address: Json;
  /** Nobody reads there. */
  readonly trigger?: boolean;
}

/** What finally became of an ask: who, when, where, by which entry. It never changes. */
export interface Decision {
  readonly at: number;
  readonly entry: string;
  readonly channel?: string;
  readonly by?: Participant;
  readonly why?: 'undeliverable';
  readonly effectKey: string;
}

/** The stored record. Unknown fields of a newer release are kept by the spread in every rule. */
export interface Ask {
  readonly id: string;
  readonly agentName: string;
  /** The declared question's name; absent for a question asked inline. */
  readonly name?: string;
  readonly question: string;
  readonly kind: string;
  readonly data: Json;
  readonly shape: Shape;
  readonly context: { readonly [key: string]: Json };
  readonly details?: { readonly [key: string]: string };
  readonly status: AskStatus;
  readonly answer?: string;
  readonly value?: Json;
  readonly retries: number;
  readonly maxRetries: number;
  readonly askedAt: number;
  readonly expiresAt?: number;
  readonly place: Place;
  readonly answerableBy: AnswerableBy;
  readonly asker?: string;
  readonly effectKey?: string;
  readonly onCrash?: 'park';
  /** The cancel of all asks during which it was opened; that cancel does not mean it. */
  readonly cause?: string;
  /** The question has been put to the human: it is or was the head. */
  readonly shown?: true;
  readonly decision?: Decision;
}

export const insufficient = '__insufficient__';

/** The same ask, one attempt later. */
export function retried(ask: Ask): Ask {
  return { ...ask, retries: ask.retries + 1 };
}

export interface Verdict {
  readonly status: Exclude<AskStatus, 'pending'>;
  readonly answer?: string;
  readonly value?: Json;
  readonly decision: Decision;
}

/** The ask with its final decision. A second decision is refused by giving the ask back unchanged. */
export function decided(ask: Ask, verdict: Verdict): Ask {
  if (ask.status !== 'pending') return ask;
  return extended(ask, verdict);
}

/** A reply recorded at `at` came too late for this ask. */
export function isPast(ask: Ask, at: number): boolean {
  return ask.expiresAt !== undefined && at >= ask.expiresAt;
}

export function closedAs(ask: Ask): Closed | undefined {
  if (ask.decision?.why === 'undeliverable') return 'undeliverable';
  return ask.status === 'pending' || ask.status === 'answered' ? undefined : ask.status;
}

/**
 * An ask as users see it. `context` is private to the agent, `details` is what the human sees.
 *
 * @example
 * const pending = this.getPendingAsk();
 * if (pending && input.message) return this.handlePendingAsk(pending, input.message, (order) => refund(order));
 */
export interface PendingAsk<T = string> {
  readonly id: string;
  readonly conversationId: string;
  readonly agentName: string;
  readonly question: string;
  readonly context: Record<string, unknown>;
  readonly status: AskStatus;
  readonly answer?: string;
  readonly value?: T;
  readonly retries: number;
  readonly maxRetries: number;
  readonly askedAt: Date;
  readonly expiresAt?: Date;
  readonly channelName: string;
  readonly kind: string;
  readonly choices?: readonly Choice[];
  readonly details?: Readonly<Record<string, string>>;
  readonly answerableBy: AnswerableBy;
  readonly decidedBy?: Participant;
  readonly decidedAt?: Date;
  readonly effectKey: string;
}

/** The answer as the question's type reads it; for a text that is the text itself and is not stored twice. */
export function answerValue(ask: Ask): Json | undefined {
  return ask.value === undefined && ask.status === 'answered' ? ask.answer : ask.value;
}

/** The user's view of a record: dates as Date, the conversation named. */
export function askView<T = string>(ask: Ask, conversationId: string): PendingAsk<T> {
  const view = outsideView<T>(ask, conversationId) as Making<PendingAsk<T>>; // all but the context, which follows
  view.context = copyOf(ask.context) as Record<string, unknown>;
  return view;
}

/** What may leave the agent: the view without the context. */
export function outsideView<T = string>(ask: Ask, conversationId: string): Omit<PendingAsk<T>, 'context'> {
  const { decision } = ask;
  const value = answerValue(ask);
  const view: Making<Omit<PendingAsk<T>, 'context'>> = {
    id: ask.id,
    conversationId,
    agentName: ask.agentName,
    question: ask.question,
    status: ask.status,
    retries: ask.retries,
    maxRetries: ask.maxRetries,
    askedAt: new Date(ask.askedAt),
    channelName: ask.place.channel,
    kind: ask.kind,
    answerableBy: ask.answerableBy,
    effectKey: decision?.effectKey ?? ask.effectKey ?? ask.id,
  };
  if (ask.answer !== undefined) view.answer = ask.answer;
  if (value !== undefined) view.value = value as T; // read by the question's own type
  if (ask.expiresAt !== undefined) view.expiresAt = new Date(ask.expiresAt);
  if (ask.shape.type === 'choices') view.choices = ask.shape.choices;
  if (ask.details !== undefined) view.details = ask.details;
  if (decision?.by !== undefined) view.decidedBy = decision.by;
  if (decision !== undefined) view.decidedAt = new Date(decision.at);
  return view;
}
