/**
 * Parses numbers as people write them: a sign, thousands in groups of three, a decimal point or comma. A text that is
 * a different number with a point than with a comma is accepted only if the person's convention is known.
 */
import type { ReplyContext } from '../../core/ask/answer-type.js';
import { english } from '../../core/wording/english.js';
import type { Language } from '../../core/wording/language.js';
import { grouped } from '../../core/wording/list.js';
import { askRuntime } from './locale-formats.js';

type DecimalMark = '.' | ',';

/** Which decimal mark somebody writes, and how sure that is. */
interface DecimalMarks {
  /** The mark that numbers are shown with. */
  readonly own: DecimalMark;
  /** True where people write the other mark too: a number that only the other mark explains is read by it. */
  readonly both: boolean;
  /** True where 1,234 and 1.234 have one meaning each: language and country agree. */
  readonly sure: boolean;
}

/** Countries where people of this language write both marks, although the runtime knows one. */
const mixed: ReadonlySet<string> = new Set(['fr-CA', 'fr-CH']);

export type NumberText =
  | { readonly type: 'number'; readonly value: number }
  /** Both conventions give a number, and it is unknown which one was meant. */
  | { readonly type: 'either'; readonly values: readonly [number, number] }
  /** A number only in the convention that this person's language does not use. */
  | { readonly type: 'foreign'; readonly value: number };

const maxLength = 40;
/** A double holds no more significant digits than this exactly. */
const maxDigits = 15;

/** How somebody writes numbers who has this locale, if it is known, and is addressed in this language. */
export class Notation {
  readonly #locale: string | undefined;
  readonly #language: Language;

  constructor(locale: string | undefined, context: ReplyContext | undefined) {
    this.#locale = locale;
    this.#language = context?.language ?? english;
  }

  /** A number in a form that can be typed back: 1.2340, because 1.234 may be read as a thousand. */
  readonly shown = (value: number): string => {
    const text = String(value);
    return (/^-?[1-9]\d{0,2}\.\d{3}$/.test(text) ? `${text}0` : text).replace('.', this.#marks().own);
  };

  /** The same with its thousands apart, from five digits on: 2026 may be a year. */
  limit(value: number): string {
    const { own, both } = this.#marks();
    const isClear = (mark: string | undefined) => mark !== undefined && mark !== own && !(both && /[.,]/.test(mark));
    // what can be mistaken for no decimal mark of that person
    const group = [this.#locale, this.#language.locale].map((each) => partOf(each, 'group')).find(isClear);
    return grouped(this.shown(value), group ?? '\u202f');
  }

  /** The number that a text is; undefined if it is none. */
  read(text: string): NumberText | undefined {
    const [, sign, body] = /^([-+−]?)(\d[\d.,' ]*)$/.exec(text) ?? [];
    if (body === undefined || body.length > maxLength) return undefined;
    const signed = (value: number): number => (value === 0 || sign === '' || sign === '+' ? value : -value);
    // asking the runtime takes 0.1 ms, and digits without a mark mean the same everywhere
    const marks = this.#marks(/[.,]/.test(body) ? this.#locale : undefined);
    const [own, other] = [numberIn(body, marks.own), numberIn(body, marks.own === '.' ? ',' : '.')];
    if (own === undefined)
      return other === undefined ? undefined : { type: marks.both ? 'number' : 'foreign', value: signed(other) };
    if (other === undefined || other === own || isUsual(body, marks, this.#locale !== undefined))
      return { type: 'number', value: signed(own) };
    return { type: 'either', values: [signed(own), signed(other)] };
  }

  /**
   * Spanish has a decimal comma in Spain and a point in Mexico. Where the country differs from the language, the country's mark is shown
   * and both are read.
   */
  #marks(locale = this.#locale): DecimalMarks {
    const { locale: language, words } = this.#language;
    const usual = { own: words.decimal, both: false, sure: false };
    if (locale === undefined) return usual;
    const there = partOf(locale, 'decimal');
    const [spoken, read] = [locale, language].map((each) => askRuntime(each, (tag) => new Intl.Locale(tag)));
    // somebody whose own language is not there reads another, and nothing tells which marks they write in it
    const same = spoken !== undefined && spoken.language === read?.language;
    if (same && mixed.has(`${spoken.language}-${spoken.region}`)) return { ...usual, both: true };
    if (there === words.decimal) return { ...usual, sure: true };
    return same && (there === '.' || there === ',') ? { own: there, both: true, sure: false } : usual;
  }
}

function partOf(locale: string | undefined, type: 'decimal' | 'group'): string | undefined {
  return askRuntime(locale, (tag) =>
    new Intl.NumberFormat(tag).formatToParts(1_234_567.5).find((part) => part.type === type),
  )?.value;
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
