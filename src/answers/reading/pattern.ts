/**
 * Runs an author's pattern against what a person typed, bounded in time: a pattern that could take long runs on another
 * thread and is stopped there. Over the limit means "does not match", never a blocked process.
 */
import { Worker } from 'node:worker_threads';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Clock } from '../../machine/clock.js';
import { systemClock } from '../../machine/clock.js';

/** A pattern as it is stored: its source, if it has no flags. */
export type Pattern = string | PatternParts;
type PatternParts = { readonly source: string; readonly flags: string };

const quickLength = 1_000;
const timeLimit = 250;

export function storedPattern(pattern: unknown, name: string): Pattern {
  if (!(pattern instanceof RegExp)) {
    throw new AgentError(
      'bad-option',
      `${name} must be a regular expression such as /^\\d+$/, got ${describe(pattern)}.`,
    );
  }
  if (pattern.global || pattern.sticky) {
    throw new AgentError(
      'bad-option',
      `${name} has the flag g or y, which makes a match depend on the one before. Leave it out.`,
    );
  }
  return pattern.flags === '' ? pattern.source : { source: pattern.source, flags: pattern.flags };
}

/**
 * True if the pattern cannot take more than about length² steps: no repeated group, no group of alternatives, no back
 * reference, no look-around, few optional parts, and at most one repetition without a small bound. Everything else goes to the other thread.
 */
export function isQuick(source: string): boolean {
  const atoms = source.replace(/\\[^k1-9]/g, 'a').replace(/\[(?:[^\]\\]|\\.)*\]/g, 'a');
  if (/\\|\(\?[=!<]|\)[*+?{]|\(.*\|/.test(atoms)) return false;
  if ((atoms.match(/(?<!\()\?/g) ?? []).length > 4) return false;
  const bounds = atoms.match(/\{\d+,?\d*\}/g) ?? [];
  const wide = bounds.filter(
    (bound) => bound.endsWith(',}') || Math.max(...(bound.match(/\d+/g) ?? []).map(Number)) > 50,
  );
  const narrow = bounds.length - wide.length;
  return (atoms.match(/[*+]/g) ?? []).length + wide.length <= 1 && narrow <= 2;
}

/** At once for a quick pattern. */
export function matches(pattern: Pattern, text: string, clock: Clock = systemClock): boolean | Promise<boolean> {
  const parts = typeof pattern === 'string' ? { source: pattern, flags: '' } : pattern;
  const quick = text.length <= quickLength ? quickPattern(parts) : undefined;
  return quick === undefined ? elsewhere(parts, text, clock) : quick.test(text);
}

/** Patterns that were looked at, by their source and flags; undefined for one that is not quick. */
const known = new Map<string, RegExp | undefined>();

/** The pattern to run here, or undefined if it has to run elsewhere. It has no flag that lets it remember a match. */
function quickPattern({ source, flags }: PatternParts): RegExp | undefined {
  const name = `${flags}/${source}`;
  if (!known.has(name)) {
    if (known.size >= 100) known.clear(); // an application has a few; whoever makes them up must not fill the memory
    known.set(name, isQuick(source) ? new RegExp(source, flags) : undefined);
  }
  return known.get(name);
}

const program = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ source, flags, text }) => parentPort.postMessage(new RegExp(source, flags).test(text)));
`;

let thread: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/** One at a time on one thread; a thread that does not answer in time is ended and the next question gets a new one. */
function elsewhere(pattern: PatternParts, text: string, clock: Clock): Promise<boolean> {
  const result = last.then(() => onThread(pattern, text, clock));
  last = result;
  return result;
}

function onThread(pattern: PatternParts, text: string, clock: Clock): Promise<boolean> {
  thread ??= new Worker(program, { eval: true });
  const worker = thread;
  worker.ref(); // somebody waits for this answer
  return new Promise((resolve) => {
    const finish = (matched: boolean, ended: boolean) => {
      cancel();
      worker.removeAllListeners('message');
      worker.removeAllListeners('error');
      worker.unref();
      if (ended) {
        thread = undefined;
        void worker.terminate();
      }
      resolve(matched);
    };
    const cancel = clock.after(timeLimit, () => finish(false, true));
    worker.once('message', (matched: boolean) => finish(matched, false));
    worker.once('error', () => finish(false, true));
    worker.postMessage({ ...pattern, text });
  });
}
