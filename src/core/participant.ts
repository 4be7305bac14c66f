/**
 * A person in a conversation, as a channel has verified them.
 */
import { AgentError, failureOf } from './errors.js';
import { describe } from './ids.js';

/**
 * A person in a conversation. The id is qualified by its realm, for example `slack:T1/U1` or `web:4711`.
 *
 * @example
 * const anna: Participant = { id: 'web:4711', name: 'Anna', locale: 'de' };
 */
export interface Participant {
  readonly id: string;
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly tenant?: string;
  readonly locale?: string;
}

/** A person whom the author's code has named, as stored. `name` is the place in that code, for the error message. */
export function checkedPerson(given: unknown, name: string): Participant {
  const wrong = (what: string) =>
    new AgentError(
      'bad-option',
      `${name} must return a participant: ${what}. For somebody it does not know, return what it was given.`,
    );
  if (typeof given !== 'object' || given === null) throw wrong(`an object with an id, got ${describe(given)}`);
  const { id } = given as Partial<Participant>;
  if (typeof id !== 'string' || id === '') throw wrong(`its id must be a non-empty string, got ${describe(id)}`);
  const damage = personDamage(given);
  if (damage !== undefined) throw wrong(`its ${damage}`);
  try {
    return knownPerson(given as Participant);
  } catch (error) {
    throw wrong(`${JSON.stringify(id)} cannot be stored: ${failureOf(error).message}`);
  }
}

/** Somebody as they were given. */
type UncheckedFields = { readonly [field in Exclude<keyof Participant, 'id'>]?: unknown };

/** What is wrong with somebody, apart from the id. Null is not: it says that something is not known, as databases do. */
export function personDamage({ name, roles, tenant, locale }: UncheckedFields): string | undefined {
  return textDamage('name', name) ?? rolesDamage(roles) ?? textDamage('tenant', tenant) ?? textDamage('locale', locale);
}

function textDamage(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return undefined;
  return `${field} must be a string, got ${describe(value)}`;
}

function rolesDamage(roles: unknown): string | undefined {
  if (roles === undefined || roles === null) return undefined;
  if (Array.isArray(roles) && roles.every((role) => typeof role === 'string')) return undefined;
  return `roles must be a list of strings, got ${describe(roles)}`;
}

/** The same person as our own, without what is not known of them. */
export function knownPerson(who: Participant): Participant {
  const own: { -readonly [field in keyof Participant]: unknown } = ownParticipant(who);
  if (own.name === null) delete own.name;
  if (own.roles === null) delete own.roles;
  if (own.tenant === null) delete own.tenant;
  if (own.locale === null) delete own.locale;
  return own as Participant;
}

/** A person as they are stored, whatever their giver does with the object afterwards. */
export function ownParticipant(who: Participant): Participant {
  if (Object.getPrototypeOf(who) !== Object.prototype) return stored(who);
  const own: Record<string, string> = {};
  for (const field of Object.keys(who)) {
    const value: unknown = who[field as keyof Participant];
    if (typeof value !== 'string' || field === '__proto__') return stored(who);
    own[field] = value;
  }
  return own as unknown as Participant; // the same fields
}

const stored = (who: Participant): Participant => JSON.parse(JSON.stringify(who)) as Participant;
