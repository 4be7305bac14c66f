/**
 * The signature of Slack's requests: HMAC-SHA-256 over the time and the body as it came, by the app's signing secret. Time is given, and
 * nothing of the body is read here.
 */
import { createHmac } from 'node:crypto';
import { AgentError } from '../../../core/errors.js';
import { isEqualInConstantTime, secretsOf, weaknessOf } from '../../../machine/secrets.js';

/** A request that was signed longer ago, or is signed for a later time, is refused. In seconds. */
const tolerance = 300;

/** The rule for the signing secret, or several while one is replaced. Slack's own have 32 hexadecimal digits. */
export const signingSecretOption = secretsOf({
  expected: 'the signing secret of the Slack app: a string of at least 32 characters that nobody can guess',
  source: 'Slack shows it under Basic Information.',
  problem: (secret) => weaknessOf(secret),
});

/** The headers that Slack signs a request with, for a body and a time in ms. */
export function signedSlackHeaders(secret: string, body: string | Uint8Array, now: number): Record<string, string> {
  const seconds = String(Math.floor(now / 1_000));
  return { 'x-slack-request-timestamp': seconds, 'x-slack-signature': signatureOf(secret, seconds, body) };
}

function signatureOf(secret: string, seconds: string, body: string | Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${seconds}:`).update(body).digest('hex')}`;
}

/**
 * Throws unless one of the secrets has signed the body within the last five minutes, or the next: clocks differ. A header that came twice
 * is refused, because its joined values are neither a time nor a signature. Returns when Slack sent the request, by Slack's clock, in ms.
 */
export function verifySlackSignature(
  secrets: readonly string[],
  headers: Pick<Headers, 'get'>,
  body: Uint8Array,
  now: number,
): number {
  const seconds = headers.get('x-slack-request-timestamp') ?? '';
  const given = headers.get('x-slack-signature') ?? '';
  if (seconds === '' || given === '')
    throw unproved('The headers x-slack-request-timestamp and x-slack-signature are needed. Slack sends them.');
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(Math.floor(now / 1_000) - Number(seconds)) > tolerance)
    throw unproved(
      `x-slack-request-timestamp must be one time in seconds, at most ${tolerance} s off. Check the clock of this machine.`,
    );
  const isSigned = secrets
    .map((secret) => isEqualInConstantTime(given, signatureOf(secret, seconds, body)))
    .includes(true);
  if (!isSigned)
    throw unproved(
      'x-slack-signature does not fit the body. Check the signing secret, and that nothing changes the body.',
    );
  return Number(seconds) * 1_000;
}

function unproved(message: string): AgentError {
  return new AgentError('unauthenticated', message);
}
