/**
 * How lists of words are written, and long numbers.
 */

/** Words, written with commas so that a long list stays readable. A phrase that has a comma itself stands in double quotation marks. */
export function list(words: string): readonly string[] {
  return [...words.matchAll(/\s*(?:"([^"]*)"|([^,"]+))/g)].map(([, quoted, plain = '']) => quoted ?? plain.trim());
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
