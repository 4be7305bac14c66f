/**
 * Plays random histories on one ground and turns a failure into a story to read: the seed, the shrunk commands one by
 * one, what was wrong, and the history as data to be kept.
 */
import fc from 'fast-check';
import { seed as firstSeed } from '../../support/seed.js';
import type { History } from './commands.js';
import { histories, isCalm, sentence } from './commands.js';
import type { Ground } from './grounds.js';
import { shortened } from './shrinking.js';
import type { Breakage } from './stage.js';
import { Stage } from './stage.js';
import { complaints } from './verdict.js';

export interface Runs {
  readonly ground: () => Ground | Promise<Ground>;
  /** How many histories; ASKBACK_RUNS, where given, multiplies it. */
  readonly runs: number;
  readonly length: number;
  readonly seed?: number;
  /** A store or an author that is wrong on purpose; made anew for each history. */
  readonly broken?: () => Breakage;
  readonly seen?: Seen;
  /** Take the first failure as it is, without looking for a shorter one. */
  readonly asFound?: boolean;
}

/** How often each disposition and each end of an ask came about: a model that sees nothing happen proves nothing. */
export type Seen = Map<string, number>;

/** What is wrong after this history; nothing is a pass. */
export async function played(
  history: History,
  ground: Ground,
  more: { readonly broken?: Breakage | undefined; readonly seen?: Seen | undefined } = {},
): Promise<readonly string[]> {
  const stage = new Stage(ground, more.broken);
  try {
    await stage.play(history);
    const calm = isCalm(history) && !stage.delays.seen;
    return await complaints(stage, calm, more.seen);
  } catch (error) {
    return [`stopped by ${error instanceof Error ? error.stack : String(error)}`];
  } finally {
    await stage.close();
  }
}

export const factor = Number(process.env['ASKBACK_RUNS'] ?? 1);

/** Plays histories until one fails; returns it as a story, or undefined if none did. */
export async function firstFailure(how: Runs): Promise<string | undefined> {
  const seed = how.seed ?? firstSeed;
  const trial = async (history: History) =>
    played(history, await how.ground(), { broken: how.broken?.(), seen: how.seen });
  let atFirst: readonly string[] = [];
  const property = fc.asyncProperty(histories(how.length), async (history) => {
    atFirst = await trial(history);
    return atFirst.length === 0;
  });
  const result = await fc.check(property, {
    seed,
    numRuns: how.runs * factor,
    endOnFailure: true, // made short by shortened(), which knows what a command is
  });
  console.log(`${result.numRuns} histories with seed ${seed}`);
  if (result.counterexample === null) return undefined;
  const { history, wrong } = await shortened(result.counterexample[0], trial, how.asFound ? 0 : 30_000);
  const once = ['It went wrong once, and not when it was played again:', ...atFirst];
  return story(history, wrong.length > 0 ? wrong : once, seed);
}

export function story(history: History, wrong: readonly string[], seed?: number): string {
  const lines = history.map((each, i) => `  ${i + 1}. ${sentence(each)}`);
  const again = seed === undefined ? '' : `\nseed ${seed} (the run began with ASKBACK_SEED=${firstSeed})`;
  return [
    `A history went wrong:${again}`,
    ...lines,
    'What was wrong:',
    ...wrong.map((each) => `  - ${each}`),
    `To keep it (test/system/model/kept.ts): { name: '…', history: ${JSON.stringify(history)} }`,
  ].join('\n');
}

/** All that can become of an entry, and of an ask. */
export const everything = [
  ...['accepted', 'insufficient', 'declined', 'late', 'not-authorised', 'already', 'invalid', 'ordinary'],
  ...['voted', 'partial'],
  ...['ignored', 'control', 'failed'],
  ...['ask pending', 'ask answered', 'ask declined', 'ask exhausted', 'ask expired', 'ask cancelled'],
];

export const missing = (seen: Seen, wanted: readonly string[]): readonly string[] =>
  wanted.filter((each) => !seen.has(each));
