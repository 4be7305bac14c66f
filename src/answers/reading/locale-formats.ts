/**
 * How a locale writes dates and times, from the runtime's Intl data. A missing or unknown locale yields undefined, never a guess.
 */
import { folded } from '../../core/text.js';

/** What the runtime knows of a locale; undefined if it is missing or no language tag. */
export function askRuntime<T>(locale: string | undefined, ask: (tag: string) => T): T | undefined {
  if (locale === undefined) return undefined;
  try {
    return ask(locale.replaceAll('_', '-'));
  } catch {
    return undefined; // not a language tag
  }
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
  const formats = ['en', language].flatMap((locale) =>
    (['short', 'long'] as const).map((weekday) =>
      askRuntime(locale, (tag) => new Intl.DateTimeFormat(tag, { weekday, timeZone: 'UTC' })),
    ),
  );
  const named = (format: Intl.DateTimeFormat | undefined, day: number) =>
    unaccented(folded(format?.format(someSunday + day * 86_400_000) ?? ''));
  return new Map(formats.flatMap((format) => [0, 1, 2, 3, 4, 5, 6].map((day) => [named(format, day), day] as const)));
}

function unaccented(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '');
}
