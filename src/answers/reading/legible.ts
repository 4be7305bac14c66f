/**
 * A short reply whose look and reading agree, for answers in which one character is worth money.
 * Nothing here decides what a reply means.
 */
import { isFriendly } from './typed-reply.js';

/** No number, date or address needs more, and everything after this stays cheap. */
const longest = 400;

const pictures = /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?/gu;
/** Lines, and digits in a box: "1" and "234" on two lines are not 1 234. */
const divisions = /[\t\n\r\u2028\u2029]+|\ufe0f?\u20e3/gu;
/** Raised figures and fractions are folded to plain ones, overrides show them in another order, a picture may be a minus. */
const deceptive = /[\p{Cc}\p{No}\p{Extended_Pictographic}\u202a-\u202e\u2066-\u2069]/u;

/** The reply on one line and without friendly pictures, or undefined if it is too long or may not be what it looks like. */
export function legible(reply: string): string | undefined {
  if (reply.length > longest) return undefined;
  const text = reply
    .trim()
    .replace(divisions, ', ')
    .replace(pictures, (picture) => (isFriendly([...picture][0] ?? '') ? ', ' : picture));
  return deceptive.test(text) ? undefined : text;
}
