/**
 * Parses times of day, alone or beside a day. An hour that may be before or after noon has two meanings, and none is
 * chosen here. Times are local, without a zone.
 */

import { english } from '../../core/wording/english.js';
import type { Vocabulary } from '../../core/wording/language.js';
import type { Meanings, Reader } from './calendar.js';
import { readDay, withoutLead } from './calendar.js';
import { uses24Hours } from './locale-formats.js';

/** Tries every split of the text into a day and a time; each that parses is a meaning. */
export function readMoment(text: string, reader: Reader): Meanings {
  let hasForm = false;
  const moments = new Set<string>();
  for (const [one, other] of divided(text)) {
    for (const [dayText, timeText] of [
      [one, other],
      [other, one],
    ] as const) {
      const uses24 = () => /^\d{4}[-/]/.test(dayText) || uses24Hours(reader.locale ?? reader.language);
      const times = readTime(withoutLead(timeText, reader.vocabulary), reader.vocabulary, uses24);
      if (times === undefined) continue;
      const days = readDay(withoutLead(dayText, reader.vocabulary), reader);
      if (days === undefined) continue;
      hasForm = true;
      for (const day of days) for (const time of times) moments.add(`${day}T${time}`);
    }
  }
  return hasForm ? [...moments] : undefined;
}

function divided(text: string): readonly (readonly [string, string])[] {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)t(\d.*)$/.exec(text) ?? [];
  if (day !== undefined && time !== undefined) return [[day, time]];
  return [...text.matchAll(/[\s,]+/g)].map((gap) => [text.slice(0, gap.index), text.slice(gap.index + gap[0].length)]);
}

const form = /^(\d{1,2})(?: ?(:|\.|heures?|h|uhr) ?(\d\d)(?::00)?)? ?(uhr|heures?|h)?(?: ?(\D.*))?$/;

/** `uses24` tells whether hours are counted to 24 here, so that 2:30 is at night. */
function readTime(text: string, vocabulary: Vocabulary, uses24: () => boolean): Meanings {
  const [, hour = '', divider, minute = '00', unit, half] = form.exec(text) ?? [];
  if (hour === '') return undefined;
  if (half !== undefined) return inHalf(Number(hour), minute, compact(half), vocabulary);
  if (divider === undefined && unit === undefined) return undefined; // a number alone is no time
  if (Number(hour) > 23 || Number(minute) > 59) return [];
  const isSpoken = /h/.test(divider ?? '') || /uhr|heure/.test(unit ?? ''); // "2h30" and "2 Uhr" are times; "2h" alone may be a duration
  const isCounted = isSpoken || hour.startsWith('0') || Number(hour) > 12;
  return isCounted || uses24()
    ? [written(Number(hour), minute)]
    : [written(Number(hour) % 12, minute), written((Number(hour) % 12) + 12, minute)];
}

function inHalf(hour: number, minute: string, half: string, { am, pm, before }: Vocabulary): Meanings {
  // "am" is also German for "on the": um 12 am 15.11.
  const isAm = has(am, half) && !before.includes(half);
  if (!isAm && !has(pm, half)) return undefined;
  if (hour < 1 || hour > 12 || Number(minute) > 59) return undefined;
  // "12 de la mañana" is noon to some and midnight to others; only "12 am" and "12 pm" are defined
  if (hour === 12 && !isEnglish(half)) return [written(0, minute), written(12, minute)];
  return [written((hour % 12) + (isAm ? 0 : 12), minute)];
}

function isEnglish(half: string): boolean {
  const { am, pm } = english.words;
  return has(am, half) || has(pm, half);
}

function written(hour: number, minute: string): string {
  return `${String(hour).padStart(2, '0')}:${minute}`;
}

function has(phrases: Iterable<string>, phrase: string): boolean {
  for (const each of phrases) if (compact(each) === phrase) return true;
  return false;
}

/** Without dots and spaces: "p. m." and "pm" are the same. */
function compact(phrase: string): string {
  return phrase.replace(/[. ]/g, '');
}
