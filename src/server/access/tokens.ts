/**
 * Bearer tokens: reading the header, and the ready-made `authenticate` for tokens of which only the hashes are configured.
 */
import { hash } from 'node:crypto';
import { assertObject } from '../../core/check-options.js';
import { AgentError } from '../../core/errors.js';
import { isEqualInConstantTime, weaknessOf } from '../../machine/secrets.js';
import { checkedInboxPerson, type InboxPerson } from '../person.js';

const leastToken = 20;
const mostToken = 4_096;

/** The token of `Authorization: Bearer …`, or undefined for every other header: two tokens, another scheme, nothing. */
export function bearerToken(headers: Headers): string | undefined {
  const given = headers.get('authorization') ?? '';
  if (given.length > mostToken + 'Bearer '.length) return undefined;
  return /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(given)?.[1];
}

/**
 * The hash of a token, for `staticTokens()`: SHA-256 as 64 hexadecimal digits. A token must be random, because a hash that is
 * this quick protects no password.
 *
 * @example
 * import { hashToken } from 'askback/server';
 *
 * const hash = hashToken('a-token-of-at-least-20-random-characters');
 * console.log(hash.length); // 64
 */
export function hashToken(token: string): string {
  const isToken =
    typeof token === 'string' && bearerToken(new Headers({ authorization: `Bearer ${ascii(token)}` })) === token;
  const weakness = isToken ? weaknessOf(token, leastToken) : undefined;
  if (isToken && weakness === undefined) return hash('sha256', token, 'hex');
  const got = weakness ?? (typeof token === 'string' ? `a string of ${token.length}` : `a ${typeof token}`);
  throw new AgentError(
    'bad-option',
    `hashToken(): the token must have ${leastToken} to ${mostToken} letters, digits or characters of -._~+/, got ${got}. Make one with: openssl rand -hex 32`,
  );
}

/** The string, or an empty one if it cannot stand in a header. */
const ascii = (text: string): string => (/^[\x21-\x7e]+$/.test(text) ? text : '');

/**
 * An `authenticate` for programs and small teams: the person of a bearer token. Only hashes are configured, so a copy of the
 * configuration signs nobody in.
 *
 * @param people The persons by the hashes of their tokens, as `hashToken()` gives them (or in base64url).
 *
 * @example
 * import { hashToken, staticTokens } from 'askback/server';
 *
 * const authenticate = staticTokens({
 *   [hashToken('a-token-of-at-least-20-random-characters')]: { id: 'web:anna', scopes: ['answer'] },
 * });
 * const request = new Request('http://localhost/', {
 *   headers: { authorization: 'Bearer a-token-of-at-least-20-random-characters' },
 * });
 * console.log((await authenticate(request))?.id); // web:anna
 */
export function staticTokens(
  people: Readonly<Record<string, InboxPerson>>,
): (request: Request) => Promise<InboxPerson | undefined> {
  const given = assertObject(people, 'staticTokens(): the people', 'an object such as { [hashToken(token)]: person }');
  const known = Object.entries(given).map(([key, person], i) => ({
    hash: hexHash(key, `staticTokens(): the hash of person ${i + 1}`),
    person: checkedInboxPerson(person, `staticTokens(): person ${i + 1}`),
  }));
  const double = known.findIndex(({ hash: one }, i) => known.findIndex((each) => each.hash === one) !== i);
  if (double >= 0)
    throw new AgentError('bad-option', `staticTokens(): the hash of person ${double + 1} is there twice.`);
  const authenticate = async ({ headers }: Request): Promise<InboxPerson | undefined> => {
    const token = bearerToken(headers);
    if (token === undefined) return undefined;
    const looked = hash('sha256', token, 'hex');
    // all are compared, whichever fits: the time tells nothing
    return known.filter((each) => isEqualInConstantTime(each.hash, looked))[0]?.person;
  };
  readyMade.add(authenticate);
  return authenticate;
}

/** What `staticTokens()` made. An author's own function may read a cookie, to which the page's form for a token leads nowhere. */
const readyMade = new WeakSet<(request: Request) => unknown>();

export const takesTokens = (authenticate: (request: Request) => unknown): boolean => readyMade.has(authenticate);

/** A hash in either writing. An error does not quote it: it may be a token that was put there by mistake. */
function hexHash(key: string, name: string): string {
  if (/^[0-9a-f]{64}$/i.test(key)) return key.toLowerCase();
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.length === 32 && bytes.toString('base64url') === key) return bytes.toString('hex');
  throw new AgentError(
    'bad-option',
    `${name} must be a SHA-256 hash of 64 hexadecimal digits or 43 characters of base64url, got ${key.length} characters. Give hashToken(token), never the token itself.`,
  );
}
