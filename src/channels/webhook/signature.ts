/**
 * Signatures as the Standard Webhooks specification has them: HMAC-SHA-256 over id, time and body, by a shared secret. Time is given.
 */
import { Buffer } from 'node:buffer';
import { createHmac, type Hmac } from 'node:crypto';
import { AgentError } from '../../core/errors.js';
import { systemClock } from '../../machine/clock.js';
import { isEqualInConstantTime, secretsOf, weaknessOf } from '../../machine/secrets.js';

/** What is signed. */
export interface WebhookContent {
  /** The id of the message, the same for every try. It has no full stop. */
  readonly id: string;
  /** The body, exactly as it is sent. */
  readonly body: string | Uint8Array;
  /**
   * The time of the signature, in ms.
   *
   * @default now
   */
  readonly now?: number;
}

/** The headers of a signed request. */
export interface WebhookHeaders {
  /** The id of the message: a receiver drops one that it has seen. */
  readonly 'webhook-id': string;
  /** When it was signed, in seconds. */
  readonly 'webhook-timestamp': string;
  /** `v1,` and the signature in base64; several with spaces between. */
  readonly 'webhook-signature': string;
}

const prefix = 'whsec_';
const leastBytes = 24;
const mostBytes = 64;
/** A signature that is older or newer than this is refused, in seconds. */
const tolerance = 300;

/** The rule for one secret, or several while one is replaced: the first is the new one. */
export const secretsOption = secretsOf({
  expected: `a secret: ${prefix} and ${leastBytes} to ${mostBytes} bytes in base64`,
  source: `Make one: echo "${prefix}$(openssl rand -base64 32)"`,
  problem: (secret) => {
    const encoded = encodedIn(secret);
    const key = keyOf(secret);
    if (encoded === '') return `a string without ${prefix}`;
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || key.length > mostBytes) return `one of ${key.length} bytes`;
    return weaknessOf(key, leastBytes);
  },
});

const encodedIn = (secret: string): string => (secret.startsWith(prefix) ? secret.slice(prefix.length) : '');

/** The key in a secret that follows the rule. */
const keyOf = (secret: string): Buffer => Buffer.from(encodedIn(secret), 'base64');

function begunSignature(secret: string, id: string, seconds: string): Hmac {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.`);
}

function written(signature: Hmac): string {
  return `v1,${signature.digest('base64')}`;
}

/**
 * The headers that sign a request as Standard Webhooks has it. With several secrets it is signed by each, so that the receiver can change
 * over at any time.
 *
 * @example
 * import { signWebhook } from 'askback/channels/webhook';
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * const body = JSON.stringify({ sessionId: 's1', text: 'I want a refund' });
 * await fetch('https://example.com/webhook', {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json', ...signWebhook(secret, { id: 'order-4711', body }) },
 *   body,
 * });
 */
export function signWebhook(secret: string | readonly string[], content: WebhookContent): WebhookHeaders {
  const { id, body, now = systemClock.now() } = content;
  if (!isWebhookId(id))
    throw new AgentError(
      'bad-option',
      'signWebhook(): id must be 1 to 256 visible ASCII characters without a full stop, because it is a header and part of what is signed.',
    );
  const seconds = String(Math.floor(now / 1_000));
  const signatures = secretsOption(secret, 'signWebhook(): secret').map((each) =>
    written(begunSignature(each, id, seconds).update(body)),
  );
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/** A full stop would move the border between what is signed as the id and as the time. */
export function isWebhookId(id: string): boolean {
  return /^[!-\-/-~]{1,256}$/.test(id);
}

/**
 * The id of a signed request. Throws an `AgentError` with the code `unauthenticated` if no signature fits one of the secrets, or the time
 * is more than five minutes off. Remember the id: the same request may come twice.
 *
 * @example
 * import { verifyWebhook } from 'askback/channels/webhook';
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * const receive = async (request: Request) => {
 *   const body = await request.text();
 *   const id = verifyWebhook(secret, request.headers, body);
 *   return new Response(id);
 * };
 */
export function verifyWebhook(
  secret: string | readonly string[],
  headers: Pick<Headers, 'get'>,
  body: string | Uint8Array,
  now: number = systemClock.now(),
): string {
  const verification = webhookVerification(secret, headers, now);
  verification.update(body);
  return verification.end();
}

/** The proof of a request whose body comes in pieces. */
export interface WebhookVerification {
  update(piece: string | Uint8Array): void;
  /** The id of the request; throws if it is not proved. */
  end(): string;
}

/** As `verifyWebhook()`. What is wrong with the headers is thrown at once, before any of the body is read. */
export function webhookVerification(
  secret: string | readonly string[],
  headers: Pick<Headers, 'get'>,
  now: number,
): WebhookVerification {
  const id = headers.get('webhook-id') ?? '';
  const seconds = headers.get('webhook-timestamp') ?? '';
  const given = headers.get('webhook-signature') ?? '';
  if (id === '' || seconds === '' || given === '')
    throw unproved(
      'The headers webhook-id, webhook-timestamp and webhook-signature are needed. signWebhook() makes them.',
    );
  if (!isWebhookId(id)) throw unproved('webhook-id must be visible ASCII characters without a full stop.');
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(Math.floor(now / 1_000) - Number(seconds)) > tolerance)
    throw unproved(`webhook-timestamp must be a time in seconds, at most ${tolerance} s off. Check the clock.`);
  const signatures = given.split(' ').slice(0, 16);
  const expected = secretsOption(secret, 'verifyWebhook(): secret').map((each) => begunSignature(each, id, seconds));
  return {
    update: (piece) => {
      for (const each of expected) each.update(piece);
    },
    end: () => {
      const isSigned = expected
        .map(written)
        .some((right) => signatures.some((one) => isEqualInConstantTime(one, right)));
      if (!isSigned) throw unproved('No signature in webhook-signature fits. Sign the body as it is sent.');
      return id;
    },
  };
}

function unproved(message: string): AgentError {
  return new AgentError('unauthenticated', message);
}
