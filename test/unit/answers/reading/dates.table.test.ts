/** How typed days and times are read: never from today's date, never one of two. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { date, dateType } from '../../../../src/answers/date.js';
import type { AnswerType } from '../../../../src/core/ask/answer-type.js';
import type { Json } from '../../../../src/core/json.js';
import { english } from '../../../../src/core/wording/english.js';
import { french } from '../../../../src/core/wording/french.js';
import { german } from '../../../../src/core/wording/german.js';
import { spanish } from '../../../../src/core/wording/spanish.js';
import { answerTypeContract } from '../../../../src/testing/answer-type-contract.js';
import { anyCharacter } from '../../../support/any-character.js';
import { growth, linear } from '../../../support/growth.js';
import { dayRows, momentRows } from './dates.table.js';
import { givenTo, isWellFormed, misread, toldIn, typedTo } from './rows.js';

const anyDay = date('Which day?');
const anyMoment = date('Which day, and at what time?', { time: true });

test('every reply of the tables is read as the day or moment it means, or asked again', async () => {
  expect(dayRows.length + momentRows.length).toBeGreaterThan(150);
  expect(await misread(anyDay, dayRows)).toEqual([]);
  expect(await misread(anyMoment, momentRows)).toEqual([]);
});

const days = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10));

/** A day in every form that its language has, by the language's own names. */
function forms(day: string, locale: string, months: readonly (readonly string[])[]): readonly string[] {
  const [year = '', month = '', of = ''] = day.split('-');
  const [d, m] = [String(Number(of)), String(Number(month))];
  const named = (months[Number(m) - 1] ?? []).flatMap((name) => [
    `${d} ${name} ${year}`,
    `${d}. ${name}. ${year}`,
    `${name} ${d}, ${year}`,
    `${d} de ${name} de ${year}`,
    `the ${d}th of ${name} ${year}`,
  ]);
  const long = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(day));
  const slashes = locale === 'en' ? [] : [`${of}/${month}/${year}`, `${d}-${m}-${year}`];
  return [day, `${year}/${month}/${of}`, `${d}.${m}.${year}`, `${of}. ${month}. ${year}`, long, ...slashes, ...named];
}

for (const { locale, words } of [english, german, french, spanish]) {
  test(`every day written as in ${locale} reads back as itself, alone and with a time`, async () => {
    const time = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((n) => String(n).padStart(2, '0')));
    await fc.assert(
      fc.asyncProperty(days, time, async (day, [hour = '', minute = '']) => {
        for (const form of forms(day, locale, words.months)) {
          expect(await typedTo(anyDay, form, locale), form).toEqual({ ok: true, value: day });
          const moment = { ok: true, value: `${day}T${hour}:${minute}` };
          const clock = `${Number(hour) % 12 === 0 ? 12 : Number(hour) % 12}:${minute} ${Number(hour) < 12 ? 'a.m.' : 'p.m.'}`;
          for (const at of [`${hour}h${minute}`, `${hour}.${minute} Uhr`, ...(locale === 'de' ? [] : [clock])]) {
            expect(await typedTo(anyMoment, `${form}, ${at}`, locale), `${form}, ${at}`).toEqual(moment);
            expect(await typedTo(anyMoment, `${at} ${form}`, locale), `${at} ${form}`).toEqual(moment);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
}

test('no text makes reading throw, and what comes back always has its form', async () => {
  const texts = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme' }), fc.string());
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom('en', 'de', 'fr', 'es', 'xx', '', '_'), async (text, locale) => {
      for (const question of [anyDay, anyMoment]) {
        expect(isWellFormed(await typedTo(question, text, locale))).toBe(true);
      }
    }),
  );
});

test('scraps of dates in any order are never read as a day that is not written there', async () => {
  const scrap = fc.constantFrom(
    '15',
    '16',
    '11',
    '2026',
    'Nov',
    'May',
    '/',
    '-',
    '.',
    ' ',
    ',',
    'of',
    'the',
    '2pm',
    '14:30',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(scrap, { maxLength: 9 }), async (scraps) => {
      const text = scraps.join('');
      const parsed = await typedTo(anyDay, text, 'en');
      if (!parsed.ok) return;
      expect(parsed.value, text).toMatch(/^(2026|1[1-6]1[1-6])-(11|05)-(15|16|11)$/);
      expect(text).toContain(parsed.value.slice(0, 4));
    }),
    { numRuns: 2000 },
  );
});

test('a text without figures is never a day', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((each) => !/\p{N}/u.test(each.normalize('NFKC')));
  await fc.assert(
    fc.asyncProperty(text, async (each) => {
      expect((await typedTo(anyDay, each, 'en')).ok || (await typedTo(anyMoment, each, 'de')).ok).toBe(false);
    }),
  );
});

test('a long reply is refused in linear time, whatever it is made of', async () => {
  for (const part of ['9', '1/', '1 ', ', ', '15 nov 2026 ', '!', '١']) {
    const read = (size: number) => typedTo(anyMoment, `${part.repeat(size / part.length)}`, 'en');
    expect((await read(65_536)).ok).toBe(false);
    expect(await growth(read, 4_096), part).toBeLessThan(linear);
  }
});

test('somebody is told what is wrong with a day, in their language', async () => {
  const told = async (reply: string, locale: string, question = anyDay) =>
    toldIn(await typedTo(question, reply, locale), locale);
  expect(await told('04/05/2026', 'en')).toBe('That could mean 2026-05-04 or 2026-04-05.');
  expect(await told('31 April 2026', 'en')).toBe('There is no such date.');
  expect(await told('30.02.2026', 'de')).toBe('Dieses Datum gibt es nicht.');
  expect(await told('demain', 'fr')).toBe('Veuillez écrire la date en entier, par exemple 2027-03-25.');
  expect(await told('15 Nov 2026, 2:30', 'en', anyMoment)).toBe(
    'That could mean 2026-11-15 02:30 or 2026-11-15 14:30.',
  );
  const soon = date('When?', { min: '2026-11-15', max: '2026-11-30' });
  expect(await told('1 dic 2026', 'es', soon)).toBe('La fecha debe estar entre el 2026-11-15 y el 2026-11-30.');
  expect(await typedTo(soon, '2026-11-30', 'en')).toEqual({ ok: true, value: '2026-11-30' });
  expect(await typedTo(soon, '2026-11-14', 'en')).toMatchObject({ why: 'not-valid' });
});

test('the example that is shown can itself be typed, in every language', async () => {
  const questions = [
    anyDay,
    anyMoment,
    date('a', { time: true, min: '2030-04-05T06:07' }),
    date('a', { max: '2001-02-03' }),
  ];
  for (const question of questions) {
    for (const locale of ['en', 'de', 'fr', 'es']) {
      const example = /(\d{4}.*)\.$/.exec(toldIn(await typedTo(question, 'x', locale), locale))?.[1] ?? '';
      expect((await typedTo(question, example, locale)).ok, `${locale}: ${example}`).toBe(true);
    }
  }
});

test('a program gives exactly the stored form, and the same limits hold', async () => {
  expect(await givenTo(anyDay, '2028-02-29')).toEqual({ ok: true, value: '2028-02-29' });
  expect(await givenTo(anyMoment, '2026-11-15T23:59')).toEqual({ ok: true, value: '2026-11-15T23:59' });
  for (const value of [
    '15.11.2026',
    '2026-11-15 ',
    '2026-1-5',
    '2026-02-30',
    '2026-11-15T14:30',
    '',
    null,
    20261115,
    [],
    {},
  ]) {
    expect((await givenTo(anyDay, value)).ok, JSON.stringify(value)).toBe(false);
  }
  for (const value of ['2026-11-15', '2026-11-15 14:30', '2026-11-15T24:00', '2026-11-15T14:30Z', '2026-11-15T14:60']) {
    expect((await givenTo(anyMoment, value)).ok, value).toBe(false);
  }
  expect((await givenTo(date('When?', { max: '2026-01-01' }), '2026-01-02')).ok).toBe(false);
});

test('a question that no day could answer is refused where it is made, by the option at fault', () => {
  const bad =
    (options: object): (() => unknown) =>
    () =>
      date('When?', options);
  expect(bad({ min: '2026-11-16', max: '2026-11-15' })).toThrow(/min 2026-11-16 is after max 2026-11-15/);
  expect(bad({ min: '15.11.2026' })).toThrow(/min must be a real date as YYYY-MM-DD, got "15.11.2026"/);
  expect(bad({ max: '2026-02-30' })).toThrow(/max must be a real date as YYYY-MM-DD/);
  expect(bad({ time: true, min: '2026-11-15' })).toThrow(/min must be a real date as YYYY-MM-DDTHH:MM/);
  expect(bad({ time: 'yes' })).toThrow(/time must be true or false, got "yes"/);
  expect(bad({ max: '2026-01-01', example: '2026-01-02' })).toThrow(/example must itself be an accepted answer/);
  expect(bad({ min: 5 })).toThrow(expect.objectContaining({ code: 'bad-option' }));
});

test('it is drawn as a field for a day or a moment', () => {
  expect(anyDay.type.shape(anyDay.data as never)).toEqual({ type: 'text', input: 'date' });
  expect(anyMoment.type.shape(anyMoment.data as never)).toEqual({ type: 'text', input: 'datetime' });
});

answerTypeContract<string, Json>({
  test,
  type: dateType as unknown as AnswerType<string>, // its data as plain JSON, which is what is stored
  data: anyMoment.data,
  accepts: [{ reply: '15 Nov 2026, 2pm', value: '2026-11-15T14:00' }],
  refuses: ['', '15 Nov 2026', '14:00', '2026-02-30 14:00'],
});
