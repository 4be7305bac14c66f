/**
 * Runs an author's regular expression against a reply, bounded in time. A match that may take many steps runs on a worker
 * thread. One that runs out of time is an error, so the turn fails and is tried again: it never says "does not match".
 */
import { wrongOption } from '../../core/check-options.js';
import { AgentError, badOption } from '../../core/errors.js';
import { matchOnThread } from './threads.js';

/** A pattern as stored: only its source if it has no flags. */
export type Pattern = string | PatternParts;
type PatternParts = { readonly source: string; readonly flags: string };

export function storedPattern(pattern: unknown, name: string): Pattern {
  if (!(pattern instanceof RegExp)) throw wrongOption(name, 'a regular expression such as /^\\d+$/', pattern);
  if (pattern.global || pattern.sticky)
    throw badOption(`${name} has the flag g or y, which makes a match depend on the one before. Leave it out.`);
  return pattern.flags === '' ? pattern.source : { source: pattern.source, flags: pattern.flags };
}

/** The most steps on the main thread: about 2 ms. */
const mostSteps = 250_000;

/**
 * How many steps a pattern may take: `choices` times the text's length to the power of `repetitions`. Each bounded repetition multiplies its choices, each unbounded one and a free start multiply the
 * text's length. Undefined if the product says nothing: a repeated group, alternatives in a group, a back reference,
 * look-around.
 */
function costOf({ source, flags }: PatternParts): { choices: number; repetitions: number } | undefined {
  const atoms = source.replace(/\\[^k1-9]/g, 'a').replace(/\[(?:[^\]\\]|\\.)*\]/g, 'a');
  if (flags.includes('v') || /\\|\(\?[=!<]|\)[*+?{]|\(.*\|/.test(atoms)) return undefined;
  const isAnchored = atoms.startsWith('^') && !atoms.includes('|') && !flags.includes('m');
  let choices = 1;
  let repetitions = isAnchored ? 0 : 1;
  for (const [, least, comma, most] of atoms.matchAll(/\{(\d+)(,?)(\d*)\}/g)) {
    if (comma === ',' && most === '') repetitions += 1;
    else if (comma === ',') choices *= Math.max(1, Number(most) - Number(least) + 1);
  }
  choices *= 2 ** (atoms.match(/(?<!\()\?/g) ?? []).length;
  repetitions += (atoms.match(/[*+]/g) ?? []).length;
  return { choices, repetitions };
}

let mustNotWait = false;

/**
 * Runs a reading whose result is wanted at once or not at all: a pattern that needs a thread throws and is not started, so
 * that whoever waits for it later runs it once.
 */
export function withoutWaiting<T>(read: () => T): T {
  mustNotWait = true;
  try {
    return read();
  } finally {
    mustNotWait = false;
  }
}

/**
 * Whether the pattern matches the whole text, from its first to its last character, or with `part` anything in it. Returns a boolean for a
 * match that is quick, and a promise for one that runs on a worker thread. The threads are shared fairly between conversations.
 */
export function matches(
  pattern: Pattern,
  text: string,
  { match, conversationId = '' }: { readonly match?: 'part' | undefined; readonly conversationId?: string | undefined },
): boolean | Promise<boolean> {
  const parts = typeof pattern === 'string' ? { source: pattern, flags: '' } : pattern;
  const { cost, regExp } = compiledPattern(parts, match === 'part');
  if (cost !== undefined && cost.choices * text.length ** cost.repetitions <= mostSteps) return regExp.test(text);
  if (mustNotWait) throw new AgentError('pattern-limit', 'A pattern that may take long was not started.');
  return matchOnThread({ source: regExp.source, flags: regExp.flags, text, conversationId });
}

/** A cache by source and flags. No pattern has a flag that keeps state between matches. */
const compiled = new Map<string, { readonly cost: ReturnType<typeof costOf>; readonly regExp: RegExp }>();

function compiledPattern(parts: PatternParts, isPart: boolean) {
  const name = `${isPart ? 'part' : 'whole'} ${parts.flags}/${parts.source}`;
  // the cost of the pattern itself: what is anchored takes no more steps
  const source = isPart ? parts.source : `(?<![^])(?:${parts.source})(?![^])`; // with the flag m, ^ and $ are those of a line
  const found = compiled.get(name) ?? { cost: costOf(parts), regExp: new RegExp(source, parts.flags) };
  if (compiled.size >= 100) compiled.clear(); // bounds the cache if an application generates patterns
  compiled.set(name, found);
  return found;
}
