/**
 * Long lists of words, written with commas so that a language stays readable on one screen.
 */
export function list(words: string): readonly string[] {
  return words.split(',').map((word) => word.trim());
}

/** What somebody has said, between quotation marks. Those in it are single ones: it does not end before its end. */
export function quoted(text: string, open: string, close: string): string {
  return `${open}${text.replace(/["“”„‟«»]/g, "'")}${close}`;
}

/** The words, and each also without its accents: many people leave them out. */
export function withoutAccents(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => [word, word.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC')]))];
}

/** The words, and each also with one of the polite ones before or after it. */
export function politely(words: readonly string[], polite: readonly string[]): readonly string[] {
  return [...words, ...words.flatMap((word) => polite.flatMap((please) => [`${word} ${please}`, `${please} ${word}`]))];
}

/** One list for each place, divided by semicolons: months and ordinals with their forms. */
export function places(words: string): readonly (readonly string[])[] {
  return words.split(';').map(list);
}
