/**
 * Signed links: an address that opens one ask for one person. The token is sealed, so that it shows nobody's id and survives
 * restarts; a hash of it is kept while it is valid, so that it can be revoked and decides once. Opening a link changes nothing.
 */
import type { Ask } from '../../core/ask/ask.js';
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import { checkedPerson, type Participant } from '../../core/participant.js';
import type { Clock } from '../../machine/clock.js';
import { participantOf } from '../person.js';
import { type KeptValues, keptValue } from './kept-values.js';
import type { Keyring } from './keyring.js';

/** A link that is genuine and not over. */
export interface OpenLink {
  /** A hash of the token: what is kept, and what the link's forms are bound to. */
  readonly id: string;
  readonly askId: string;
  /** Whom it was made for. */
  readonly person: Participant;
  readonly expiresAt: number;
  /** It was made to decide. The ask has the last word. */
  readonly decides: boolean;
  /** It has decided. */
  readonly isUsed: boolean;
}

export interface NewLink {
  readonly ask: Pick<Ask, 'id' | 'status' | 'audience' | 'timing'>;
  readonly person: Participant;
  /** In ms from now, at most `longestLink`. */
  readonly expiresIn?: number | undefined;
  /** False makes a link that only shows, whatever the ask allows. */
  readonly decide?: boolean | undefined;
}

/** What became of an attempt to decide by a link. */
export type LinkUse = 'yours' | 'used' | 'busy' | 'over';

const day = 86_400_000;
export const longestLink = 7 * day;
/** Longer addresses are cut off by some mail programs. */
const mostToken = 1_800;
/** For so long an attempt keeps others out. If its process dies, any other form goes on after this time. */
const attemptTime = 60_000;
/** How far the clocks of replicas may be apart. */
const clockSkew = 60_000;
const unused = 'unused';

export class Links {
  readonly #keys: Keyring;
  readonly #kept: KeptValues;
  readonly #clock: Clock;

  constructor({ keys, kept, clock }: { readonly keys: Keyring; readonly kept: KeptValues; readonly clock: Clock }) {
    this.#keys = keys;
    this.#kept = kept;
    this.#clock = clock;
  }

  /** The token of a new link. It is valid until the ask expires, for seven days at most. */
  async create({ ask, person: given, expiresIn, decide = true }: NewLink): Promise<string> {
    if (ask.status !== 'pending')
      throw new AgentError('already', `link(): ask ${ask.id} is ${ask.status}. A link is for an open ask.`);
    const how = { must: 'must be a participant', advice: "For example { id: 'mail:anna@example.com' }." };
    const person = participantOf({ scopes: [], ...checkedPerson(given, 'link(): the person', how) });
    const now = this.#clock.now();
    const expiresAt = Math.min(now + (expiresIn ?? longestLink), ask.timing.expiresAt ?? Number.POSITIVE_INFINITY);
    if (expiresAt <= now) throw new AgentError('already', `link(): ask ${ask.id} has expired.`);
    const content = { askId: ask.id, person, expiresAt, decides: decide && ask.audience.links === 'decide' };
    const token = this.#keys.seal('link', JSON.stringify(content));
    if (token.length > mostToken)
      throw new AgentError(
        'bad-option',
        `link(): the person is too large for an address: ${token.length} characters, at most ${mostToken}. Give fewer roles and fields.`,
      );
    await this.#kept.swap({ key: keyOf(idOf(token)), expected: null, value: unused, ttl: expiresAt - now + clockSkew });
    return token;
  }

  /** The link of a token, or undefined for one that is not ours, is over or was revoked. Changes nothing. */
  async open(token: unknown): Promise<OpenLink | undefined> {
    const link = this.#sealed(token);
    if (link === undefined || this.#clock.now() >= link.expiresAt) return undefined;
    const state = await keptValue(this.#kept, keyOf(link.id));
    return state === null ? undefined : { ...link, isUsed: state !== unused };
  }

  /** Nobody can use the link from now on. One that is over already is no error. */
  async revoke(token: string): Promise<void> {
    const link = this.#sealed(token);
    if (link === undefined) throw new AgentError('bad-option', 'revokeLink(): this is no link of this inbox.');
    let current = await keptValue(this.#kept, keyOf(link.id));
    while (current !== null)
      current = (await this.#kept.swap({ key: keyOf(link.id), expected: current, value: null, ttl: 1 })).current;
  }

  /**
   * Reserves the link for one attempt to decide, named by the form's idempotency key; the same attempt may come again. `finish` or
   * `release` follows.
   */
  async begin(link: OpenLink, attempt: string): Promise<LinkUse> {
    const state = await keptValue(this.#kept, keyOf(link.id));
    if (state === null) return 'over';
    if (state !== unused) return state === usedBy(attempt) ? 'yours' : 'used';
    const call = { key: attemptKeyOf(link.id), expected: null, value: usedBy(attempt), ttl: attemptTime };
    return (await this.#kept.swap(call)).swapped ? 'yours' : 'busy';
  }

  /** The attempt has decided: no other can. */
  async finish(link: OpenLink, attempt: string): Promise<void> {
    const ttl = Math.max(1, link.expiresAt - this.#clock.now()) + clockSkew;
    await this.#kept.swap({ key: keyOf(link.id), expected: unused, value: usedBy(attempt), ttl });
  }

  /** The attempt decided nothing, because the answer does not fit: the person may correct it. */
  async release(link: OpenLink, attempt: string): Promise<void> {
    await this.#kept.swap({ key: attemptKeyOf(link.id), expected: usedBy(attempt), value: null, ttl: 1 });
  }

  #sealed(token: unknown): Omit<OpenLink, 'isUsed'> | undefined {
    if (typeof token !== 'string' || token.length > mostToken) return undefined;
    const text = this.#keys.open('link', token);
    return text === undefined ? undefined : parsedLink(text, idOf(token));
  }
}

/** What a link lets its bearer do with an ask as it is now. The end of the ask has revoked it. */
export function linkRights(
  link: Pick<OpenLink, 'askId' | 'decides' | 'isUsed'>,
  ask: Pick<Ask, 'id' | 'status' | 'audience'>,
): { readonly shows: boolean; readonly decides: boolean } {
  const shows = link.askId === ask.id && ask.status === 'pending' && !link.isUsed;
  return { shows, decides: shows && link.decides && ask.audience.links === 'decide' };
}

const idOf = (token: string): string => digest('link', token);
const keyOf = (id: string): string => `link:${id}`;
const attemptKeyOf = (id: string): string => `link-attempt:${id}`;
/** Each attempt has a value of its own, so that whoever reads it back knows that it won. */
const usedBy = (attempt: string): string => `used:${digest(attempt)}`;

function parsedLink(text: string, id: string): Omit<OpenLink, 'isUsed'> | undefined {
  try {
    const { askId, person, expiresAt, decides } = JSON.parse(text) as Record<string, unknown>;
    if (typeof askId !== 'string' || typeof expiresAt !== 'number') return undefined;
    return { id, askId, person: checkedPerson(person, 'The link'), expiresAt, decides: decides === true };
  } catch {
    return undefined; // another release wrote it differently
  }
}
