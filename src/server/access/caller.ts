/**
 * Identifies the caller of a request, or refuses it. The JSON API takes bearer tokens only; the page takes its own session, or
 * the session of the application around it. What a caller may see is decided in rights.ts.
 */
import { AgentError, failureOf } from '../../core/errors.js';
import type { Logger } from '../../core/events.js';
import { digest } from '../../core/ids.js';
import type { Participant } from '../../core/participant.js';
import { type Clock, secretBytes } from '../../machine/clock.js';
import type { Authenticate, CheckedInboxOptions } from '../options.js';
import { checkedInboxPerson, type InboxPerson } from '../person.js';
import { Cursors } from './cursors.js';
import { FormTokens } from './form-token.js';
import type { KeptValues } from './kept-values.js';
import { Keyring } from './keyring.js';
import { Links, type NewLink, type OpenLink } from './links.js';
import { formRefusal, hostRefusal, isLocal } from './origin.js';
import { type Refusal, refusal } from './refusal.js';
import { type InboxSession, Sessions } from './session.js';
import { bearerToken, hashToken, staticTokens, takesTokens } from './tokens.js';

/** A person whose identity is verified. */
export interface Caller {
  readonly type: 'caller';
  readonly person: InboxPerson;
  /** `host`: identified by the application around the inbox. `link`: they have a signed link, and may see its ask only. */
  readonly via: 'bearer' | 'session' | 'host' | 'link';
  /** Forms are bound to it, and idempotency keys scoped to it. */
  readonly key: string;
  /** When a form that is rendered now expires. */
  readonly expiresAt: number;
  readonly session?: InboxSession;
  readonly link?: OpenLink;
}

type FromOptions = 'authenticate' | 'personById' | 'secret' | 'origin' | 'basePath' | 'sessionLifetime';

export interface AccessOptions extends Pick<CheckedInboxOptions, FromOptions> {
  readonly clock: Clock;
  readonly kept: KeptValues;
  readonly logger: Logger;
}

interface FoundPerson {
  readonly type: 'found';
  readonly person: InboxPerson;
}

/** The person who has the token that was logged at start may do everything: it is their own machine. */
const localOperator: InboxPerson = {
  id: 'inbox:operator',
  name: 'Operator',
  scopes: ['read', 'answer', 'conversations', 'admin'],
  everyTenant: true,
};

export class Access {
  /** Signs in on this machine, where no `authenticate` is given. Each process makes its own. */
  readonly localToken?: string;
  readonly sessions: Sessions;
  readonly links: Links;
  readonly cursors: Cursors;
  readonly forms: FormTokens;
  /** True if it is certain that people can sign in with a token. */
  readonly takesTokens: boolean;
  readonly #authenticate: Authenticate;
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    const { origin, basePath, clock, kept, authenticate, secret, sessionLifetime: lifetime } = options;
    if (!isLocal(origin)) assertReady(options);
    this.#options = options;
    const keys = new Keyring(secret ?? [secretBytes(32).toString('base64url')], basePath);
    const secure = origin?.startsWith('https:') === true;
    this.sessions = new Sessions({ keys, clock, kept, basePath, secure, lifetime });
    this.links = new Links({ keys, kept, clock });
    this.cursors = new Cursors(keys);
    this.forms = new FormTokens(keys, clock);
    if (authenticate === undefined) this.localToken = secretBytes(24).toString('base64url');
    this.#authenticate = authenticate ?? staticTokens({ [hashToken(this.localToken as string)]: localOperator });
    this.takesTokens = takesTokens(this.#authenticate);
  }

  /** Refuses a request to a host that is not the inbox's. Checked before everything else. */
  hostRefusal(request: Request): Refusal | undefined {
    return hostRefusal(request, this.#options.origin);
  }

  /** Refuses a form that does not come from a page of the inbox, as the browser says. Its token is checked by `forms`. */
  formRefusal(request: Request): Refusal | undefined {
    return formRefusal(request, this.#options.origin);
  }

  /** The caller of the JSON API. A cookie alone does not identify them: a browser sends it for other sites, too. */
  async api(request: Request): Promise<Caller | Refusal> {
    if (bearerToken(request.headers) === undefined) return refusal('unauthenticated');
    const found = await this.#asked(withoutCookies(request));
    return found.type === 'refused' ? found : this.#caller(found.person, 'bearer');
  }

  /** The caller of a page: by the session of the inbox, or by `authenticate` for the session of the application. */
  async page(request: Request): Promise<Caller | Refusal> {
    const session = await this.sessions.of(request.headers);
    if (session === undefined) {
      const found = await this.#asked(request);
      return found.type === 'refused' ? found : this.#caller(found.person, 'host');
    }
    const found = await this.#current(session.person);
    if (found.type === 'refused') return found;
    const { person } = found;
    return {
      type: 'caller',
      person,
      via: 'session',
      key: `session:${session.id}`,
      expiresAt: session.expiresAt,
      session,
    };
  }

  /** The person of a signed link. They have no scopes: the link opens its ask, and nothing else. */
  async link(token: unknown): Promise<Caller | Refusal> {
    const link = await this.links.open(token);
    if (link === undefined) return refusal('unauthenticated');
    const found = await this.#current({ ...link.person, scopes: [] });
    if (found.type === 'refused') return found;
    const { everyTenant: _, ...own } = found.person;
    return {
      type: 'caller',
      person: { ...own, scopes: [] },
      via: 'link',
      key: `link:${link.id}`,
      expiresAt: link.expiresAt,
      link,
    };
  }

  /** Signs in with a token, as the page's form does. Returns the Set-Cookie header of the session. */
  async signIn(token: unknown): Promise<{ readonly type: 'signed-in'; readonly cookie: string } | Refusal> {
    const headers = new Headers();
    if (typeof token === 'string' && /^[\x21-\x7e]{1,4096}$/.test(token))
      headers.set('authorization', `Bearer ${token}`);
    if (bearerToken(headers) === undefined) return refusal('unauthenticated');
    const found = await this.#asked(new Request('http://localhost/', { headers }));
    if (found.type === 'refused') return found;
    return { type: 'signed-in', cookie: this.sessions.start(this.#kept(found.person)) };
  }

  /** Signs in a person whom the application has verified. Returns the Set-Cookie header of the session. */
  startSession(person: InboxPerson): string {
    return this.sessions.start(this.#kept(checkedInboxPerson(person, 'session(): the person')));
  }

  createLink(link: NewLink): Promise<string> {
    const person: Participant = this.#options.personById === undefined ? link.person : { id: link.person.id };
    return this.links.create({ ...link, person });
  }

  /** With `personById` only the id is kept, and everything else is looked up for each request. */
  #kept(person: InboxPerson): InboxPerson {
    return this.#options.personById === undefined ? person : { id: person.id, scopes: [] };
  }

  /** The person with this id, by `personById`; undefined if they are not known. */
  async personWith(id: string): Promise<InboxPerson | undefined> {
    const { personById, logger } = this.#options;
    try {
      const person = await personById?.(id);
      return person === undefined || person === null ? undefined : checkedInboxPerson(person, 'personById()');
    } catch (error) {
      logger.error('Nobody can tell to whom a question is handed, because personById() failed.', {
        error: failureOf(error),
      });
      return undefined;
    }
  }

  async #current(kept: InboxPerson): Promise<FoundPerson | Refusal> {
    const { personById } = this.#options;
    if (personById === undefined) return { type: 'found', person: kept };
    return this.#found(() => personById(kept.id), 'personById()');
  }

  #asked(request: Request): Promise<FoundPerson | Refusal> {
    return this.#found(() => this.#authenticate(request), 'authenticate()');
  }

  /** The person that the author's function returns. If it fails, the error is logged and the request refused. */
  async #found(find: () => ReturnType<Authenticate>, name: string): Promise<FoundPerson | Refusal> {
    try {
      const person = await find();
      if (person === undefined || person === null) return refusal('unauthenticated');
      return { type: 'found', person: checkedInboxPerson(person, name) };
    } catch (error) {
      this.#options.logger.error(`The inbox refused a request, because ${name} failed.`, { error: failureOf(error) });
      return refusal('authenticate-failed');
    }
  }

  #caller(person: InboxPerson, via: 'bearer' | 'host'): Caller {
    const key = `person:${digest(person.id, person.tenant ?? '')}`;
    return { type: 'caller', person, via, key, expiresAt: this.#options.clock.now() + this.#options.sessionLifetime };
  }
}

/** The request without its body, and without cookies, so that `authenticate` cannot take one for a token. */
function withoutCookies({ url, method, headers }: Request): Request {
  const others = new Headers(headers);
  others.delete('cookie');
  return new Request(url, { method, headers: others });
}

function assertReady({ authenticate, secret, origin }: AccessOptions): void {
  const missing = authenticate === undefined ? 'authenticate' : secret === undefined ? 'secret' : undefined;
  if (missing === undefined) return;
  const why = missing === 'secret' ? 'It signs sessions, forms and links on every replica' : 'It says who is calling';
  throw new AgentError(
    'bad-option',
    `createInbox(): ${missing} is needed where origin is ${origin}. ${why}; only on localhost the inbox makes its own.`,
  );
}
