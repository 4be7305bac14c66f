/** Plays random histories of which each command is over before the next begins, until one goes wrong. */
import fc from 'fast-check';
import type { Store } from '../../../src/stores/port.js';
import { seed as firstSeed } from '../../support/seed.js';
import { factor } from './playing.js';

export interface StepByStep {
  /** A store that is wrong on purpose. */
  readonly broken?: (store: Store) => Store;
  /** The same histories for the same seed. */
  readonly seed?: number;
}

/** The first history that goes wrong, made short, and what is wrong with it. */
export async function firstWrong<T>(
  command: fc.Arbitrary<T>,
  plays: (history: readonly T[], broken: ((store: Store) => Store) | undefined) => Promise<readonly string[]>,
  runs: number,
  { broken, seed = firstSeed }: StepByStep = {},
): Promise<string | undefined> {
  let wrong: readonly string[] = [];
  const histories = fc.array(command, { maxLength: 30, size: 'max' });
  const property = fc.asyncProperty(histories, async (history) => {
    const found = await plays(history, broken);
    if (found.length > 0) wrong = found;
    return found.length === 0;
  });
  const result = await fc.check(property, {
    seed,
    numRuns: runs * factor,
    endOnFailure: broken !== undefined, // a store that is wrong on purpose needs no short history
    interruptAfterTimeLimit: 100_000,
  });
  if (result.counterexample === null) return undefined;
  const lines = result.counterexample[0].map((each) => JSON.stringify(each));
  return [`seed ${seed}`, ...lines, ...wrong].join('\n');
}
