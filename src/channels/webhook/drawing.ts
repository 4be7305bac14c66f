/**
 * What was said, as JSON: the same in a response and in a callback. Text is made inert; whoever shows it escapes it for where it is shown.
 */
import type { Shape } from '../../core/ask/answer-type.js';
import type { Disposition } from '../../core/conversation/entry.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Json } from '../../core/json.js';
import { inert } from '../../core/text.js';
import { inertShape } from '../inert-shape.js';

/**
 * A question as a program draws it. One that is over has no shape.
 *
 * @example
 * import type { WebhookQuestion } from 'askback/channels/webhook';
 *
 * const isOpen = ({ status }: WebhookQuestion) => status === 'pending';
 */
export interface WebhookQuestion {
  /** Send it back as `askId`, with `text` or `choice`. */
  readonly askId: string;
  /** `pending` while it is open. */
  readonly status: string;
  /** The kind of its answer, such as `confirm`. */
  readonly kind: string;
  /** How it can be answered, while it is open: draw buttons, a list or a form by it. */
  readonly shape?: Shape;
  /** One line that says how to answer in words. */
  readonly hint?: string;
  /** What is shown beside the question. */
  readonly details?: Readonly<Record<string, string>>;
  /** When it expires, as an ISO date. */
  readonly expiresAt?: string;
  /** The answer is a secret: do not show it. */
  readonly sensitive?: true;
}

/**
 * One thing that was said.
 *
 * @example
 * import type { WebhookOutput } from 'askback/channels/webhook';
 *
 * const show = ({ text, question }: WebhookOutput) => (question?.status === 'pending' ? `${text} [${question.askId}]` : text);
 */
export interface WebhookOutput {
  /** The same for every copy of it: by it a repeat is known. */
  readonly key: string;
  /** What is said, or the question. */
  readonly text: string;
  /** The question that it asks, or that is over. */
  readonly question?: WebhookQuestion;
  /** The id of the only participant whom it concerns. */
  readonly only?: string;
  /** Of the result whose output it is. */
  readonly metadata?: { readonly [key: string]: Json };
}

/**
 * What a message is answered with, as JSON.
 *
 * @example
 * import type { WebhookResponse } from 'askback/channels/webhook';
 *
 * const texts = ({ outputs }: WebhookResponse) => outputs.map((output) => output.text);
 */
export interface WebhookResponse {
  /** What became of the message. `received`: it is recorded, and its turn is not over. Of a failure nothing more is told. */
  readonly disposition: Exclude<Disposition, { type: 'failed' }> | { readonly type: 'failed' | 'received' };
  /** What the message's own turn said, in order. */
  readonly outputs: readonly WebhookOutput[];
  /** The place behind them. Absent where a callback gets them. */
  readonly cursor?: string;
  /** Something that was said is not kept any more. */
  readonly gap?: true;
  /** Of the turn's result. */
  readonly metadata?: { readonly [key: string]: Json };
  /** The session, as the caller names it. */
  readonly sessionId: string;
  /** The conversation, as the registry knows it. */
  readonly conversationId: string;
  /** Where the rest can be fetched, if the turn is not over. */
  readonly where?: string;
  /** The callback that gets what is said. */
  readonly callback?: string;
}

export function drawn({ key, text, ask, shape, hint, only, metadata }: OutgoingMessage): WebhookOutput {
  const said = { key, text: inert(text), ...definedFields({ only, metadata }) };
  if (ask === undefined) return said;
  const isOpen = ask.status === 'pending';
  const question: WebhookQuestion = {
    askId: ask.id,
    status: ask.status,
    kind: ask.kind,
    ...(isOpen ? { shape: inertShape(shape), ...definedFields({ hint: hint && inert(hint) }) } : {}),
    ...definedFields({
      details: ask.details && inertDetails(ask.details),
      expiresAt: isOpen ? ask.expiresAt?.toISOString() : undefined,
      sensitive: ask.sensitive,
    }),
  };
  return { ...said, question };
}

function inertDetails(details: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [inert(name), inert(value)]));
}
