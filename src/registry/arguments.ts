/**
 * What callers of a registry give it, checked: whoever made a mistake hears of it at once, and nothing is recorded.
 */
import type { AgentErrorCode } from '../core/errors.js';
import { AgentError } from '../core/errors.js';
import { checkedId, describe } from '../core/ids.js';
import type { Participant } from '../core/participant.js';
import { knownPerson, personDamage } from '../core/participant.js';

/** The record itself; `expected` says in words what it has to be. */
export function checkedRecord<T extends object>(
  given: T,
  name: string,
  expected: string,
  code: AgentErrorCode = 'bad-option',
): T {
  const value: unknown = given;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return given;
  throw new AgentError(code, `${name} must be ${expected}, got ${describe(value)}.`);
}

/**
 * The person whom a call names, as our own; undefined if it names none. One that is there and is nobody is a mistake: a
 * caller whose user is missing must not act, or see, as if it had not asked for them.
 */
export function namedPerson<K extends 'by' | 'for'>(
  given: { readonly [key in K]?: Participant },
  key: K,
  call: string,
): Participant | undefined {
  const options = checkedRecord(given, `${call}: the options`, `an object such as { ${key}: { id: 'web:4711' } }`);
  if (!(key in options)) return undefined;
  const who: unknown = options[key];
  if (typeof who !== 'object' || who === null)
    throw new AgentError(
      'bad-option',
      `${call}: ${key} must be a participant with an id, got ${describe(who)}. Leave it out if nobody in particular is meant.`,
    );
  checkedId((who as Partial<Participant>).id, `${call}: ${key}.id`);
  const damage = personDamage(who);
  if (damage !== undefined) throw new AgentError('bad-option', `${call}: ${key}.${damage}.`);
  return knownPerson(who as Participant);
}

/** The text itself, of an agent that says something. */
export function checkedText(text: unknown, call: string): string {
  if (typeof text === 'string') return text;
  throw new AgentError('bad-data', `${call}: the message must be a string, got ${describe(text)}. Nothing was said.`);
}
