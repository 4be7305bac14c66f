/**
 * Digits in groups of three, as people read long numbers. Never rounds, and knows no language: the mark is given.
 */
export function grouped(digits: string | number, mark: string): string {
  const [, start = '', whole = '', rest = ''] = /^(-?)(\d{5,})((?:[.,]\d+)?)$/.exec(String(digits)) ?? [];
  return whole === '' ? String(digits) : `${start}${whole.replace(/\B(?=(\d{3})+$)/g, mark)}${rest}`;
}
