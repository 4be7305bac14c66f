/**
 * Days as people write them, in full: in figures, or with the month's name. What the date is today is not known here, so
 * nothing that depends on it is read: no "tomorrow", no missing year, no year of two digits.
 */
import type { Vocabulary } from '../../core/wording/language.js';
import { dateOrderIn, weekdayNamed } from './locale-formats.js';

/** Whose words a date is read by, and where they live if that is known. */
export interface Reader {
  readonly vocabulary: Vocabulary;
  readonly language: string;
  readonly locale: string | undefined;
}

/**
 * What a text can mean: nothing (it has not the form), no moment that exists (an empty list), one, or several. Days are
 * YYYY-MM-DD, moments YYYY-MM-DDTHH:MM, so that they compare as texts.
 */
export type Meanings = readonly string[] | undefined;

/** A day of the calendar that everybody uses today, for all years of four digits. */
export function isDay(day: string): boolean {
  const [, year, month, date] = (/^([1-9]\d{3})-(\d\d)-(\d\d)$/.exec(day) ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return false;
  const at = new Date(Date.UTC(year, month - 1, date));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date;
}

export function readDay(text: string, reader: Reader): Meanings {
  const plain = inFigures(text, reader) ?? inWords(text, reader);
  if (plain !== undefined) return plain;
  const [, word, rest] = /^(\p{L}+)[.,]? (.+)$/u.exec(text) ?? [];
  const weekday = word === undefined ? undefined : weekdayNamed(word, reader.language);
  if (weekday === undefined || rest === undefined) return undefined;
  const after = withoutLead(rest, reader.vocabulary);
  const days = inFigures(after, reader) ?? inWords(after, reader);
  // a Monday that is a Sunday does not exist
  return days?.filter((day) => new Date(`${day}T00:00:00Z`).getUTCDay() === weekday);
}

/** Without the words that lead to a day or an hour: "on the", "at", "um". */
export function withoutLead(text: string, { before }: Vocabulary): string {
  const lead = before.find((phrase) => text.startsWith(`${phrase} `));
  if (lead === undefined) return text;
  const rest = text.slice(lead.length + 1);
  const next = before.find((phrase) => rest.startsWith(`${phrase} `));
  return next === undefined ? rest : rest.slice(next.length + 1);
}

function existing(...days: readonly (readonly (string | undefined)[])[]): readonly string[] {
  const texts = days.map((parts) => parts.map((part = '') => part.padStart(2, '0')).join('-'));
  return [...new Set(texts)].filter(isDay);
}

function inFigures(text: string, reader: Reader): Meanings {
  const [, year, , month, day] = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text) ?? [];
  if (year !== undefined) return existing([year, month, day]);
  const [, first, mark, second, last] = /^(\d{1,2})(\. ?|\/|-)(\d{1,2})\2(\d{4})$/.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const [dayFirst, monthFirst] = [existing([last, second, first]), existing([last, first, second])];
  if (mark.startsWith('.')) return dayFirst; // nobody writes the month first with dots
  if (dayFirst.length === 0 || monthFirst.length === 0) return [...dayFirst, ...monthFirst];
  const order = agreedOrder(reader);
  if (order === undefined) return [...new Set([...dayFirst, ...monthFirst])];
  return order === 'day-first' ? dayFirst : monthFirst;
}

/** The order of the language, unless the person's country has another. */
function agreedOrder({ vocabulary, locale }: Reader): Vocabulary['dateOrder'] {
  return locale === undefined || dateOrderIn(locale) === vocabulary.dateOrder ? vocabulary.dateOrder : undefined;
}

/** Between the parts of a date in any of the languages: "the 15th of November", "15 de noviembre de 2026". */
const joining = new Set(['of', 'the', 'de', 'del', 'den', 'der', 'le']);

function inWords(text: string, { vocabulary }: Reader): Meanings {
  const parts = text.split(/[\s,./-]+/).filter((part) => part !== '' && !joining.has(part));
  if (parts.length !== 3) return undefined;
  const at = parts.findIndex((part) => vocabulary.months.has(part));
  const month = String(vocabulary.months.get(parts[at] ?? ''));
  const [first = '', second = ''] = parts.toSpliced(at, 1);
  if (at === 1 && /^\d{4}$/.test(first) && /^\d{1,2}$/.test(second)) return existing([first, month, second]);
  const day = dayIn(first, vocabulary);
  if (at < 0 || at === 2 || day === undefined || !/^\d{4}$/.test(second)) return undefined;
  return existing([second, month, day]);
}

/** 15, 15th, fifth. */
function dayIn(word: string, { ordinals, ordinalEndings }: Vocabulary): string | undefined {
  const [, figures, ending = ''] = /^(\d{1,2})(\D*)$/.exec(word) ?? [];
  if (figures !== undefined) return ending === '' || ordinalEndings.includes(ending) ? figures : undefined;
  const place = ordinals.get(word);
  return place === undefined ? undefined : String(place);
}
