/**
 * Errors of the JSON API: one body, `{ error: { code, message, … } }`, and one table from codes to statuses. An error of the server has
 * only its code and a reference under which it is logged.
 */
import type { AgentErrorCode } from '../../core/errors.js';
import { AgentError, failureOf } from '../../core/errors.js';
import type { Logger } from '../../core/events.js';
import type { Refusal } from '../access/refusal.js';
import { type ApiReply, ok } from './reply.js';

/** The status of each code of the library. An error of the server's own program is 500. */
export const statusByCode = {
  'bad-option': 400,
  'bad-data': 400,
  'bad-message': 400,
  unauthenticated: 401,
  'unknown-ask': 404,
  already: 409,
  'not-shown': 409,
  'unfinished-effect': 409,
  'queue-full': 429,
  'too-many-asks': 429,
  'store-full': 507,
  'store-unavailable': 503,
  'store-unfit': 503,
  'not-opened': 503,
  stopped: 503,
  'not-registered': 500,
  'no-turn': 500,
  'in-turn': 500,
  'turn-ended': 500,
  'trigger-channel': 500,
  'unknown-channel': 500,
  'unknown-agent': 500,
  'unknown-question': 500,
  'unknown-policy': 500,
  'not-continued': 500,
  'no-model': 500,
  'too-many-steps': 500,
  'pattern-limit': 500,
  'model-refused': 500,
  'bad-verdict': 500,
  'turn-limit': 500,
  crashed: 500,
  'may-have-happened': 500,
  'lease-lost': 500,
  'bad-record': 500,
  'newer-record': 500,
  undeliverable: 500,
  'missing-package': 500,
} as const satisfies Record<AgentErrorCode, number>;

/** Errors that only a server can have. */
export const apiErrors = {
  'not-found': { status: 404, message: 'There is nothing of that name here, or you may not see it.' },
  'unknown-ask': { status: 404, message: 'There is no ask with that id, or you may not see it.' },
  'not-allowed': { status: 403, message: 'You see it, and may not do this. Somebody else has to.' },
  'wrong-method': { status: 405, message: 'The path does not take this method. The header Allow says which it takes.' },
  already: { status: 409, message: 'The ask was decided before. Its decision is in `ask`.' },
  changed: {
    status: 409,
    message: 'The ask is not what you saw any more, and nothing was decided. Look at `ask`, then decide again.',
  },
  'no-longer-parked': { status: 409, message: 'Somebody else has retried or closed it first.' },
  running: { status: 409, message: 'The first request with this Idempotency-Key is still running. Try again later.' },
  'too-large': { status: 413, message: 'The body is larger than 128 KiB, and nothing was read.' },
  'wrong-content-type': { status: 415, message: 'Send the body as JSON, with Content-Type: application/json.' },
  'invalid-hand-over': { status: 422, message: 'It cannot be handed to that person; the ask is as it was.' },
  'invalid-answer': { status: 422, message: 'The answer does not fit the question; the ask is as it was.' },
  'key-used': {
    status: 422,
    message: 'This Idempotency-Key was used for another body. Use a new key for a new request.',
  },
  'server-error': { status: 500, message: 'Something failed here. The reference leads to it in the log.' },
} as const;

export type ApiErrorCode = keyof typeof apiErrors;

/** The reply with an error that only a server can have. */
export function errorReply(code: ApiErrorCode, more: object = {}, headers: Record<string, string> = {}): ApiReply {
  const { status, message } = apiErrors[code];
  return { status, body: { error: { code, message, ...more } }, headers };
}

/** The reply with what was found; null is nothing that the person may see. */
export const foundReply = (body: object | null): ApiReply => (body === null ? errorReply('not-found') : ok(body));

/** The reply to a caller who is not let in, or not from there. */
export function refusalReply({ status, code, message }: Refusal): ApiReply {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return { status, body: { error: { code, message } }, headers };
}

/** The reply to a request that cannot be read. `message` says what is wrong with it. */
export function badRequest(message: string, more: object = {}): ApiReply {
  return { status: 400, body: { error: { code: 'bad-option', message, ...more } } };
}

const laterMessages: Partial<Record<AgentErrorCode, string>> = {
  'store-unavailable':
    'The store did not answer. A change may have been recorded all the same: send the same request again with the same Idempotency-Key, or look at the ask.',
  'store-full': 'The store takes no more, and nothing was accepted.',
  stopped:
    'This process is stopping. A change may have been recorded all the same: send the same request again with the same Idempotency-Key, or look at the ask.',
};

/** The reply to a request that failed. From 500 up the failure is logged, and not sent: it may name hosts. */
export function thrownReply(thrown: unknown, logger: Logger, reference: string): ApiReply {
  const status = thrown instanceof AgentError ? statusByCode[thrown.code] : 500;
  if (thrown instanceof AgentError && status < 500) {
    return { status, body: { error: { code: thrown.code, message: thrown.message } } };
  }
  const failure = failureOf(thrown);
  logger.error('A request to the inbox failed', { reference, failure });
  if (!(thrown instanceof AgentError) || status === 500) return errorReply('server-error', { reference });
  const message = laterMessages[thrown.code] ?? 'This is not possible now. Send the same request again later.';
  return { status, body: { error: { code: thrown.code, message, reference } }, headers: { 'retry-after': '5' } };
}
