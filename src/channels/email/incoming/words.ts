/** The words of a line of a mail. They decide nothing by themselves. */
import { folded } from '../../../core/text.js';

/** Stands for what is left out, or is in doubt: no reply with it is a clear answer. */
export const leftOut = '[…]';

/** Splits a text into its words, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return folded(text)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}
