/**
 * How a locale writes numbers, dates and times, from the runtime's Intl data. Tells whether a language's convention
 * holds in the person's country; a missing or unknown locale yields undefined, never a guess.
 */
import { folded } from '../../core/text.js';

function askRuntime<T>(locale: string | undefined, ask: (tag: string) => T): T | undefined {
  if (locale === undefined) return undefined;
  try {
    return ask(locale.replaceAll('_', '-'));
  } catch {
    return undefined; // not a language tag
  }
}

export type DecimalMark = '.' | ',';

/** Which decimal mark somebody writes, and how sure that is. */
export interface DecimalMarks {
  /** The mark that numbers are shown with. */
  readonly own: DecimalMark;
  /** True where people write the other mark too: a number that only the other mark explains is read by it. */
  readonly both: boolean;
  /** True where 1,234 and 1.234 have one meaning each: language and country agree. */
  readonly sure: boolean;
}

/** Countries where people of this language write both marks, although the runtime knows one. */
const mixed: ReadonlySet<string> = new Set(['fr-CA', 'fr-CH']);

/**
 * The decimal marks of somebody who is addressed in this language. Spanish has a decimal comma in Spain and a point in
 * Mexico. Where the country differs from the language, the country's mark is shown and both are read.
 */
export function decimalMarksFor(
  locale: string | undefined,
  language: { readonly locale: string; readonly decimal: DecimalMark },
): DecimalMarks {
  if (locale === undefined) return { own: language.decimal, both: false, sure: false };
  const there = askRuntime(locale, (tag) => partOf(tag, 'decimal'));
  const [spoken, read] = [locale, language.locale].map((each) => askRuntime(each, (tag) => new Intl.Locale(tag)));
  // somebody whose own language is not there reads another, and nothing tells which marks they write in it
  const same = spoken !== undefined && spoken.language === read?.language;
  if (same && mixed.has(`${spoken.language}-${spoken.region}`))
    return { own: language.decimal, both: true, sure: false };
  const differs = there !== language.decimal && (there === '.' || there === ',');
  return same && differs
    ? { own: there, both: true, sure: false }
    : { own: language.decimal, both: false, sure: there === language.decimal };
}

/** What stands between thousands, where it can be mistaken for no decimal mark of that person. */
export function groupMarkFor(locale: string | undefined, language: string, { own, both }: DecimalMarks): string {
  const isClear = (mark: string | undefined) => mark !== undefined && mark !== own && !(both && /[.,]/.test(mark));
  const marks = [locale, language].map((each) => askRuntime(each, (tag) => partOf(tag, 'group')));
  return marks.find(isClear) ?? '\u202f';
}

function partOf(tag: string, type: 'decimal' | 'group'): string | undefined {
  return new Intl.NumberFormat(tag).formatToParts(1_234_567.5).find((part) => part.type === type)?.value;
}

export function dateOrderIn(locale: string | undefined): 'day-first' | 'month-first' | undefined {
  const first = askRuntime(
    locale,
    (tag) =>
      new Intl.DateTimeFormat(tag, { dateStyle: 'short', timeZone: 'UTC' })
        .formatToParts(0)
        .find((part) => part.type === 'day' || part.type === 'month')?.type,
  );
  return first === undefined ? undefined : first === 'day' ? 'day-first' : 'month-first';
}

/** False for English: wherever it is spoken, 2:30 may be in the afternoon. */
export function uses24Hours(locale: string | undefined): boolean {
  const cycle = askRuntime(
    locale,
    (tag) => new Intl.DateTimeFormat(tag, { hour: 'numeric', timeZone: 'UTC' }).resolvedOptions().hourCycle,
  );
  return cycle?.startsWith('h2') === true && !locale?.toLowerCase().startsWith('en');
}

const named = new Map<string, ReadonlyMap<string, number>>();

/** The weekday from 0 (Sunday) to 6, by its name in the language or in English. */
export function weekdayNamed(word: string, language: string): number | undefined {
  const names = named.get(language) ?? weekdays(language);
  named.set(language, names);
  return names.get(unaccented(word));
}

const someSunday = Date.UTC(2023, 0, 1);

function weekdays(language: string): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const locale of ['en', language]) {
    for (const weekday of ['short', 'long'] as const) {
      for (let day = 0; day < 7; day += 1) {
        const name = askRuntime(locale, (tag) =>
          new Intl.DateTimeFormat(tag, { weekday, timeZone: 'UTC' }).format(someSunday + day * 86_400_000),
        );
        if (name !== undefined) names.set(unaccented(folded(name)), day);
      }
    }
  }
  return names;
}

function unaccented(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '');
}
