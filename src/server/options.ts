/**
 * The options of the inbox: their types, their rules and their defaults.
 */
import {
  type CheckedOptions,
  checkOptions,
  expecting,
  func,
  integer,
  milliseconds,
  type OptionRules,
  optional,
} from '../core/check-options.js';
import { isSafeUrl } from '../core/loopback.js';
import { secretRule } from '../machine/secrets.js';
import { checkedOrigin } from './access/origin.js';
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
 * Finds a person by their id, as they are now: null for somebody who left. With it, a session and a link keep the id alone, and
 * roles, scopes and tenant are those of the moment.
 *
 * @example
 * import type { InboxPerson, PersonById } from 'askback/server';
 *
 * const staff = new Map<string, InboxPerson>([['staff:anna', { id: 'staff:anna', scopes: ['answer'] }]]);
 * const personById: PersonById = (id) => staff.get(id);
 */
export type PersonById = (id: string) => InboxPerson | null | undefined | Promise<InboxPerson | null | undefined>;

/**
 * How many live connections a process serves, of the page and of the API together. A browser needs one for all its tabs.
 *
 * @example
 * import type { LiveOptions } from 'askback/server';
 *
 * const live: LiveOptions = { connections: 20_000, perPerson: 4 };
 */
export interface LiveOptions {
  /**
   * Beyond so many, a new one is refused with status 503 and `Retry-After`.
   *
   * @default 5_000
   */
  readonly connections?: number;
  /**
   * Beyond so many of one person, the oldest of theirs is ended.
   *
   * @default 12
   */
  readonly perPerson?: number;
}

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
  /**
   * Finds the person of a session or a link, as they are now; without it they stay as they were when they signed in. It also says who the
   * person is to whom a question is handed over: an ask of a tenant is handed to nobody whose tenant is unknown.
   */
  readonly personById?: PersonById;
  /**
   * How long a session of the page lasts, in ms.
   *
   * @default 43_200_000, which is 12 hours
   */
  readonly sessionLifetime?: number;
  /**
   * Where your application signs people in: a path on the same origin or an https address, such as `/login`. Whoever opens a page and is
   * nobody is sent there, with the page they wanted as the parameter `next`: a path, or its whole address where this one is whole, too.
   * Without it, and with an `authenticate` of your own, the page says to sign in to your application.
   */
  readonly signInUrl?: string;
  /** How many live connections a process serves. */
  readonly live?: LiveOptions;
  /** The path of a style sheet of your own, on the same origin, such as `/inbox.css`. It is loaded after ours and may set its CSS variables. */
  readonly styles?: string;
}

const pathRule = expecting<string>(
  'a path such as /inbox, without a slash at its end',
  (value) => typeof value === 'string' && /^(?:\/[\w.~-]+)*$/.test(value),
);

const stylesRule = expecting<string>(
  'a path on the same origin, such as /inbox.css',
  (value) => typeof value === 'string' && /^\/(?!\/)[\w.~/?=&%-]*$/.test(value),
);

const signInRule = expecting<string>(
  "a path on the same origin or an https address, such as '/login'",
  (value) => typeof value === 'string' && isSignInUrl(value),
);

/** Whether a Location header can carry it, which takes ASCII only. http is for this machine only. */
function isSignInUrl(url: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(url) || url.includes('\\')) return false;
  if (url.startsWith('/')) return !url.startsWith('//');
  return URL.canParse(url) && isSafeUrl(new URL(url));
}

/** Browsers keep no cookie for longer. */
const longestSession = 400 * 86_400_000;

const liveRules = {
  connections: optional(integer({ min: 1 }), 5_000),
  perPerson: optional(integer({ min: 1 }), 12),
} satisfies OptionRules<LiveOptions>;

const liveRule = (given: LiveOptions): Required<LiveOptions> =>
  checkOptions('createInbox(): live', given, liveRules, '{ connections: 5_000 }');

const rules = {
  basePath: optional(pathRule, '/inbox'),
  authenticate: optional(func<Authenticate>()),
  origin: optional(checkedOrigin),
  secret: optional(secretRule),
  personById: optional(func<PersonById>()),
  sessionLifetime: optional(milliseconds({ max: longestSession }), 12 * 60 * 60_000),
  signInUrl: optional(signInRule),
  live: optional((value: unknown) => liveRule(value as LiveOptions), liveRule({})), // what is given is checked there
  styles: optional(stylesRule),
} satisfies OptionRules<InboxOptions>;

/** The options with their defaults; `secret` is a list. */
export type CheckedInboxOptions = CheckedOptions<typeof rules>;

export const checkedInboxOptions = (options: InboxOptions): CheckedInboxOptions =>
  checkOptions('createInbox()', options, rules, "{ basePath: '/inbox' }");
