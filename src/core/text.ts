/**
 * Strings of people and agents, made safe to show and simple to compare. What is stored never changes.
 */

/** Escape sequences, control characters, direction overrides, zero-width characters and lone surrogates. */
const hostile =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/**
 * Characters that draw nothing: control and format characters, half characters, what Unicode lets a renderer ignore, and the few that it
 * names blank, null or filler. The Arabic signs among the format characters are drawn.
 */
const shapeless =
  /(?![\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/** Scripts in which a joiner or non-joiner between two letters changes their form. */
const joining = [
  'Arabic',
  'Syriac',
  'Devanagari',
  'Bengali',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Malayalam',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Khmer',
].map((script) => `\\p{Script=${script}}`);

/** The viramas of those scripts: a joiner or non-joiner behind one changes its form at the end of a word, too (RFC 5892, appendix A). */
const viramas = '\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca';

/**
 * Text in which people write such characters: emoji, key caps, the three flags that are made of tags, words of those scripts, and variants
 * of Han characters and of Mongolian letters.
 */
const ordinarySequence = new RegExp(
  [
    '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
    '[\\d#*]\\ufe0f\\u20e3',
    '\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|[\\ufe0e\\ufe0f])?(?:\\u200d\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|\\ufe0f)?)*',
    `(?<=[${joining.join('')}])[\\u200c\\u200d](?=[${joining.join('')}])`,
    `(?<=[${viramas}])[\\u200c\\u200d]`,
    '(?<=\\u0647)\\u200d', // the era of a Persian date
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
    '(?<=[\\u1820-\\u18aa])(?:[\\u180b-\\u180d\\u180f]|\\u180e(?=[\\u1820-\\u18aa]))', // letters of Mongolian
  ].join('|'),
  'gu',
);

/** True if the character draws nothing by itself. */
export function isShapeless(character: string): boolean {
  return character.search(shapeless) === 0;
}

/** The positions of the characters that draw nothing, but for those in emoji and in words that are written with them. */
export function shapelessIn(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (plain.test(text)) return found;
  for (const { index } of text.matchAll(shapeless)) found.add(index);
  if (found.size === 0) return found;
  for (const { 0: sequence, index } of text.matchAll(ordinarySequence))
    for (let i = 0; i < sequence.length; i += 1) found.delete(index + i);
  return found;
}

/** Printable ASCII: nothing hostile, and one form per character, so that only spaces, case and marks need work. */
const plain = /^[ -~]*$/;

/** Removes control characters and escape sequences, for reading and comparing. Line breaks and tabs stay. */
export function withoutControls(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(hostile, '')
    .toWellFormed();
}

/**
 * The text as it may be shown anywhere. Removes control characters and escape sequences, but not line breaks and tabs, and writes other
 * characters that draw nothing as their codes. Emoji and words that are written with such characters stay as they are. Markup of a platform
 * stays, too: escape it by the platform's own rules.
 *
 * @example
 * import { inert } from 'askback/channels/plain';
 *
 * console.log(inert('a\u001b[31mb')); // ab
 * console.log(inert('10\u31640 EUR')); // 10\u{3164}0 EUR
 */
export function inert(text: string): string {
  const kept = withoutControls(text);
  const hidden = shapelessIn(kept);
  if (hidden.size === 0) return kept;
  let shown = '';
  let at = 0;
  for (const character of kept) {
    shown += hidden.has(at) ? codeOf(character) : character;
    at += character.length;
  }
  return shown;
}

/** The code of a character, as it is shown in its place. */
export function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The same on one line, where a line break could pass for the end of what somebody else has written. */
export function oneLine(text: string): string {
  return inert(text).replace(/\s+/g, ' ').trim();
}

/** For comparing: one form per character and digit, no marks at the end, single spaces, lower case. */
export function folded(text: string): string {
  if (plain.test(text)) {
    const trimmed = text.trim();
    return lessEnd(trimmed.includes('  ') ? trimmed.replace(/ +/g, ' ') : trimmed).toLowerCase();
  }
  return lessEnd(withoutControls(text).normalize('NFKC').trim().replace(/\s+/g, ' '))
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[^\P{Nd}0-9]/gu, plainDigit)
    .toLowerCase();
}

/** The text without full stops and exclamation marks at its end. No pattern: one can take quadratic time here. */
function lessEnd(text: string): string {
  let end = text.length;
  while (end > 0 && '.!。！'.includes(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

/** A digit of any script as 0 to 9. Each script's ten digits stand in one row, zero first. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

/** At least one letter, digit or pictograph: the least a reply to an open question must have. */
export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(withoutControls(text));
}

export function isBlank(text: string): boolean {
  return plain.test(text) ? text.trim() === '' : /^[\s\p{Cf}\p{Z}]*$/u.test(withoutControls(text));
}

/** `/refund now` and the like: an order to the bot, not an answer. */
export function isCommand(text: string): boolean {
  return /^\/[a-z][\w-]*(?:\s|$)/i.test(text.trim());
}
