/**
 * Who sees what in the inbox. Pure functions, and the only place where it is decided. Who may answer is decided by the engine, and
 * comes as `mayAnswer`. What somebody may not see must look like what does not exist.
 */
import type { Ask } from '../core/ask/ask.js';
import { answerableBySteps, isHandedTo } from '../core/ask/steps.js';
import { unknownTenant } from '../registry/inbox/history-tenants.js';
import type { InboxPerson, Scope } from './person.js';

export function has(person: InboxPerson, scope: Scope): boolean {
  return person.scopes.includes(scope) || person.scopes.includes('admin');
}

/** Whether the tenant is the person's own. Who has none sees what has none. */
export function isOwnTenant(person: InboxPerson, tenant: string | undefined): boolean {
  return person.everyTenant === true || person.tenant === tenant;
}

/** Whether somebody sees an ask: its question, details and decision. An ask without a tenant is shown to other tenants' people only by id. */
export function seesAsk(person: InboxPerson, ask: Ask, mayAnswer: boolean): boolean {
  const { tenant } = ask.audience;
  const answers = has(person, 'answer') && mayAnswer;
  if (isOwnTenant(person, tenant)) return has(person, 'read') || answers;
  return answers && tenant === undefined && isNamed(person, ask);
}

function isNamed(person: InboxPerson, ask: Ask): boolean {
  const { id } = person;
  const { answerableBy, asker } = ask.audience;
  if (isHandedTo(ask, person) || (answerableBy === 'asker' && asker === id)) return true;
  return answerableBySteps(ask).some((each) => Array.isArray(each) && each.includes(id));
}

/** Whether somebody is told the id of an erased ask. Who saw it is not known any more; the id leads nowhere. */
export function hearsOfErased(person: InboxPerson, tenant: string | undefined): boolean {
  return isOwnTenant(person, tenant) && (has(person, 'read') || has(person, 'answer'));
}

/** Whether somebody who may answer by the rule of the ask may do so in this inbox. */
export function answersAsk(person: InboxPerson, ask: Ask, mayAnswer: boolean): boolean {
  return mayAnswer && has(person, 'answer') && seesAsk(person, ask, mayAnswer);
}

/** Whether somebody may act for the tenant as its operator: cancel, look into contexts, see to parked work. */
export function operates(person: InboxPerson, tenant: string | undefined): boolean {
  return has(person, 'admin') && isOwnTenant(person, tenant);
}

/**
 * Whether somebody sees a conversation: what was said and asked there must belong to their tenant. One in which people of several
 * tenants write is for operators of every tenant only. An item that cannot be read may be of any tenant, where there are some.
 */
export function seesConversation(person: InboxPerson, tenants: ReadonlySet<string | undefined>): boolean {
  if (!has(person, 'conversations')) return false;
  if (person.everyTenant === true) return true;
  const named = [...tenants].filter((tenant) => tenant !== undefined);
  const isOfNone = named.every((tenant) => tenant === unknownTenant);
  return isOfNone ? person.tenant === undefined : named.every((tenant) => tenant === person.tenant);
}
