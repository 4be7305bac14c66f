/**
 * One seed for all random examples of a run. It is fixed, so that the same code gives the same verdict;
 * ASKBACK_SEED=new tries others, and ASKBACK_SEED=<number> those of an earlier run.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';

const given = process.env['ASKBACK_SEED'] ?? '1';

export const seed = given === 'new' ? Date.now() % 2 ** 31 : Number(given);
if (!Number.isInteger(seed)) throw new Error(`ASKBACK_SEED must be an integer or "new", got "${given}".`);

fc.configureGlobal({ seed });

/** Draws a number from 0 up to 1. */
export type Random = () => number;

/**
 * The same numbers for the same seed and name. Whoever draws at the same time as others has a name of its own, so that their order
 * changes nothing.
 */
export function randomOf(name: string, from: number = seed): Random {
  let drawn = 0;
  return () => {
    drawn += 1;
    return createHash('sha256').update(`${from} ${name} ${drawn}`).digest().readUInt32BE() / 2 ** 32;
  };
}
