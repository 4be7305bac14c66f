/**
 * Shared secrets: what one must be, and how something that was made with one is compared. No error quotes a secret.
 */
import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { unsetHint } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { describeKind } from '../core/ids.js';

const leastCharacters = 32;
const mostSecrets = 10;

/** The rule for an option that is a secret, or several while one is replaced: the first is the new one. */
export function secretRule(value: unknown, name: string): readonly [string, ...string[]] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0 || all.length > mostSecrets) throw wrongSecret(name, `a list of ${all.length}`);
  for (const each of all) {
    if (typeof each !== 'string' || each === '') throw wrongSecret(name, describeKind(each), each === '');
    assertUnpadded(each, name);
    if (each.length < leastCharacters) throw wrongSecret(name, `one of ${each.length} characters`);
  }
  return all as readonly string[] as readonly [string, ...string[]]; // each was looked at, and there is one
}

/** Refuses a secret or a token with white space around it: pasted, or read from a file, it would only look like the one that is meant. */
export function assertUnpadded(secret: string, name: string): void {
  if (secret === secret.trim()) return;
  throw new AgentError(
    'bad-option',
    `${name} begins or ends with white space or a line end, as what is pasted or read from a file may. Remove it, for example with trim().`,
  );
}

function wrongSecret(name: string, got: string, isEmpty = false): AgentError {
  const unset = isEmpty ? ` ${unsetHint}` : '';
  return new AgentError(
    'bad-option',
    `${name} must be a string of at least ${leastCharacters} characters that nobody can guess, or a list of 1 to ${mostSecrets} such strings, got ${got}.${unset} Make one: openssl rand -base64 32`,
  );
}

/** Compares two strings in a time that does not tell where they differ. Only their length shows. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]; // a string may have as many characters as another, and more bytes
  return one.length === other.length && timingSafeEqual(one, other);
}
