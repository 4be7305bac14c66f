/**
 * How the tables of the languages are written, and what is the same in all of them: lists of words, quotes, long numbers.
 */

/** Words, written with commas so that a language stays readable on one screen. */
export function list(words: string): readonly string[] {
  return words.split(',').map((word) => word.trim());
}

/** What somebody has said, between quotation marks. Those in it are single ones: it does not end before its end. */
export function quoted(text: string, open: string, close: string): string {
  return `${open}${text.replace(/["“”„‟«»]/g, "'")}${close}`;
}

/** One list for each place, divided by semicolons: months and ordinals with their forms. */
export function places(words: string): readonly (readonly string[])[] {
  return words.split(';').map(list);
}

/** Each of the starts with each of the ends. */
export function pairs(starts: string, ends: string): readonly string[] {
  return list(starts).flatMap((start) => list(ends).map((end) => `${start} ${end}`));
}

/** Digits in groups of three, as people read long numbers. Never rounds, and knows no language: the mark is given. */
export function grouped(digits: string | number, mark: string): string {
  const [, start = '', whole = '', rest = ''] = /^(-?)(\d{5,})((?:[.,]\d+)?)$/.exec(String(digits)) ?? [];
  return whole === '' ? String(digits) : `${start}${whole.replace(/\B(?=(\d{3})+$)/g, mark)}${rest}`;
}
