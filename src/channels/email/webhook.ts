/**
 * Mails that a provider or a mail server posts, each as it came over SMTP. A request is answered with 2xx once its mail is recorded; after
 * anything else the sender repeats it. It looks at no mail's content.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  type CheckedOptions,
  integer,
  type OptionRule,
  type OptionRules,
  object,
  optional,
} from '../../core/check-options.js';
import { AgentError, badOption, failureOf } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import type { Clock } from '../../machine/clock.js';
import { isEqualInConstantTime, secretRule } from '../../machine/secrets.js';
import { bodyInPieces, errorResponse, jsonResponse, readBefore, refusal, wasReadBefore } from '../http.js';
import { secretsOption, type WebhookVerification, webhookVerification } from '../webhook/signature.js';
import type { ArrivedMail, MailIntake } from './imap/mailbox.js';
import { longestRead } from './incoming/mime.js';

/**
 * How posted mails are proved to come from your mail server. `secret`, `bearer` or both are needed.
 *
 * A Cloudflare Email Worker posts each mail, and has the sender told to try again if it was not recorded:
 *
 * ```js
 * export default {
 *   async email(message, env) {
 *     const response = await fetch(env.ASKBACK_URL, {
 *       method: 'POST',
 *       headers: { 'content-type': 'message/rfc822', authorization: `Bearer ${env.ASKBACK_BEARER}` },
 *       body: await new Response(message.raw).arrayBuffer(),
 *     });
 *     if (!response.ok) throw new Error(`askback answered ${response.status}`);
 *   },
 * };
 * ```
 *
 * Postfix pipes each mail to curl. In `master.cf`, with `replies@` and the like sent there by a transport map:
 *
 * ```text
 * askback unix - n n - 4 pipe flags=DO user=askback argv=/usr/local/bin/post-mail
 * ```
 *
 * and `post-mail`, whose exit code 75 keeps the mail in the queue:
 *
 * ```sh
 * #!/bin/sh
 * exec 3<&0
 * curl --fail --silent --max-time 60 --config /etc/askback/curl.conf --data-binary @/dev/fd/3 || exit 75
 * ```
 *
 * with the url, `header = "content-type: message/rfc822"` and `header = "authorization: Bearer …"` in `curl.conf`, which only that user can
 * read: an argument could be seen by every process.
 */
export interface MailWebhookOptions {
  /** The secret that signs requests, as Standard Webhooks has it; several while one is replaced. */
  readonly secret?: string | readonly string[];
  /** What requests send as `Authorization: Bearer …`, at least 32 characters; several while one is replaced. */
  readonly bearer?: string | readonly string[];
  /**
   * The most bytes of a mail.
   *
   * @default 31_457_280
   */
  readonly bodyBytes?: number;
}

/** A token with white space in it could never come in a header. */
const bearerOption: OptionRule<readonly string[]> = (value, name) => {
  const tokens = secretRule(value, name);
  if (tokens.every((token) => /^[!-~]+$/.test(token))) return tokens;
  throw badOption(
    `${name} must be of visible ASCII characters without white space, because it comes in a header. Make one: openssl rand -base64 32`,
  );
};

const rules = {
  secret: optional(secretsOption),
  bearer: optional(bearerOption),
  bodyBytes: optional(integer({ min: 1, of: 'bytes' }), 30 * 1024 * 1024),
} satisfies OptionRules<MailWebhookOptions>;

/** The options of a mail webhook, with their defaults. */
export type CheckedMailWebhook = CheckedOptions<typeof rules>;

/** The rule for an option that lets mails be posted. */
export const mailWebhookOption: OptionRule<CheckedMailWebhook> = (value, name) => {
  const options = object(rules, '{ secret }', { isSecret: true })(value, name);
  if (options.secret !== undefined || options.bearer !== undefined) return options;
  throw badOption(`${name}: secret or bearer is needed, else anybody could post mails of anybody.`);
};

/** Somebody must change a setting first, so another try at once is in vain, in s. */
const retryAfter = '600';
const types = new Set(['message/rfc822', 'application/octet-stream']);

/** Takes posted mails. Never rejects. `options` is what `mailWebhookOption` gives. */
export function mailWebhook(options: CheckedMailWebhook, intake: MailIntake): (request: Request) => Promise<Response> {
  const where = `Channel ${JSON.stringify(intake.name)}`;
  return async (request) => {
    try {
      if (request.method !== 'POST') {
        const wrong = new AgentError('bad-message', 'Only POST is served here.', { details: { status: 405 } });
        return errorResponse(wrong, where, { allow: 'POST' });
      }
      const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
      if (!types.has(type))
        throw refusal(415, `The content-type must be ${[...types].join(' or ')}: the mail as it is.`);
      const verification = begunProof(options, request.headers, intake.clock);
      const { raw, about } = await readMail(request, verification, options.bodyBytes);
      return await recorded(raw, about, intake);
    } catch (error) {
      return errorResponse(error, where);
    }
  };
}

/** A bearer token is checked at once, a signature when the body was read. */
function begunProof(
  { secret, bearer }: CheckedMailWebhook,
  headers: Headers,
  clock: Clock,
): WebhookVerification | undefined {
  const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (bearer !== undefined && token !== undefined) {
    if (bearer.some((each) => isEqualInConstantTime(token, each))) return undefined;
    throw new AgentError('unauthenticated', 'The bearer token is not the one that is expected here.');
  }
  if (secret !== undefined) return webhookVerification(secret, headers, clock.now());
  throw new AgentError('unauthenticated', 'The header Authorization: Bearer with the shared secret is needed.');
}

/** The first bytes, and an id of all of them: a long mail is never held as a whole. */
async function readMail(request: Request, verification: WebhookVerification | undefined, mostBytes: number) {
  const hash = createHash('sha256');
  const pieces: Uint8Array[] = [];
  let size = 0;
  const isWhole = await bodyInPieces(request, mostBytes, (piece) => {
    verification?.update(piece);
    hash.update(piece);
    if (size < longestRead) pieces.push(piece.slice(0, longestRead - size));
    size += piece.byteLength;
  });
  if (!isWhole) throw refusal(413, `The mail is longer than ${mostBytes} bytes.`);
  const raw = Buffer.concat(pieces);
  if (wasReadBefore(request.headers, raw)) throw refusal(400, readBefore);
  if (size === 0) throw refusal(400, 'The body is empty. Send the mail as it is.');
  const signedId = verification?.end();
  const content = hash.digest('base64url');
  const id = signedId === undefined ? digest('mail by content', content) : digest('mail by webhook-id', signedId);
  return { raw, about: { id, size } };
}

/** Whatever the reason is that a mail is not recorded: with a status of 4xx the sender would give it up. */
async function recorded(raw: Uint8Array, about: ArrivedMail, { accept, logger, name }: MailIntake): Promise<Response> {
  const taken = await accept(raw, about).catch((error: unknown) => {
    const problem = 'A posted mail could not be recorded. Its sender is told to repeat it';
    logger.warn(problem, { channel: name, failure: failureOf(error) });
    throw refusal(503, 'The mail could not be recorded. Send it again later.', 'store-unavailable');
  });
  if (taken !== 'wrong-set-up') return jsonResponse(200, { ok: true });
  const problem = 'The mail cannot be taken as this is set up. The log says why. Send it again later.';
  // it may be an answer: with 2xx it would be lost
  return errorResponse(refusal(503, problem, 'bad-option'), name, { 'retry-after': retryAfter });
}
