/**
 * Numbers as people write them: signs, thousands in groups of three, and a decimal point or comma. A text that reads
 * differently with a point than with a comma is read only where it is known which of them the person means.
 */
import { decimalMarkIn } from './locale-formats.js';

export type NumberText =
  | { readonly type: 'number'; readonly value: number }
  /** Both conventions give a number, and nothing tells which was meant. */
  | { readonly type: 'either'; readonly values: readonly [number, number] }
  /** Right only in the convention that this person's language does not have. */
  | { readonly type: 'foreign'; readonly value: number };

export type DecimalMark = '.' | ',';

const longest = 40;
/** More significant digits than this do not survive as a number. */
const precise = 15;

export function readNumberText(text: string, mark: DecimalMark, locale: string | undefined): NumberText | undefined {
  const [, sign, body] = /^([-+−]?)(\d[\d.,' ]*)$/.exec(text) ?? [];
  if (body === undefined || body.length > longest) return undefined;
  const signed = (value: number): number => (value === 0 || sign === '' || sign === '+' ? value : -value);
  const [own, other] = [numberIn(body, mark), numberIn(body, mark === '.' ? ',' : '.')];
  if (own === undefined) return other === undefined ? undefined : { type: 'foreign', value: signed(other) };
  if (other === undefined || other === own || isUsual(body, mark, locale))
    return { type: 'number', value: signed(own) };
  return { type: 'either', values: [signed(own), signed(other)] };
}

/** Whether 1,234 and 1.234 mean what the language says: if the person's country agrees, or at least for the common use. */
function isUsual(body: string, mark: DecimalMark, locale: string | undefined): boolean {
  if (body.endsWith(`${mark}000`)) return false; // nobody writes three zeros behind a decimal mark
  // without a locale the language is only the house's own: three decimals are rarer than somebody else's thousands
  return locale === undefined ? !body.includes(mark) : decimalMarkIn(locale) === mark;
}

function numberIn(body: string, mark: DecimalMark): number | undefined {
  const [start = '', decimals = '0', ...more] = body.split(mark);
  const digits = ungrouped(start, mark === '.' ? ',' : '.');
  if (digits === undefined || more.length > 0 || !/^\d+$/.test(decimals)) return undefined;
  const significant = `${digits}${body.includes(mark) ? decimals : ''}`.replace(/^0+/, '').length;
  return significant > precise ? undefined : Number(`${digits}.${decimals}`);
}

function ungrouped(text: string, comma: string): string | undefined {
  const separator = /\D/.exec(text)?.[0];
  if (separator === undefined) return text === '' ? undefined : text;
  if (![comma, "'", ' '].includes(separator)) return undefined;
  const [first = '', ...groups] = text.split(separator);
  // 0,123 is no thousand: whoever writes it means a decimal
  const right = /^[1-9]\d{0,2}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group));
  return right ? [first, ...groups].join('') : undefined;
}
