/**
 * Who a visitor of the web chat is: a token that carries its own proof, so that no table of visitors is kept. The channel issues one to
 * whoever has none; a host's backend signs one for whom it knows. Nothing here reads a request.
 */
import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import {
  checkOptions,
  expecting,
  milliseconds,
  nonBlank,
  type OptionRules,
  optional,
} from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Participant } from '../../core/participant.js';
import { personDamage } from '../../core/participant.js';
import { type Clock, clockOption, secretBytes, systemClock } from '../../machine/clock.js';
import { isEqualInConstantTime, secretRule } from '../../machine/secrets.js';

/**
 * A visitor whom your backend knows.
 *
 * @example
 * import type { WebVisitor } from 'askback/channels/web';
 *
 * const anna: WebVisitor = { id: '4711', name: 'Anna', tenant: 'shop-7', locale: 'de' };
 */
export interface WebVisitor {
  /** Your own id of the person, without the name of the channel. The same id continues the same conversation, on every device. */
  readonly id: string;
  /** The name that agents and approvers see. */
  readonly name?: string;
  /** The tenant. Visitors of two tenants are two people, whatever their ids are. */
  readonly tenant?: string;
  /** The language of the person, such as `de`. */
  readonly locale?: string;
  /** What the person may answer by role. */
  readonly roles?: readonly string[];
}

/**
 * How long a signed visitor is believed.
 *
 * @example
 * import type { SignVisitorOptions } from 'askback/channels/web';
 *
 * const short: SignVisitorOptions = { expiresIn: 10 * 60_000 };
 */
export interface SignVisitorOptions {
  /**
   * In ms, at least a minute. The page asks your backend for another token when it is over.
   *
   * @default one hour
   */
  readonly expiresIn?: number;
  /**
   * The name of the `WebChannel` that the token is for. Every other channel refuses it.
   *
   * @default 'web'
   */
  readonly channel?: string;
  /** The time, for tests. */
  readonly clock?: Clock;
}

const signRules = {
  expiresIn: optional(milliseconds({ min: 60_000, note: 'an hour is 60 * 60_000' }), 60 * 60_000),
  channel: optional(nonBlank(), 'web'),
  clock: optional(clockOption, systemClock),
} satisfies OptionRules<SignVisitorOptions>;

const visitorRules = {
  id: nonBlank(),
  name: optional(nonBlank()),
  tenant: optional(nonBlank()),
  locale: optional(nonBlank()),
  roles: optional(
    expecting<readonly string[]>(
      'a list of strings',
      (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
    ),
  ),
} satisfies OptionRules<WebVisitor>;

/** What a token says. */
export interface KnownVisitor extends WebVisitor {
  /** The name of the channel that it is for. */
  readonly channel: string;
  /** When it expires, in ms of the wall clock. */
  readonly expiresAt: number;
  /** True if the channel issued it, to an anonymous visitor. */
  readonly issued?: true;
}

/** What a channel takes as a token, and how long its own ones last. */
export interface TokenRules {
  /** The name of the channel. */
  readonly name: string;
  /** The secrets; the first signs. */
  readonly secret: readonly [string, ...string[]];
  /** Whether the channel issues tokens, and takes those that it has issued. */
  readonly anonymous: boolean;
  /** How long an issued token lasts, in ms. */
  readonly visitorLifetime: number;
}

const purpose = 'askback web visitor 1';
/** What fits into a header everywhere. */
const longestToken = 8_192;
/** With the names of the channel and of a conversation it must still be an id. */
const longestKey = 380;

/**
 * Signs a visitor whom your backend knows. Give the token to the page, which shows it to the channel. Of several secrets the first signs.
 *
 * @example
 * import { signVisitor } from 'askback/channels/web';
 *
 * const token = signVisitor('a secret of at least 32 characters', { id: '4711', name: 'Anna' }, { expiresIn: 60 * 60_000 });
 */
export function signVisitor(
  secret: string | readonly string[],
  visitor: WebVisitor,
  options: SignVisitorOptions = {},
): string {
  const [first] = secretRule(secret, 'signVisitor(): secret');
  const checked = checkOptions('signVisitor()', visitor, visitorRules, "{ id: '4711' }");
  const { expiresIn, channel, clock } = checkOptions('signVisitor()', options, signRules, '{ expiresIn: 60_000 }');
  const damage = personDamage(checked);
  if (damage !== undefined) throw new AgentError('bad-option', `signVisitor(): ${damage}.`);
  assertWellFormed(checked);
  assertVisitorId(channel, checked.id, 'signVisitor(): id');
  assertFits(visitorKey(checked).length, longestKey, 'The id and the tenant, as they are written in a URL');
  const token = signed(first, { ...checked, channel, expiresAt: clock.now() + expiresIn });
  assertFits(token.length, longestToken, 'The token');
  return token;
}

/** Halves of surrogate pairs all look alike in a URL: two ids with them would be one visitor. */
function assertWellFormed({ id, tenant = '' }: WebVisitor): void {
  for (const [name, value] of Object.entries({ id, tenant })) {
    if (value.isWellFormed()) continue;
    const got = `got ${JSON.stringify(value)}, which contains half a character (a lone surrogate)`;
    throw new AgentError('bad-option', `signVisitor(): ${name} must be well-formed Unicode, ${got}. Sign another one.`);
  }
}

/** Refuses the id of a participant in place of the id of a visitor: no visitor has it. */
export function assertVisitorId(channel: string, id: string, what: string): void {
  const realm = `${channel}:`;
  if (!id.startsWith(realm)) return;
  const own = JSON.stringify(id.slice(realm.length));
  throw new AgentError(
    'bad-option',
    `${what} is ${describe(id)}, the id of a participant. A visitor is named without ${JSON.stringify(realm)}: write ${own}, or the id and the tenant where there is a tenant.`,
  );
}

function assertFits(length: number, most: number, what: string): void {
  if (length <= most) return;
  throw new AgentError(
    'bad-option',
    `signVisitor(): ${what} must have at most ${most} characters, got ${length}. Sign less.`,
  );
}

/** A token for somebody who has none. The id of 128 random bits may be seen by others; its proof of 256 bits is the credential. */
export function newVisitor(rules: TokenRules, locale: string | undefined, now: number): string {
  return issuedToken(
    rules,
    { id: `visitor-${secretBytes(16).toString('base64url')}`, ...definedFields({ locale }) },
    now,
  );
}

function issuedToken({ name, secret, visitorLifetime }: TokenRules, visitor: WebVisitor, now: number): string {
  return signed(secret[0], { ...visitor, channel: name, issued: true, expiresAt: now + visitorLifetime });
}

/** When an issued token is renewed: half of its life before it expires. Infinity for a token that a backend signed. */
export function renewalOf({ visitorLifetime }: TokenRules, { issued, expiresAt }: KnownVisitor): number {
  return issued === true ? expiresAt - visitorLifetime / 2 : Number.POSITIVE_INFINITY;
}

/** A token of the same visitor that lasts longer; undefined if it is not time yet. */
export function renewedToken(rules: TokenRules, visitor: KnownVisitor, now: number): string | undefined {
  return renewalOf(rules, visitor) <= now ? issuedToken(rules, visitor, now) : undefined;
}

/** The visitor of a token. Undefined if no secret of the channel signed it, it is for another channel, it expired, or the channel issues none any more. */
export function visitorOf(token: string, rules: TokenRules, now: number): KnownVisitor | undefined {
  const [payload, proof, rest] = token.length > longestToken ? [] : token.split('.');
  if (payload === undefined || proof === undefined || rest !== undefined) return undefined;
  if (!rules.secret.some((secret) => isEqualInConstantTime(proof, proofOf(secret, payload)))) return undefined;
  const visitor = JSON.parse(Buffer.from(payload, 'base64url').toString()) as KnownVisitor; // we wrote it: it is signed
  const isTaken = visitor.channel === rules.name && (visitor.issued !== true || rules.anonymous);
  return isTaken && now < visitor.expiresAt ? visitor : undefined;
}

function signed(secret: string, visitor: KnownVisitor): string {
  const payload = Buffer.from(JSON.stringify(visitor)).toString('base64url');
  return `${payload}.${proofOf(secret, payload)}`;
}

function proofOf(secret: string, payload: string): string {
  return createHmac('sha256', secret).update(`${purpose}\n${payload}`).digest('base64url');
}

/** The visitor under the channel's name. The parts are escaped: no id of one tenant can be made to look like one of another. */
export function participantOf(channel: string, { id, tenant, name, locale, roles }: WebVisitor): Participant {
  return { id: `${channel}:${visitorKey({ id, tenant })}`, ...definedFields({ name, roles, tenant, locale }) };
}

/** The conversation of a visitor, or one of several. It begins with the visitor, so it is never somebody else's. */
export function conversationOf(
  channel: string,
  visitor: { readonly id: string; readonly tenant?: string | undefined },
  conversation?: string,
): string {
  const own = `${channel}:${visitorKey(visitor)}`;
  return conversation === undefined ? own : `${own}?${encodeURIComponent(conversation)}`;
}

function visitorKey({ id, tenant }: { readonly id: string; readonly tenant?: string | undefined }): string {
  const own = encodeURIComponent(id.toWellFormed());
  return tenant === undefined ? own : `${encodeURIComponent(tenant.toWellFormed())}/${own}`;
}
