/**
 * One seed for all random examples of a run. It is fixed, so that the same code gives the same verdict;
 * ASKBACK_SEED=new tries others, and ASKBACK_SEED=<number> those of an earlier run.
 */
import fc from 'fast-check';

const given = process.env['ASKBACK_SEED'] ?? '1';

export const seed = given === 'new' ? Date.now() % 2 ** 31 : Number(given);
if (!Number.isInteger(seed)) throw new Error(`ASKBACK_SEED must be an integer or "new", got "${given}".`);

fc.configureGlobal({ seed });
