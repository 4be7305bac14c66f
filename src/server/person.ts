/**
 * Who uses the inbox: a participant, and what this inbox lets them do.
 */
import { wrongOption } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import type { Participant } from '../core/participant.js';
import { checkedPerson } from '../core/participant.js';

/**
 * What somebody may do in the inbox, in their own tenant. `answer`: see and answer the asks that they may answer. `read`: see all
 * asks. `conversations`: see the conversation around an ask that they see. `admin`: everything, contexts, parked work and metrics included.
 */
export type Scope = 'read' | 'answer' | 'conversations' | 'admin';

const scopes: readonly string[] = ['read', 'answer', 'conversations', 'admin'] satisfies readonly Scope[];

/**
 * Somebody who uses the inbox. Their id, roles and tenant count like those of the sender of a message.
 *
 * @example
 * import type { InboxPerson } from 'askback/server';
 *
 * const anna: InboxPerson = { id: 'staff:anna', name: 'Anna', roles: ['manager'], scopes: ['read', 'answer'] };
 */
export interface InboxPerson extends Participant {
  /** What they may do. Without any they may do nothing. */
  readonly scopes: readonly Scope[];
  /** True for operators of all tenants: their scopes count in each. To answer, they need what the ask demands all the same. */
  readonly everyTenant?: true;
}

/** The person that the author's code has named, as used from here on. `name` is the place in that code, for the error message. */
export function checkedInboxPerson(given: unknown, name: string): InboxPerson {
  const how = {
    must: 'must be a person of the inbox',
    advice: "For example { id: 'staff:anna', scopes: ['answer'] }.",
  };
  const person = checkedPerson(given, name, how) as Participant & Partial<Record<keyof InboxPerson, unknown>>;
  if (Object.hasOwn(person, '__proto__')) throw new AgentError('bad-option', `${name} has a field named __proto__.`);
  const { scopes: allowed, everyTenant = false, ...participant } = person;
  if (!Array.isArray(allowed) || !allowed.every((scope) => scopes.includes(scope as string))) {
    const wrong: unknown = Array.isArray(allowed)
      ? allowed.find((scope) => !scopes.includes(scope as string))
      : allowed;
    throw wrongOption(`${name}: scopes`, `a list of ${scopes.map((scope) => `'${scope}'`).join(', ')}`, wrong);
  }
  if (typeof everyTenant !== 'boolean') throw wrongOption(`${name}: everyTenant`, 'true, or left out', everyTenant);
  const own = { ...participant, scopes: [...new Set(allowed as readonly Scope[])] };
  return everyTenant ? { ...own, everyTenant } : own;
}

/** The person as whoever answers: without what only this inbox knows. */
export function participantOf({ scopes: _, everyTenant: __, ...participant }: InboxPerson): Participant {
  return participant;
}
