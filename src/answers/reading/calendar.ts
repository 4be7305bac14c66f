/**
 * Parses days that are written in full: in digits, or with the month's name. Today's date is unknown here, so nothing
 * that depends on it is parsed: no "tomorrow", no missing year, no two-digit year.
 */

import { type Phrases, replyWords } from '../../core/reply-words.js';
import type { Vocabulary } from '../../core/wording/language.js';
import { dateOrderIn, weekdayNamed } from './locale-formats.js';

/** The language of the reply, and the person's locale if it is known. */
export interface Reader {
  readonly vocabulary: Vocabulary;
  readonly language: string;
  readonly locale: string | undefined;
}

/**
 * The possible meanings of a text: undefined if it does not have the form, an empty list if no such moment exists,
 * one, or several. Days are YYYY-MM-DD, moments YYYY-MM-DDTHH:MM, so they compare as strings.
 */
export type Meanings = readonly string[] | undefined;

/** True for a day that exists in the Gregorian calendar, with a four-digit year. */
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
  const after = withoutLead(rest, reader.vocabulary.dateLeads);
  const days = inFigures(after, reader) ?? inWords(after, reader);
  // the weekday must match the date
  return days?.filter((day) => new Date(`${day}T00:00:00Z`).getUTCDay() === weekday);
}

/** The text without the words that may stand before a day or an hour: "on the", "at", "um". */
export function withoutLead(text: string, leads: Phrases): string {
  const words = replyWords(text);
  const end = leads.endAt(words, 0);
  return end === undefined || end === words.words.length ? text : text.slice(words.words[end]?.from);
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
  // the order of the language, unless the person's country uses another
  const { dateOrder } = reader.vocabulary;
  const order = reader.locale === undefined || dateOrderIn(reader.locale) === dateOrder ? dateOrder : undefined;
  if (order === undefined) return [...new Set([...dayFirst, ...monthFirst])];
  return order === 'day-first' ? dayFirst : monthFirst;
}

/** Words between the parts of a date in any of the languages: "the 15th of November", "15 de noviembre de 2026". */
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

/** The day of the month from "15", "15th" or "fifth". */
function dayIn(word: string, { ordinals, ordinalEndings }: Vocabulary): string | undefined {
  const [, figures, ending = ''] = /^(\d{1,2})(\D*)$/.exec(word) ?? [];
  if (figures !== undefined) return ending === '' || ordinalEndings.has(ending) ? figures : undefined;
  const place = ordinals.get(word);
  return place === undefined ? undefined : String(place);
}
