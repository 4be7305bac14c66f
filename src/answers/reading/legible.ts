/**
 * Rejects replies that may not be what they look like, for answers in which one character matters (amounts, dates,
 * addresses). Never decides what a reply means.
 */
import { isFriendly } from './typed-reply.js';

/** Longer than any number, date or address, and short enough that parsing stays cheap. */
const maxLength = 400;

const emoji = /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?/gu;
/** Line breaks and keycap digits: "1" and "234" on two lines are not 1 234. */
const lineBreaks = /[\t\n\r\u2028\u2029]+|\ufe0f?\u20e3/gu;
/**
 * Control characters, superscripts and fractions (folding makes plain digits of them), direction overrides, and emoji
 * such as a heavy minus.
 */
const deceptive = /[\p{Cc}\p{No}\p{Extended_Pictographic}\u202a-\u202e\u2066-\u2069]/u;

/** The reply on one line and without friendly emoji; undefined if it is too long or deceptive. */
export function legible(reply: string): string | undefined {
  if (reply.length > maxLength) return undefined;
  const text = reply
    .trim()
    .replace(lineBreaks, ', ')
    .replace(emoji, (picture) => (isFriendly([...picture][0] ?? '') ? ', ' : picture));
  return deceptive.test(text) ? undefined : text;
}
