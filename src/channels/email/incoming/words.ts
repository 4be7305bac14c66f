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

/** The address of a page. Servers rewrite it. */
export const addressOfPage = /[<([]?\b(?:https?:\/\/|mailto:)[^\s<>]*>?/gi;

/** White space, marks of lists and rules, or the address of a page. */
export function isDecoration(line: string): boolean {
  return /^[\s>*_|•·.=–—-]*$/u.test(line.replace(addressOfPage, ''));
}
