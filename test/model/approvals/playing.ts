/** Plays random histories of approvals until one goes wrong. */
import fc from 'fast-check';
import type { Store } from '../../../src/stores/port.js';
import type { Ground } from '../grounds.js';
import { factor } from '../playing.js';
import { type Command, commands, Office } from './office.js';

interface Playing {
  /** A store that is wrong on purpose. */
  readonly broken?: (store: Store) => Store;
  /** The same histories for the same seed; ASKBACK_SEED, else 1. */
  readonly seed?: number;
}

/** The first history that goes wrong, made short, and what is wrong with it. */
export async function firstFailure(
  ground: () => Ground,
  runs: number,
  { broken, seed = Number(process.env['ASKBACK_SEED'] ?? 1) }: Playing = {},
): Promise<string | undefined> {
  let wrong: readonly string[] = [];
  const plays = async (history: readonly Command[]): Promise<boolean> => {
    const found = await new Office(ground(), broken).plays(history);
    if (found.length > 0) wrong = found;
    return found.length === 0;
  };
  const histories = fc.array(commands, { maxLength: 30, size: 'max' });
  const result = await fc.check(fc.asyncProperty(histories, plays), {
    seed,
    numRuns: runs * factor,
    endOnFailure: broken !== undefined, // a store that is wrong on purpose needs no short history
    interruptAfterTimeLimit: 100_000,
  });
  if (result.counterexample === null) return undefined;
  const lines = result.counterexample[0].map((each) => JSON.stringify(each));
  return [`seed ${seed}`, ...lines, ...wrong].join('\n');
}
