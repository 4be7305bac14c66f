/**
 * Parses numbers as people write them: a sign, thousands in groups of three, a decimal point or comma. A text that is
 * a different number with a point than with a comma is accepted only if the person's convention is known.
 */
import type { DecimalMark, DecimalMarks } from './locale-formats.js';

export type NumberText =
  | { readonly type: 'number'; readonly value: number }
  /** Both conventions give a number, and it is unknown which one was meant. */
  | { readonly type: 'either'; readonly values: readonly [number, number] }
  /** A number only in the convention that this person's language does not use. */
  | { readonly type: 'foreign'; readonly value: number };

const maxLength = 40;
/** A double holds no more significant digits than this exactly. */
const maxDigits = 15;

export function readNumberText(text: string, marks: DecimalMarks, hasLocale: boolean): NumberText | undefined {
  const [, sign, body] = /^([-+−]?)(\d[\d.,' ]*)$/.exec(text) ?? [];
  if (body === undefined || body.length > maxLength) return undefined;
  const signed = (value: number): number => (value === 0 || sign === '' || sign === '+' ? value : -value);
  const [own, other] = [numberIn(body, marks.own), numberIn(body, marks.own === '.' ? ',' : '.')];
  if (own === undefined) {
    return other === undefined ? undefined : { type: marks.both ? 'number' : 'foreign', value: signed(other) };
  }
  if (other === undefined || other === own || isUsual(body, marks, hasLocale))
    return { type: 'number', value: signed(own) };
  return { type: 'either', values: [signed(own), signed(other)] };
}

/**
 * True if the language's convention may be relied on for 1,234 or 1.234: the person's country uses it too, or without
 * a locale, the text has only a thousands separator.
 */
function isUsual(body: string, { own, sure }: DecimalMarks, hasLocale: boolean): boolean {
  if (body.endsWith(`${own}000`)) return false; // nobody writes three zeros after a decimal mark
  // without a locale the language is only the registry's default, and three decimals are rarer than a foreign thousand
  return hasLocale ? sure : !body.includes(own);
}

function numberIn(body: string, mark: DecimalMark): number | undefined {
  const [start = '', decimals = '0', ...more] = body.split(mark);
  const digits = ungrouped(start, mark === '.' ? ',' : '.');
  if (digits === undefined || more.length > 0 || !/^\d+$/.test(decimals)) return undefined;
  const significant = `${digits}${body.includes(mark) ? decimals : ''}`.replace(/^0+/, '').length;
  return significant > maxDigits ? undefined : Number(`${digits}.${decimals}`);
}

function ungrouped(text: string, comma: string): string | undefined {
  const separator = /\D/.exec(text)?.[0];
  if (separator === undefined) return text === '' ? undefined : text;
  if (![comma, "'", ' '].includes(separator)) return undefined;
  const [first = '', ...groups] = text.split(separator);
  // 0,123 has no thousands: it is a decimal
  const right = /^[1-9]\d{0,2}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group));
  return right ? [first, ...groups].join('') : undefined;
}
