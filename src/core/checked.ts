/**
 * Options as callers give them: a slip of the pen is told at once, in words that say what to write.
 */
import { AgentError } from './errors.js';
import { describe } from './ids.js';

/** The options themselves. `such` is an example of them; what has another name than `known` would do nothing. */
export function namedOptions<T extends object>(given: T, what: string, such: string, known: ReadonlySet<string>): T {
  const value: unknown = given;
  if (Object.prototype.toString.call(value) !== '[object Object]')
    throw new AgentError(
      'bad-option',
      `${what}: the options must be an object such as ${such}, got ${describe(value)}.`,
    );
  for (const name in given) {
    if (known.has(name) || given[name] === undefined) continue;
    throw new AgentError('bad-option', `${what}: the option ${name} is unknown. Known are ${[...known].join(', ')}.`);
  }
  return given;
}
