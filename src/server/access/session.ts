/**
 * The session of the page: a signed cookie that says who signed in. It is stored nowhere; only the id of a session that was ended by
 * signing out is kept until the session would have been over.
 */
import { Buffer } from 'node:buffer';
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import { type Clock, randomId } from '../../machine/clock.js';
import { checkedInboxPerson, type InboxPerson } from '../person.js';
import { type CookieScope, cookieOf, setCookie } from './cookies.js';
import { type KeptValues, keptValue } from './kept-values.js';
import type { Keyring } from './keyring.js';

export interface InboxSession {
  readonly id: string;
  readonly person: InboxPerson;
  readonly expiresAt: number;
}

export interface SessionOptions {
  readonly keys: Keyring;
  readonly clock: Clock;
  readonly kept: KeptValues;
  readonly basePath: string;
  /** The page is served over https. */
  readonly secure: boolean;
  /** How long a session lasts, in ms. */
  readonly lifetime: number;
}

const version = 'v1';
/** Browsers drop a cookie of more than 4 096 bytes, name and attributes included, without a word. */
const mostBytes = 3_800;

export class Sessions {
  readonly #options: SessionOptions;
  readonly #cookie: CookieScope;

  constructor(options: SessionOptions) {
    const { basePath, secure } = options;
    const path = basePath === '' ? '/' : basePath;
    // a browser takes these prefixes only over https, and __Host- only for the whole site
    const prefix = !secure ? '' : path === '/' ? '__Host-' : '__Secure-';
    this.#options = options;
    this.#cookie = { name: `${prefix}askback_session`, path, secure };
  }

  /** Signs a person in: the Set-Cookie header of a new session. */
  start(person: InboxPerson): string {
    const { clock, keys, lifetime } = this.#options;
    const session: InboxSession = { id: randomId(), person, expiresAt: clock.now() + lifetime };
    const payload = Buffer.from(JSON.stringify(session)).toString('base64url');
    const value = `${version}.${payload}.${keys.sign('session', payload)}`;
    if (value.length > mostBytes)
      throw new AgentError(
        'bad-option',
        `The person is too large for a session cookie: ${value.length} bytes, at most ${mostBytes}. Give fewer roles and fields, or set personById.`,
      );
    return setCookie(this.#cookie, value, lifetime);
  }

  /** The session of a request, if it has one that is genuine, not over and not ended. */
  async of(headers: Headers): Promise<InboxSession | undefined> {
    const session = this.#signed(cookieOf(headers, this.#cookie.name));
    if (session === undefined || this.#options.clock.now() >= session.expiresAt) return undefined;
    return (await keptValue(this.#options.kept, endedKey(session))) === null ? session : undefined;
  }

  /** Signs out: on every replica at once. The Set-Cookie header removes the cookie. */
  async end(session: InboxSession): Promise<string> {
    const ttl = Math.max(1, session.expiresAt - this.#options.clock.now()) + clockSkew;
    await this.#options.kept.swap({ key: endedKey(session), expected: null, value: 'ended', ttl });
    return setCookie(this.#cookie, '', 0);
  }

  #signed(value: string | undefined): InboxSession | undefined {
    const parts = /^v1\.([\w-]{1,4096})\.([\w-]{43})$/.exec(value ?? '');
    const [, payload, signature] = parts ?? [];
    if (payload === undefined || signature === undefined) return undefined;
    if (!this.#options.keys.isSigned('session', payload, signature)) return undefined;
    return parsedSession(Buffer.from(payload, 'base64url').toString());
  }
}

/** How far the clocks of replicas may be apart. */
const clockSkew = 60_000;

const endedKey = ({ id }: InboxSession): string => `session-ended:${digest(id)}`;

/** What we signed, unless another release wrote it differently. */
function parsedSession(text: string): InboxSession | undefined {
  try {
    const { id, person, expiresAt } = JSON.parse(text) as Record<string, unknown>;
    if (typeof id !== 'string' || typeof expiresAt !== 'number') return undefined;
    return { id, person: checkedInboxPerson(person, 'The session'), expiresAt };
  } catch {
    return undefined;
  }
}
