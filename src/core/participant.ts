/**
 * A person in a conversation, as a channel has verified them.
 */
import { Buffer } from 'node:buffer';
import { badOption, failureOf } from './errors.js';
import { describe } from './ids.js';

/**
 * A person in a conversation. The id is qualified by its realm, for example `slack:T1/U1` or `web:4711`.
 *
 * @example
 * import type { Participant } from 'askback';
 *
 * const anna: Participant = { id: 'web:4711', name: 'Anna', locale: 'de' };
 */
export interface Participant {
  /** The id, prefixed by its realm so that two channels never mean the same one: `slack:T1/U1`. */
  readonly id: string;
  /** The name that other people are shown. */
  readonly name?: string;
  /** Roles in the tenant, for `answerableBy: { roles }`. Only those that the channel has verified. */
  readonly roles?: readonly string[];
  /** The tenant (customer, workspace) that the person belongs to. An ask of a tenant is answered by its participants only. */
  readonly tenant?: string;
  /** The language tag of the person, such as `de` or `fr-CA`: sentences are said and replies are read in it. */
  readonly locale?: string;
  /** The time zone of the person, an IANA name such as `Europe/Berlin`. */
  readonly timeZone?: string;
}

/**
 * A participant as other people are shown them.
 *
 * @example
 * import type { ShownPerson } from 'askback';
 *
 * const line = ({ id, name = id }: ShownPerson) => name;
 */
export interface ShownPerson {
  /** Their id. */
  readonly id: string;
  /** Their name, if it is known. */
  readonly name?: string;
}

/** Returns the participant without what other people must not know: roles, tenant, and fields of the channel's own. */
export function shownPerson({ id, name }: ShownPerson): ShownPerson {
  return name === undefined ? { id } : { id, name };
}

/**
 * A person whom the author's code has named, as stored. `name` is the place in that code; it, `must` and `advice` are for the error
 * message.
 */
export function checkedPerson(
  given: unknown,
  name: string,
  { must = 'must return a participant', advice = 'For somebody it does not know, return what it was given.' } = {},
): Participant {
  const wrong = (what: string) => badOption(`${name} ${must}: ${what}. ${advice}`);
  if (typeof given !== 'object' || given === null) throw wrong(`an object with an id, got ${describe(given)}`);
  const { id } = given as Partial<Participant>;
  if (typeof id !== 'string' || id === '') throw wrong(`its id must be a non-empty string, got ${describe(id)}`);
  const damage = personDamage(given) ?? idDamage(id);
  if (damage !== undefined) throw wrong(`its ${damage}`);
  return knownPerson(given as Participant);
}

function idDamage(id: string): string | undefined {
  const bytes = Buffer.byteLength(id);
  return bytes <= mostBytes.text ? undefined : `id is ${bytes} bytes long, at most ${mostBytes.text} are stored`;
}

/** The most bytes of a participant's field, as JSON. An identity provider may send hundreds of roles. */
const mostBytes = { text: 512, roles: 16_384, extra: 2_048 };
const mostFields = 20;

/**
 * What is wrong with somebody, apart from the id. Null is not: it says that something is not known, as databases do. A
 * participant is stored with each message, so every field is measured.
 */
export function personDamage(given: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) return instanceDamage(given);
  let fields = 0;
  for (const [field, value] of Object.entries(given) as readonly (readonly [string, unknown])[]) {
    fields += 1;
    const damage = fields > mostFields ? tooMany : fieldDamage(field, value);
    if (damage !== undefined) return damage;
  }
  return undefined;
}

const tooMany = `fields are too many: at most ${mostFields} are stored`;

/** An instance of a class is stored as its JSON, so that is looked at. */
function instanceDamage(given: object): string | undefined {
  try {
    const plain: unknown = JSON.parse(JSON.stringify(given) ?? 'null');
    return typeof plain === 'object' && plain !== null ? personDamage(plain) : 'toJSON() gives no object';
  } catch (error) {
    return `fields cannot be stored: ${failureOf(error).message.split('\n')[0]}`;
  }
}

function fieldDamage(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (field === 'id') return undefined; // checked and measured by whoever was given it
  if (field === 'name' || field === 'tenant' || field === 'locale' || field === 'timeZone')
    return typeof value === 'string'
      ? sizeDamage(field, value, mostBytes.text)
      : `${field} must be a string, got ${describe(value)}`;
  if (field === 'roles') {
    if (Array.isArray(value) && value.every((role) => typeof role === 'string'))
      return sizeDamage(field, value, mostBytes.roles);
    return `roles must be a list of strings, got ${describe(value)}`;
  }
  return sizeDamage(field, value, mostBytes.extra);
}

function sizeDamage(field: string, value: unknown, most: number): string | undefined {
  if (typeof value === 'string' && 6 * (value.length + field.length) + 3 <= most) return undefined; // even if every character is escaped
  const name = field.slice(0, 100);
  try {
    const bytes = Buffer.byteLength(JSON.stringify({ [field]: value }));
    return bytes <= most ? undefined : `${name} is ${bytes} bytes as JSON, at most ${most} are stored`;
  } catch (error) {
    const why = failureOf(error).message.split('\n')[0]; // a cycle, a bigint, a toJSON() that throws
    return `${name} cannot be stored as JSON: ${why}`;
  }
}

/** The same person as our own, without what is not known of them. */
export function knownPerson(who: Participant): Participant {
  const own: { -readonly [field in keyof Participant]: unknown } = ownParticipant(who);
  if (own.name === null) delete own.name;
  if (own.roles === null) delete own.roles;
  if (own.tenant === null) delete own.tenant;
  if (own.locale === null) delete own.locale;
  if (own.timeZone === null) delete own.timeZone;
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
