/** One seed for all property tests of a file: a test that is tried again meets the same examples, so a find stays one. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['ASKBACK_SEED'] ?? Math.floor(Math.random() * 2 ** 31)) });
