/**
 * Checks options and settings by a table of rules, one for each name. An error names the option, what was expected and what came. What
 * options mean together is checked where the table is. Why no library does it: docs/decisions/0018-own-option-checker.md.
 */
import type { AgentErrorCode } from './errors.js';
import { AgentError, badOption, failureOf } from './errors.js';
import { describe, describeKind } from './ids.js';
import { ignoreRejection } from './promise.js';
import { isBlank } from './text.js';

/** Returns the value as it is used from here on, or throws. `name` is the option as the author of the options knows it. */
export type OptionRule<T> = (value: unknown, name: string) => T;

type AnyRules = { readonly [name: string]: OptionRule<unknown> };

/** A rule for every option of `O`: a table that `satisfies` it has all of them. */
export type OptionRules<O> = { readonly [name in keyof O]-?: OptionRule<O[name]> };

type Results<R extends AnyRules> = { [name in keyof R]: ReturnType<R[name]> };

/** The options that a table returns. An option without a value is absent, never undefined. */
export type CheckedOptions<R extends AnyRules> = {
  readonly [name in keyof R as undefined extends Results<R>[name] ? never : name]: Results<R>[name];
} & {
  readonly [name in keyof R as undefined extends Results<R>[name] ? name : never]?: Exclude<
    Results<R>[name],
    undefined
  >;
};

/**
 * Returns the options as a new object with their defaults. `example` is for the error if they are no object. An option that is undefined
 * counts as not given. A name that is not in the table is refused; the error lists the names in `known`, because a call may take others
 * that it has checked before.
 *
 * @example
 * const { min, integer } = checkOptions('number()', options, { min: optional(finite()), integer: optional(boolean(), false) }, '{ min: 1 }');
 */
export function checkOptions<R extends AnyRules>(
  where: string,
  options: unknown,
  rules: R,
  example: string,
  known: () => readonly string[] = () => Object.keys(rules),
): CheckedOptions<R> {
  const given = assertObject(options, `${where}: the options`, `an object such as ${example}`) as OptionFields;
  return checkedFields(given, rules, (name) => `${where}: ${name}`, { unknown: `${where}: the option `, known });
}

/** A rule for options within an option. Errors name them after the outer option: `imap.port`. */
export function object<R extends AnyRules>(
  rules: R,
  example: string,
  more: ErrorDetails = {},
): OptionRule<CheckedOptions<R>> {
  return (value, whole) => {
    const given = assertObject(value, whole, `an object such as ${example}`, more) as OptionFields;
    return checkedFields(given, rules, (name) => `${whole}.${name}`, {
      unknown: `${whole}.`,
      known: () => Object.keys(rules),
    });
  };
}

type OptionFields = { readonly [name: string]: unknown };

function checkedFields<R extends AnyRules>(
  given: OptionFields,
  rules: R,
  called: (name: string) => string,
  { unknown, known }: { readonly unknown: string; readonly known: () => readonly string[] },
): CheckedOptions<R> {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(rules, name) && given[name] !== undefined) throw unknownName(unknown, name, known());
  const checked: Record<string, unknown> = {};
  for (const name of Object.keys(rules)) {
    const value = (rules[name] as OptionRule<unknown>)(given[name], called(name)); // a name of this table
    if (value !== undefined) checked[name] = value;
  }
  return checked as CheckedOptions<R>; // each by its own rule
}

/** Returns a copy of the fields of an object, each read once. Rejects a list, a RegExp and the like. */
export function assertObject<T>(value: T, name: string, expected: string, more: ErrorDetails = {}): T {
  return readable(name, 'bad-option', () => {
    if (!hasFields(value)) throw wrongOption(name, expected, value, more);
    return fieldsOf(value) as T; // the same fields
  });
}

export function hasFields(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Reads an object of the author. A getter or a Proxy may run any code, and its own error would not name the option. */
export function readable<T>(name: string, code: AgentErrorCode, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AgentError) throw error;
    const why = failureOf(error).message.split('\n')[0];
    throw new AgentError(code, `${name} cannot be read: ${why}. Give plain data.`, { cause: error });
  }
}

/** Copies an object, with the fields of its classes. */
function fieldsOf(given: object): object {
  if (prototypeOf(given) === Object.prototype) return { ...given };
  const copy = {};
  for (let level: object | null = given; level !== null && level !== Object.prototype; level = prototypeOf(level))
    for (const [name, { enumerable = false }] of Object.entries(Object.getOwnPropertyDescriptors(level)))
      if (!Object.hasOwn(copy, name))
        Object.defineProperty(copy, name, {
          value: given[name as never],
          enumerable,
          configurable: true,
          writable: true,
        });
  return copy;
}

const prototypeOf = (value: object): object | null => Object.getPrototypeOf(value) as object | null;

/** What an error says beside the name, what was expected and what came. */
interface ErrorDetails {
  /** The last sentence: what to do. */
  readonly hint?: string | undefined;
  /** True if the value may have a password, a token or the like in it, also in a wrong form: the error says only of which kind it is. */
  readonly isSecret?: boolean;
}

/** The hint for a secret that is an empty string, as `process.env.NAME ?? ''` gives it. */
export const unsetHint = 'If it comes from an environment variable, that one may not be set.';

export function wrongOption(
  name: string,
  expected: string,
  value: unknown,
  { hint, code = 'bad-option', isSecret = false }: ErrorDetails & { readonly code?: AgentErrorCode } = {},
): AgentError {
  const isUnset = isSecret && value === '';
  const advice = isUnset ? ` ${unsetHint}` : hint === undefined ? '' : ` ${hint}`;
  const got = (isSecret ? describeKind : describe)(ignoreRejection(value));
  return new AgentError(code, `${name} must be ${expected}, got ${got}.${advice}`);
}

/** A rule for a value that has no rule of its own. `expected` follows "must be". */
export function expecting<T>(
  expected: string,
  fits: (value: unknown) => boolean,
  more: ErrorDetails = {},
): OptionRule<T> {
  return (value, name) => {
    if (fits(value)) return value as T; // `fits` has looked
    throw wrongOption(name, expected, value, more);
  };
}

/** A rule for an option that may be left out: then it is `standard`. */
export function optional<T>(rule: OptionRule<T>): OptionRule<T | undefined>;
export function optional<T>(rule: OptionRule<T>, standard: T): OptionRule<T>;
export function optional<T>(rule: OptionRule<T>, standard?: T): OptionRule<T | undefined> {
  return (value, name) => (value === undefined ? standard : rule(value, name));
}

/** A rule for a value that is checked where it is used. */
export function anything<T>(): OptionRule<T> {
  return (value) => value as T; // nobody here knows better
}

/** A rule for a string. */
export function matching(
  expected: string,
  fits: (text: string) => boolean,
  more: ErrorDetails = {},
): OptionRule<string> {
  return expecting(expected, (value) => typeof value === 'string' && fits(value), more);
}

export const string = (): OptionRule<string> => matching('a string', () => true);

export const nonEmpty = (expected = 'a non-empty string'): OptionRule<string> =>
  matching(expected, (text) => text !== '');

export const nonBlank = (expected = 'a string that is not blank'): OptionRule<string> =>
  matching(expected, (text) => !isBlank(text));

export const boolean = (): OptionRule<boolean> => expecting('true or false', (value) => typeof value === 'boolean');

export const func = <T extends (...args: never[]) => unknown>(): OptionRule<T> =>
  expecting('a function', (value) => typeof value === 'function');

export const finite = (): OptionRule<number> => expecting('a finite number', Number.isFinite);

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** A rule for a whole number, `min` and `max` included. `of` is the unit. */
export function integer({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
  of = '',
}: Bounds & { readonly of?: string } = {}): OptionRule<number> {
  const what = of === '' ? 'a whole number' : `a whole number of ${of}`;
  const least = min === Number.MIN_SAFE_INTEGER ? '' : `${of === '' ? ' of' : ','} at least ${min}`;
  const range = max === Number.MAX_SAFE_INTEGER ? least : ` from ${min} to ${max}`;
  return (value, name) => {
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
    const isWritten = typeof value === 'string' && /^\d{1,15}$/.test(value); // what comes from the environment is a string
    const hint = isWritten ? `Give the number: ${Number(value)}, not a string.` : undefined;
    throw wrongOption(name, `${what}${range}`, value, { hint });
  };
}

/** The longest time that a timer can wait, about 25 days. Node fires a longer one at once. */
export const longestTimer = 2 ** 31 - 1;

/** 100 years, in ms: the longest time that is stored or shown. A much later one has no date. */
export const longestTime = 100 * 365 * 86_400_000;

/** The latest time that a Date can have. */
export const latestDate = 8.64e15;

/** A rule for a number of milliseconds above 0, at most 100 years without `max`. `max: Infinity` allows Infinity. */
export function milliseconds({
  min = 0,
  max = longestTime,
  note = '',
}: {
  readonly min?: number;
  readonly max?: number;
  readonly note?: string;
} = {}): OptionRule<number> {
  const limit = max === Number.POSITIVE_INFINITY ? '' : ` and at most ${max}`;
  const notes = [...(max === longestTime ? ['100 years'] : []), ...(note === '' ? [] : [note])];
  const from = min === 0 ? 'above 0' : `of at least ${min}`;
  const expected = `a number of milliseconds ${from}${limit}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  return expecting(expected, (value) => typeof value === 'number' && value > 0 && value >= min && value <= max);
}

/** A rule for one of these strings. */
export function oneOf<const T extends string>(...values: readonly T[]): OptionRule<T> {
  const quoted = values.map((value) => `'${value}'`);
  const expected = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter((part) => part !== '').join(' or ');
  return expecting(expected, (value) => (values as readonly unknown[]).includes(value));
}

export function instance<T>(type: abstract new (...args: never[]) => T, expected: string): OptionRule<T> {
  return expecting(expected, (value) => value instanceof type);
}

/** A rule for an object with these methods: a clock, a logger, a client. */
export function having<T extends object>(expected: string, ...methods: readonly (keyof T & string)[]): OptionRule<T> {
  return (value, name) => {
    const missing = readable(name, 'bad-option', () =>
      methods.find((method) => typeof (value as OptionFields | null | undefined)?.[method] !== 'function'),
    );
    if (missing === undefined) return value as T; // as far as it is used
    throw wrongOption(name, `${expected} with the method ${missing}`, value);
  };
}

/** A rule for a list whose items follow one rule. It returns a copy. An error names the index of the wrong item. */
export function list<T>(
  rule: OptionRule<T>,
  { least = 0, most = Number.POSITIVE_INFINITY, expected = 'a list', hint = 'Put it in [ ].' } = {},
): OptionRule<readonly T[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw wrongOption(name, expected, value, { hint });
    if (value.length < least) throw wrongOption(name, expected, value);
    if (value.length > most)
      throw badOption(`${name} has ${value.length} items, at most ${most} are taken. Name fewer.`);
    return Array.from(value, (item: unknown, i) => rule(item, `${name}[${i}]`)); // also what a sparse list leaves out
  };
}

/** A rule for values by names that their author gives, such as policies. */
export function dictionary<T>(rule: OptionRule<T>, expected: string): OptionRule<Readonly<Record<string, T>>> {
  return (value, whole) => {
    const given = assertObject(value, whole, expected) as OptionFields;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [name, rule(item, `${whole}.${name}`)]));
  };
}

/** The error for a name that is not among the known ones. `prefix` is the text before the name. */
export function unknownName(
  prefix: string,
  name: string,
  known: readonly string[],
  code: AgentErrorCode = 'bad-option',
): AgentError {
  const near = nearest(name.slice(0, 100), known); // a hostile name must not cost time
  const guess = near === undefined ? '' : ` Did you mean ${near}?`;
  return new AgentError(code, `${prefix}${name.slice(0, 100)} is unknown.${guess} Known are ${known.join(', ')}.`);
}

/** Returns the known name that was probably meant: at most a third of its letters differ. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, edits: editsBetween(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, edits }) => edits <= each.length / 3)
    .sort((a, b) => a.edits - b.edits);
  return best?.each;
}

/** Counts the letters to add, remove or change until one string is the other (Levenshtein distance). */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
