/**
 * Writes a string so that a person who approves it sees every character: on one line, with escapes for what cannot be
 * seen and for what looks like another character. Pure functions; nothing is cut.
 */

/**
 * Characters that show nothing, move others or break the line: control and format characters, separators and spaces
 * other than the plain one, marks that strike through or enclose, fillers, private and unassigned ones, half characters.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Me}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|[\u0334-\u0338]/u;

/** Punctuation that looks like a character of ASCII and has no compatible form that says so. */
const likePunctuation =
  /[\u01c0\u01c3\u02d0\u0589\u05c3\u201a\u2010-\u2013\u2044\u204e\u2212\u2215\u2217\u2223\u2236\u223c\u29f8\ua789]/u;

/** Letters of other scripts that look like Latin ones. */
const likeLatin = /^[аеорсухіјѕһԁԛԝӏАВЕЅІЈКМНОРСТУХԌԚԜονρυαΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցՕՍՏᎠᎡᎢᎥᎪᎬᎳᎻᏀᏃᏏᏒᏔᏢᏦᏴ]+$/u;

/**
 * The string as it is, or in quotes with escapes if a character would not be seen for what it is. Two strings are never
 * written alike.
 */
export function visibleText(text: string): string {
  if (/^(?!")[ -~]*$/.test(text)) return text;
  let hasEscapes = false;
  let shown = '';
  for (const { 0: part, index } of text.matchAll(/\p{L}[\p{L}\p{M}]*|./gsu)) {
    const seen = seenAs(part, isWordAlone(text, index, part.length));
    hasEscapes ||= seen !== part;
    shown += part === '"' || part === '\\' ? `\\${part}` : seen;
  }
  return hasEscapes || text.startsWith('"') ? `"${shown}"` : text;
}

function seenAs(part: string, isAlone: boolean): string {
  if (!isMisleading(part, isAlone)) return [...part].map(escapedIfHidden).join('');
  return [...part]
    .map((letter) => (/\p{Script=Latin}/u.test(letter) ? escapedIfHidden(letter) : codeOf(letter)))
    .join('');
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
  const isLikeAscii = likePunctuation.test(character) || /^[!-~]$/.test(character.normalize('NFKC'));
  return isLikeAscii || unseen.test(character) ? codeOf(character) : character;
}

const codeOf = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
