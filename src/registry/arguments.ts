/**
 * What callers of a registry give it, checked: a mistake is refused at once, and nothing is recorded.
 */
import { checkOptions, type OptionRule, optional, readable, wrongOption } from '../core/check-options.js';
import { badOption } from '../core/errors.js';
import { checkedId } from '../core/ids.js';
import type { Participant } from '../core/participant.js';
import { knownPerson, personDamage } from '../core/participant.js';

const leaveItOut = { hint: 'Leave it out if nobody in particular is meant.' };
const sayWho = { hint: "Say who it is, such as { id: 'web:4711' }." };

/** The person whom a call names, as our own. */
export const personRule: OptionRule<Participant> = (value, name) => personIn(value, name, leaveItOut);

/** The same, of a call that is about this person: it cannot be left out. */
export const neededPersonRule: OptionRule<Participant> = (value, name) => personIn(value, name, sayWho);

function personIn(value: unknown, name: string, more: { readonly hint: string }): Participant {
  if (typeof value !== 'object' || value === null) throw wrongOption(name, 'a participant with an id', value, more);
  return readable(name, 'bad-option', () => {
    checkedId((value as Partial<Participant>).id, `${name}.id`);
    const damage = personDamage(value);
    if (damage !== undefined) throw badOption(`${name}.${damage}.`);
    return knownPerson(value as Participant);
  });
}

/** A rule for a person where an id alone will do. */
export function orId(rule: OptionRule<Participant>): OptionRule<Participant> {
  return (value, name) => (typeof value === 'string' ? { id: checkedId(value, name) } : rule(value, name));
}

/** The options by which calls name a person: who acts, for whom somebody looks, for whom it is asked. */
type PersonOption = 'by' | 'for' | 'asker';

/**
 * `by: undefined` is an error, not an anonymous caller: a caller whose user is missing must not act, or see, as if it had
 * not asked for them.
 */
export function assertNamed(options: object, key: PersonOption, call: string): void {
  assertSet(options, key, call, 'a participant with an id', leaveItOut);
}

/**
 * A filter that is there and undefined is an error: a caller whose conversation is missing must not get everybody's.
 */
export function assertGiven(filter: object, keys: readonly string[], call: string): void {
  for (const key of keys) assertSet(filter, key, call, 'a string', { hint: 'Leave it out to list all.' });
}

function assertSet(
  options: object,
  key: string,
  call: string,
  expected: string,
  more: { readonly hint: string },
): void {
  const given = Object(options) as Readonly<Record<string, unknown>>; // whatever was given
  if (readable(`${call}: the options`, 'bad-option', () => key in given && given[key] === undefined))
    throw wrongOption(`${call}: ${key}`, expected, undefined, more);
}

/** The person whom a call names in this option, its only one. */
export function namedPerson(options: object, key: PersonOption, call: string): Participant | undefined {
  assertNamed(options, key, call);
  return checkOptions(call, options, { [key]: optional(personRule) }, `{ ${key}: { id: 'web:4711' } }`)[key];
}

/** The text itself, of an agent that says something. */
export function checkedText(text: unknown, call: string): string {
  if (typeof text === 'string') return text;
  throw wrongOption(`${call}: the message`, 'a string', text, { code: 'bad-data', hint: 'Nothing was said.' });
}
