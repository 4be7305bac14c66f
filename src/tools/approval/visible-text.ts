/**
 * Writes a string so that a person who approves it sees every character: on one line, with escapes for what cannot be
 * seen and for what looks like another character. Pure functions; nothing is cut.
 */
import { codeOf, isShapeless } from '../../core/text.js';

/**
 * Characters that are not seen for what they are, beside those that draw nothing: spaces other than the plain one, marks that strike
 * through or enclose, private and unassigned ones.
 */
const unseen =
  /[\p{C}\p{Me}]|(?! )\p{Zs}|[\u0334-\u0338]|\u1cd4|[\u1ce2-\u1ce8]|\u20d2|\u20d3|[\u20d8-\u20da]|\u20e5|\u20e6|\u20ea|\u20eb/u;

/** Characters that look like one of ASCII and have no compatible form that says so. */
const likeAscii =
  /[\u01c0\u01c3\u02b9\u02c8\u02d0\u0589\u05c0\u05c3\u05f3\u201a\u2010-\u2013\u2032\u2044\u204e\u2212\u2215-\u2217\u2223\u2236\u223c\u23d0\u2502\u2503\u2571\u2572\u2758\u29f5\u29f8\u29f9\ua789\ua78c]/u;

/**
 * The letters of everyday alphabets, without their marks: of Latin those of Latin-1 and Latin Extended-A, and of other
 * scripts those that Unicode recommends for identifiers (UAX #31, table 5). Many others look like these: ɑ, ɡ, ᴏ, all of Lisu.
 */
const everyday =
  /[A-Za-z\u00c0-\u0130\u0132-\u0137\u0139-\u017f\u1e9e\p{Script=Arabic}\p{Script=Armenian}\p{Script=Bengali}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Cyrillic}\p{Script=Devanagari}\p{Script=Ethiopic}\p{Script=Georgian}\p{Script=Greek}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Han}\p{Script=Hangul}\p{Script=Hebrew}\p{Script=Hiragana}\p{Script=Kannada}\p{Script=Katakana}\p{Script=Khmer}\p{Script=Lao}\p{Script=Malayalam}\p{Script=Myanmar}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Thaana}\p{Script=Thai}\p{Script=Tibetan}]/u;

/** Letters of other everyday alphabets that look like Latin ones. */
const likeLatin = /^[аеорсухіјѕһԁԛԝӏАВЕЅІЈКМНОРСТУХԌԚԜονρυαΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցՕՍՏ]+$/u;

/**
 * The string as it is, or in quotes with escapes if a character would not be seen for what it is. Two strings are never
 * written alike.
 */
export function visibleText(text: string): string {
  if (/^(?!")[ -~]*$/.test(text)) return text;
  let hasEscapes = false;
  let shown = '';
  for (const { given, seen } of visibleParts(text)) {
    hasEscapes ||= seen !== given;
    shown += given === '"' || given === '\\' ? `\\${given}` : seen;
  }
  return hasEscapes || text.startsWith('"') ? `"${shown}"` : text;
}

/** A word, or one other character: as it was given, and as a person can see it. */
export interface VisiblePart {
  readonly given: string;
  readonly seen: string;
}

/** The string in parts, for a page that marks what is written as an escape. */
export function* visibleParts(text: string): Generator<VisiblePart> {
  for (const { 0: given, index } of text.matchAll(/\p{L}[\p{L}\p{M}]*|./gsu))
    yield { given, seen: seenAs(given, isWordAlone(text, index, given.length)) };
}

/** A word, or one other character. The marks of a letter are escaped with it, because they would be drawn on the escape. */
function seenAs(part: string, isAlone: boolean): string {
  const isMixed = isMisleading(part, isAlone);
  const isTurkish = /[\u00c0-\u0130\u0132-\u017f]/.test(part); // alone among ASCII letters, ı is read as i or l
  let isEscaped = false;
  let seen = '';
  for (const character of part) {
    const isMark: boolean = isEscaped && /\p{M}/u.test(character);
    isEscaped =
      isMark ||
      (isMixed && !/\p{Script=Latin}/u.test(character)) ||
      (character === 'ı' ? !isTurkish : isUncommonLetter(character));
    seen += isEscaped ? codeOf(character) : escapedIfHidden(character);
  }
  return seen;
}

function isUncommonLetter(character: string): boolean {
  return character > '~' && /\p{L}/u.test(character) && !everyday.test(character.normalize('NFD'));
}

/** A word of Latin and other letters, or one of another script that could be read as Latin. */
function isMisleading(word: string, isAlone: boolean): boolean {
  if (!/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(word)) return false;
  return /\p{Script=Latin}/u.test(word) || (likeLatin.test(word) && !(isAlone && word.length === 1));
}

/** True between spaces: one letter there is a word of its language, as a preposition is in Russian. */
function isWordAlone(text: string, start: number, length: number): boolean {
  const [before, after] = [text[start - 1], text[start + length]];
  return (before === ' ' || after === ' ') && (before ?? ' ') === ' ' && (after ?? ' ') === ' ';
}

function escapedIfHidden(character: string): string {
  if (character <= '~' && character >= ' ') return character;
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return likeAscii.test(character) || isAsciiInOne(character) || unseen.test(character) || isShapeless(character)
    ? codeOf(character)
    : character;
}

/** Another form of one ASCII character, or letters and digits of ASCII in one character, such as ﬁ, ĳ and Ⅳ. */
function isAsciiInOne(character: string): boolean {
  const plain = character.normalize('NFKC');
  return /^[!-~]$/.test(plain) || (/^[!-~]+$/.test(plain) && /[\p{L}\p{N}]/u.test(character));
}
