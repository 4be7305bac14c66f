/**
 * Shared secrets: what one must be, and how something that was made with one is compared. No error quotes a secret.
 */
import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { type OptionRule, unsetHint } from '../core/check-options.js';
import { type AgentError, badOption } from '../core/errors.js';
import { describeKind } from '../core/ids.js';

const leastCharacters = 32;
/** Random digits, hex digits and base64 of these lengths have more. */
const leastDifferent = 6;
const mostSecrets = 10;

/** What a kind of secret must be. */
interface SecretKind {
  /** Follows "must be". */
  readonly expected: string;
  /** The last sentence of an error: where to get such a secret. */
  readonly source: string;
  /** What came instead, without quoting it, or undefined for a good secret. */
  readonly problem: (secret: string) => string | undefined;
}

/** Makes the rule for an option that is a secret, or several while one is replaced: the first is the new one. */
export function secretsOf(kind: SecretKind): OptionRule<readonly [string, ...string[]]> {
  return (value, name) => {
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (all.length === 0 || all.length > mostSecrets) throw wrongSecret(kind, name, `a list of ${all.length}`);
    for (const each of all) {
      if (typeof each !== 'string' || each === '') throw wrongSecret(kind, name, describeKind(each), each === '');
      assertUnpadded(each, name);
      const problem = kind.problem(each);
      if (problem !== undefined) throw wrongSecret(kind, name, problem);
    }
    return [...all] as [string, ...string[]]; // each was looked at, and there is one
  };
}

/** How a secret is too short or too uniform, or undefined. Uniform: "aaaa…", or a few characters that repeat. */
export function weaknessOf(secret: string | Uint8Array, least = leastCharacters): string | undefined {
  const unit = typeof secret === 'string' ? 'characters' : 'bytes';
  if (secret.length < least) return `one of ${secret.length} ${unit}`;
  const different = new Set<string | number>(secret).size;
  return different < leastDifferent ? `one of only ${different} different ${unit}` : undefined;
}

/** The rule for a secret of ours. */
export const secretRule = secretsOf({
  expected: `a string of at least ${leastCharacters} characters that nobody can guess`,
  source: 'Make one: openssl rand -base64 32',
  problem: (secret) => weaknessOf(secret),
});

/** Refuses a secret or a token with white space around it: pasted, or read from a file, it would only look like the one that is meant. */
export function assertUnpadded(secret: string, name: string): void {
  if (secret === secret.trim()) return;
  throw badOption(
    `${name} begins or ends with white space or a line end, as what is pasted or read from a file may. Remove it, for example with trim().`,
  );
}

function wrongSecret({ expected, source }: SecretKind, name: string, got: string, isEmpty = false): AgentError {
  const unset = isEmpty ? ` ${unsetHint}` : '';
  return badOption(
    `${name} must be ${expected}, or a list of 1 to ${mostSecrets} such strings, got ${got}.${unset} ${source}`,
  );
}

/** Compares two strings in a time that does not tell where they differ. Only their length shows. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]; // a string may have as many characters as another, and more bytes
  return one.length === other.length && timingSafeEqual(one, other);
}
