/**
 * The options of the inbox: their types, their rules and their defaults.
 */
import { checkOptions, expecting, func, type OptionRules, optional, wrongOption } from '../core/check-options.js';
import type { InboxPerson } from './person.js';

/**
 * Says who sends a request: the person, or null for nobody. It is asked on every request; for the JSON API only where the request
 * has an `Authorization` header.
 *
 * @example
 * import type { Authenticate } from 'askback/server';
 *
 * const byProxy: Authenticate = (request) => {
 *   const user = request.headers.get('x-user'); // set by your own proxy, which removes it from what comes from outside
 *   return user === null ? null : { id: `staff:${user}`, scopes: ['read', 'answer'] };
 * };
 */
export type Authenticate = (
  request: Request,
) => InboxPerson | null | undefined | Promise<InboxPerson | null | undefined>;

/**
 * How the inbox is mounted, and who may use it.
 *
 * @example
 * import type { InboxOptions } from 'askback/server';
 *
 * const options: InboxOptions = { basePath: '/staff/inbox', origin: 'https://shop.example', secret: process.env['INBOX_SECRET'] ?? '' };
 */
export interface InboxOptions {
  /**
   * The path under which it is mounted.
   *
   * @default '/inbox'
   */
  readonly basePath?: string;
  /**
   * Who sends a request. Without it, people come in by the session cookie or by a link; and on this machine by the token that is
   * logged at start.
   */
  readonly authenticate?: Authenticate;
  /** The origin that people see in the address bar, such as `https://shop.example`. Without it only requests to this machine are served. */
  readonly origin?: string;
  /**
   * Signs sessions, links and forms: at least 32 characters that nobody can guess, the same in every process. Of several, the first
   * signs and all are accepted. Without it, what was signed ends with the process.
   */
  readonly secret?: string | readonly string[];
}

export interface CheckedInboxOptions {
  readonly basePath: string;
  readonly authenticate: Authenticate | undefined;
  readonly origin: string | undefined;
  readonly secrets: readonly string[] | undefined;
}

const shortestSecret = 32;

const pathRule = expecting<string>(
  'a path such as /inbox, without a slash at its end',
  (value) => typeof value === 'string' && /^(?:\/[\w.~-]+)*$/.test(value),
);

const originRule = (value: unknown, name: string): string => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.origin === value) return url.origin;
  throw wrongOption(name, 'an origin such as https://shop.example, without a path', value);
};

/** The secret itself is never part of an error. */
const secretRule = (value: unknown, name: string): readonly string[] => {
  const secrets: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isLong = (each: unknown): each is string => typeof each === 'string' && each.length >= shortestSecret;
  if (secrets.length > 0 && secrets.every(isLong)) return secrets;
  const expected = `a string of at least ${shortestSecret} characters, or a list of such strings`;
  throw wrongOption(name, expected, undefined, { hint: 'Make one: openssl rand -base64 32' });
};

const rules = {
  basePath: optional(pathRule, '/inbox'),
  authenticate: optional(func<Authenticate>()),
  origin: optional(originRule),
  secret: optional(secretRule),
} satisfies OptionRules<InboxOptions>;

export function checkedInboxOptions(options: InboxOptions): CheckedInboxOptions {
  const { basePath, authenticate, origin, secret } = checkOptions(
    'createInbox()',
    options,
    rules,
    "{ basePath: '/inbox' }",
  );
  return { basePath, authenticate, origin, secrets: secret };
}
