/**
 * Reads a request: who sends it, which session it is about, and what it says. The session names a conversation and proves nothing.
 */
import {
  anything,
  boolean,
  finite,
  nonEmpty,
  type OptionRules,
  object,
  optional,
  string,
} from '../../core/check-options.js';
import { AgentError } from '../../core/errors.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { refusal } from '../http.js';

/**
 * Who sends a request, as your own `authenticate` has found out.
 *
 * @example
 * import { WebhookChannel, type WebhookCaller } from 'askback/channels/webhook';
 *
 * const callers: Record<string, WebhookCaller> = { 'Bearer 4711': { participant: { id: 'shop:anna' } } };
 * const channel = new WebhookChannel({ authenticate: ({ headers }) => callers[headers.get('authorization') ?? ''] });
 */
export interface WebhookCaller {
  /** The person or the program that sends it: the author of its messages. */
  readonly participant: Participant;
  /**
   * `own`: the caller's sessions are kept apart from those of others, whatever they are called. `any`: the caller is trusted to name every
   * conversation.
   *
   * @default 'own'
   */
  readonly conversations?: 'own' | 'any';
}

/** The JSON of a request. */
export interface WebhookMessage {
  readonly id?: string;
  readonly text?: string;
  readonly sessionId?: string;
  readonly conversationId?: string;
  readonly participant?: Participant;
  readonly askId?: string;
  readonly choice?: string | readonly string[];
  /** The answer as a value, such as that of a form. */
  readonly value?: Json;
  readonly intent?: string;
  readonly data?: Json;
  readonly automated?: boolean;
  /** When it was written, by the sender's clock, in ms since 1970. It stays the same when it is sent again. */
  readonly sentAt?: number;
  readonly callback?: string;
}

const rules = {
  id: optional(nonEmpty()),
  text: optional(string()),
  sessionId: optional(nonEmpty()),
  conversationId: optional(nonEmpty()),
  participant: optional(anything<Participant>()), // the desk looks at it, and at the choice
  askId: optional(nonEmpty()),
  choice: optional(anything<string | readonly string[]>()),
  value: optional(anything<Json>()),
  intent: optional(nonEmpty()),
  data: optional(anything<Json>()),
  automated: optional(boolean()),
  sentAt: optional(finite()),
  callback: optional(nonEmpty()),
} satisfies OptionRules<WebhookMessage>;

/** The fields of a message. One that is not known is refused: a misspelt name must not be overlooked. */
export function readMessage(json: unknown) {
  try {
    return object(rules, '{ "id": "1", "sessionId": "s1", "text": "Hello" }')(json, 'message');
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw new AgentError('bad-message', error.message, { cause: error });
  }
}

/** Which conversation a request is about. */
export interface WebhookSession {
  /** As the caller names it. */
  readonly sessionId: string;
  /** As the registry knows it. */
  readonly conversationId: string;
}

interface NamedSession {
  readonly sessionId?: string | undefined;
  readonly conversationId?: string | undefined;
}

/** The session that the header, the body and the query name. They must not name different ones. */
export function sessionOf(
  request: Request,
  body: NamedSession,
  caller: WebhookCaller | undefined,
  channel: string,
): WebhookSession {
  const { searchParams } = new URL(request.url);
  if (caller === undefined) assertSigned(request, body);
  const own = caller === undefined || caller.conversations === 'any' ? '' : ownPrefix(channel, caller.participant);
  const session = single('session', [
    request.headers.get('x-session-id'),
    body.sessionId,
    searchParams.get('sessionId'),
  ]);
  const conversation = single('conversation', [body.conversationId, searchParams.get('conversationId')]);
  if (session === undefined && conversation === undefined)
    throw new AgentError(
      'bad-message',
      'The request names no session. Send sessionId in the body or the query, or the header X-Session-Id.',
    );
  const conversationId = conversation ?? `${own}${session}`;
  if (!conversationId.startsWith(own) || conversationId === own)
    throw refusal(403, 'The conversation is not one of yours. Use the sessionId under which you wrote in it.');
  if (session !== undefined && conversationId !== `${own}${session}`)
    throw new AgentError('bad-message', 'sessionId and conversationId name different conversations. Send one of them.');
  return { sessionId: conversationId.slice(own.length), conversationId };
}

/** What a signature does not cover could be changed on the way, and the request sent again into another conversation. */
function assertSigned({ method, url, headers }: Request, { sessionId, conversationId }: NamedSession): void {
  const isInHeader = headers.has('x-session-id');
  if (method === 'GET') {
    if (!isInHeader) return;
    throw new AgentError('bad-message', 'Name the session in the query: the signature covers that, and no header.');
  }
  const { searchParams } = new URL(url);
  const isInQuery = searchParams.has('sessionId') || searchParams.has('conversationId');
  if ((sessionId ?? conversationId) !== undefined || !(isInHeader || isInQuery)) return;
  throw new AgentError(
    'bad-message',
    'Name the session in the body: the signature covers that, and neither a header nor the query.',
  );
}

function single(what: string, named: readonly (string | null | undefined)[]): string | undefined {
  const names = new Set(named.filter((name) => name !== null && name !== undefined && name !== ''));
  if (names.size > 1)
    throw new AgentError(
      'bad-message',
      `The request names more than one ${what}: header, body and query differ. Send one of them.`,
    );
  return [...names][0] ?? undefined;
}

/**
 * The caller's own sessions begin with it, and nobody else's do, nor a conversation of another channel, which begins with the name of that
 * channel: tenant and id are escaped, so the first slash ends them, and a colon between the name and it stands only behind a tenant.
 */
function ownPrefix(channel: string, { id, tenant }: Participant): string {
  const own = `${encodeURIComponent(id)}/`;
  return `${channel}:${tenant === undefined ? own : `${encodeURIComponent(tenant)}:${own}`}`;
}
