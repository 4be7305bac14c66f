/**
 * Parses times of day, alone or beside a day. An hour that may be before or after noon has two meanings, and none is
 * chosen here. Times are local, without a zone.
 */

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
      const times = readTime(withoutLead(timeText, reader.vocabulary.timeLeads), reader.vocabulary, uses24);
      if (times === undefined) continue;
      const days = readDay(withoutLead(dayText, reader.vocabulary.dateLeads), reader);
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

const form =
  /^(\d{1,2})(?: ?(?:(heures?|h|uhr) ?(\d\d)|[:.](\d\d)(?::00)? ?(uhr|h)?| ?(uhr|heures?|h)))?(?: ?(\D.*))?$/;

/** `uses24` tells whether hours are counted to 24 here, so that 2:30 is at night. */
function readTime(text: string, vocabulary: Vocabulary, uses24: () => boolean): Meanings {
  const [, hour = '', divider = '', after, written24, unit = '', unitAlone = '', part] = form.exec(text) ?? [];
  if (hour === '') return undefined;
  const minute = after ?? written24 ?? '00';
  if (part !== undefined) return inPart(Number(hour), minute, compact(part), vocabulary);
  if (after === undefined && written24 === undefined && unitAlone === '') return undefined; // a number alone is no time
  if (Number(hour) > 23 || Number(minute) > 59) return [];
  const isSpoken = divider !== '' || /uhr|heure/.test(unit + unitAlone); // "2h30" and "2 Uhr" are times; "2h" alone may be a duration
  const isCounted = isSpoken || hour.startsWith('0') || Number(hour) > 12;
  return isCounted || uses24()
    ? [written(Number(hour), minute)]
    : [written(Number(hour) % 12, minute), written((Number(hour) % 12) + 12, minute)];
}

/** Reads an hour from 1 to 12 in a part of the day: "7 du soir". Undefined for an hour outside of the part; "12 de la mañana" has two meanings. */
function inPart(hour: number, minute: string, part: string, { dayParts }: Vocabulary): Meanings {
  const [, from, to] = dayParts.find(([phrase]) => compact(phrase) === part) ?? [];
  if (from === undefined || to === undefined || hour < 1 || hour > 12 || Number(minute) > 59) return undefined;
  const hours = [hour % 12, (hour % 12) + 12].filter((each) => each >= from && each <= to);
  return hours.length === 0 ? undefined : hours.map((each) => written(each, minute));
}

function written(hour: number, minute: string): string {
  return `${String(hour).padStart(2, '0')}:${minute}`;
}

/** Without dots and spaces: "p. m." and "pm" are the same. */
function compact(phrase: string): string {
  return phrase.replace(/[. ]/g, '');
}
