/**
 * What people and agents write, made harmless to show and simple to compare. Never changes what is stored.
 */

/** Escape sequences, control characters, direction overrides, zero-width characters and lone surrogates. */
const hostile =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** The text as it may be shown anywhere: line breaks and tabs stay, nothing in it can act. */
export function inert(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(hostile, '')
    .toWellFormed();
}

/** For comparing: one form per character, no marks at the ends, single spaces, lower case. */
export function folded(text: string): string {
  return inert(text)
    .normalize('NFKC')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.!。！]+$/u, '')
    .toLowerCase();
}

/** At least one letter, digit or pictograph: the least a reply to an open question must have. */
export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(inert(text));
}

export function isBlank(text: string): boolean {
  return /^[\s\p{Cf}\p{Z}]*$/u.test(inert(text));
}

/** `/refund now` and the like: an order to the bot, not an answer. */
export function isCommand(text: string): boolean {
  return /^\/[a-z][\w-]*(?:\s|$)/i.test(text.trim());
}

const declineWords = new Set(['cancel', 'never mind', 'nevermind', '/stop', '/cancel']);

export function isDecline(text: string): boolean {
  return declineWords.has(folded(text));
}
