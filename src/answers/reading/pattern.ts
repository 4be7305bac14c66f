/**
 * Runs an author's regular expression against a reply, bounded in time. A pattern that may backtrack for long runs on
 * a worker thread, which is terminated at the limit. A timeout means "does not match", never a blocked process.
 */
import { Worker } from 'node:worker_threads';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Clock } from '../../machine/clock.js';
import { systemClock, yieldToEventLoop } from '../../machine/clock.js';

/** A pattern as stored: only its source if it has no flags. */
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
 * reference, no look-around, few optional parts, and at most one repetition without a small bound. All others run on
 * the worker thread.
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

/** Returns a boolean for a quick pattern, and a promise for one that runs on the worker thread. */
export function matches(pattern: Pattern, text: string, clock: Clock = systemClock): boolean | Promise<boolean> {
  const parts = typeof pattern === 'string' ? { source: pattern, flags: '' } : pattern;
  const quick = text.length <= quickLength ? quickPattern(parts) : undefined;
  return quick === undefined ? matchOnThread(parts, text, clock) : quick.test(text);
}

/** A cache of compiled patterns by source and flags; undefined for one that is not quick. */
const compiled = new Map<string, RegExp | undefined>();

/**
 * The pattern to run on this thread, or undefined if it needs the worker. It has no flag that keeps state between
 * matches.
 */
function quickPattern({ source, flags }: PatternParts): RegExp | undefined {
  const name = `${flags}/${source}`;
  if (!compiled.has(name)) {
    if (compiled.size >= 100) compiled.clear(); // bounds the cache if an application generates patterns
    compiled.set(name, isQuick(source) ? new RegExp(source, flags) : undefined);
  }
  return compiled.get(name);
}

const workerSource = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ source, flags, text }) => {
  parentPort.postMessage('begun');
  parentPort.postMessage(new RegExp(source, flags).test(text));
});
`;

let thread: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs one match at a time on one worker thread. A worker that exceeds the limit is terminated, and the next match
 * starts a new one.
 */
function matchOnThread(pattern: PatternParts, text: string, clock: Clock): Promise<boolean> {
  const result = last.then(() => runOnThread(pattern, text, clock));
  last = result;
  return result;
}

function runOnThread(pattern: PatternParts, text: string, clock: Clock): Promise<boolean> {
  thread ??= new Worker(workerSource, { eval: true });
  const worker = thread;
  worker.ref(); // a caller awaits this match
  return new Promise((resolve) => {
    let cancel = () => {};
    let isFinished = false;
    const finish = (matched: boolean, ended: boolean) => {
      if (isFinished) return;
      isFinished = true;
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
    worker.on('message', (told: boolean | 'begun') => {
      if (told !== 'begun') return finish(told, false);
      // the limit is the pattern's: the start of a thread on a busy machine must not use it up, and a result that has come
      // while this process was busy is read before the timer counts
      cancel = clock.after(timeLimit, () => void yieldToEventLoop().then(() => finish(false, true)));
    });
    worker.once('error', () => finish(false, true));
    worker.postMessage({ ...pattern, text });
  });
}
