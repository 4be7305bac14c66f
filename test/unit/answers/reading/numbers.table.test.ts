/** How typed numbers are read: a wrong acceptance costs somebody money, a second question does not. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { number, numberType } from '../../../../src/answers/number.js';
import type { AnswerType } from '../../../../src/core/ask/answer-type.js';
import type { Json } from '../../../../src/core/json.js';
import { english } from '../../../../src/core/wording/english.js';
import { french } from '../../../../src/core/wording/french.js';
import { german } from '../../../../src/core/wording/german.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';
import { spanish } from '../../../../src/core/wording/spanish.js';
import { answerTypeContract } from '../../../../src/testing/answer-type-contract.js';
import { anyCharacter } from '../../../support/any-character.js';
import { growth, linear } from '../../../support/growth.js';
import { numberRows } from './numbers.table.js';
import { givenTo, isWellFormed, misread, toldIn, typedTo } from './rows.js';

const anyNumber = number('How much?');

test('every reply of the table is read as the number it means, or asked again', async () => {
  expect(numberRows.length).toBeGreaterThan(150);
  expect(await misread(anyNumber, numberRows)).toEqual([]);
});

/** In hundredths, so that nothing is lost on the way. */
const amounts = fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }).map((hundredths) => hundredths / 100);
const spaces = ['', ' ', '\u00a0', '\u2009', '\u202f', "'", '’'];

for (const { locale, words } of [english, german, french, spanish]) {
  test(`every number written as in ${locale} reads back as itself`, async () => {
    const groups = [words.decimal === '.' ? ',' : '.', ...spaces];
    await fc.assert(
      fc.asyncProperty(amounts, fc.constantFrom(...groups), fc.constantFrom('-', '−'), async (amount, group, minus) => {
        const [whole = '', decimals] = String(Math.abs(amount)).split('.');
        const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
        const written = decimals === undefined ? grouped : `${grouped}${words.decimal}${decimals}`;
        const parsed = await typedTo(anyNumber, amount < 0 ? `${minus}${written}` : written, locale);
        expect(parsed, written).toEqual({ ok: true, value: amount === 0 ? 0 : amount });
      }),
    );
  });
}

test('no text makes reading throw, and what comes back always has its form', async () => {
  const texts = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme' }), fc.string());
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom('en', 'de', 'fr', 'es', 'xx', '', '_'), async (text, locale) => {
      expect(isWellFormed(await typedTo(anyNumber, text, locale))).toBe(true);
    }),
  );
});

test('a text without figures and number words is never a number', async () => {
  const known = new Set(builtInLanguages.flatMap(({ words }) => words.numbers.flat()));
  const text = fc
    .string({ unit: 'grapheme', maxLength: 30 })
    .filter((each) => !/\p{N}/u.test(each.normalize('NFKC')))
    .filter((each) => ![...known].some((word) => each.normalize('NFKC').toLowerCase().includes(word)));
  await fc.assert(
    fc.asyncProperty(text, async (each) => {
      expect((await typedTo(anyNumber, each, 'en')).ok).toBe(false);
    }),
  );
});

test('a long reply is refused in linear time, whatever it is made of', async () => {
  for (const part of ['9', '1,', '1 ', '!', ' ', "'", '-', '５', '\u00a0', '👍']) {
    const read = (size: number) => typedTo(anyNumber, `${part.repeat(size / part.length)}x`, 'en');
    expect((await read(65_536)).ok).toBe(false);
    expect(await growth(read, 4_096), part).toBeLessThan(linear);
  }
});

test('somebody who writes a number out of range or not whole is told what fits, in their language', async () => {
  const seats = number('How many seats?', { min: 1, max: 12, integer: true });
  const told = async (reply: string, locale: string) => toldIn(await typedTo(seats, reply, locale), locale);
  expect(await told('13', 'en')).toBe('It must be between 1 and 12.');
  expect(await told('0', 'de')).toBe('Es muss zwischen 1 und 12 liegen.');
  expect(await told('-1', 'fr')).toBe('La réponse doit être comprise entre 1 et 12.');
  expect(await told('2,5', 'es')).toBe('Por favor, escriba un número entero, por ejemplo 1.');
  expect(await told('2.5', 'en')).toBe('Please write a whole number, for example 1.');
  expect(await told('some', 'en')).toBe('Please write a number, for example 1.');
  expect(await typedTo(seats, '13', 'en')).toMatchObject({ ok: false, why: 'not-valid' });
});

test('somebody whose number has two meanings is told both, and in the other convention how to write it', async () => {
  const told = async (reply: string, locale: string) => toldIn(await typedTo(anyNumber, reply, locale), locale);
  expect(await told('1,234', 'es-MX')).toBe('Eso podría significar 1234 o 1.2340.');
  expect(await told('1,5', 'en')).toBe('Please write a number, for example 1.5.');
  expect(await told('1.5', 'de')).toBe('Bitte schreiben Sie eine Zahl, zum Beispiel 1,5.');
  expect(await told('42?', 'en')).toBe('That looks like a question, but I need an answer first.');
  expect(await told('not 5', 'en')).toBe("Please say what you want, not what you don't want.");
});

test('every meaning that is shown can itself be typed, and then has only one', async () => {
  for (const locale of [undefined, 'es-MX', 'de-CH', 'fr-CH', 'fr-CA', 'it', 'en', 'de']) {
    for (const reply of ['1.234', '1,234', '-12,345', '100.000', '100,000']) {
      const [, ...shown] = /mean (\S+) or (\S+)\.$/.exec(toldIn(await typedTo(anyNumber, reply, locale), 'en')) ?? [];
      for (const each of shown) expect((await typedTo(anyNumber, each, locale)).ok, `${locale}: ${each}`).toBe(true);
    }
  }
});

test('a long limit is shown with its thousands apart as the person writes them, and can be typed', async () => {
  const price = number('What does it cost?', { max: 1_000_000 });
  const shown: string[] = [];
  for (const locale of ['en', 'de', 'fr', 'es', 'es-MX', 'de-CH', undefined]) {
    const limit = /\d.*\d/.exec(toldIn(await typedTo(price, '1000001', locale), locale))?.[0] ?? '';
    expect(await typedTo(price, limit, locale), limit).toEqual({ ok: true, value: 1_000_000 });
    shown.push(limit.replaceAll('’', "'")); // which of the two it is depends on the runtime
  }
  const [en, de, fr] = ['1,000,000', '1.000.000', '1\u202f000\u202f000'];
  expect(shown).toEqual([en, de, fr, de, fr, "1'000'000", en]);
});

test('a limit of four digits may be a year and stays as it is', async () => {
  const year = number('Which year?', { min: 1900, max: 2100 });
  expect(toldIn(await typedTo(year, '1899', 'en'), 'en')).toBe('It must be between 1900 and 2100.');
});

test('the example that is shown can itself be typed, in every language', async () => {
  const questions = [
    number('?!a'),
    number('a', { min: 0.5 }),
    number('a', { max: -2.5, integer: true }),
    number('a', { min: -7.25, max: 3, integer: true }),
    number('a', { example: 1234.5 }),
    number('a', { example: 1.234 }),
  ];
  for (const question of questions) {
    for (const locale of ['en', 'de', 'fr', 'es', 'es-MX', 'de-CH', 'fr-CA', undefined]) {
      const example = /(-?\d[\d.,]*)\.$/.exec(toldIn(await typedTo(question, 'x', locale), locale))?.[1] ?? '';
      expect((await typedTo(question, example, locale)).ok, `${locale}: ${example}`).toBe(true);
    }
  }
});

test('a program gives a number itself, and the same limits hold', async () => {
  const seats = number('How many seats?', { min: 0, max: 12, integer: true });
  expect(await givenTo(seats, 3)).toEqual({ ok: true, value: 3 });
  expect(await givenTo(seats, 0)).toEqual({ ok: true, value: 0 });
  expect(await givenTo(seats, -0)).toEqual({ ok: true, value: 0 });
  for (const value of [
    13,
    -1,
    2.5,
    '3',
    'three',
    true,
    null,
    [3],
    { value: 3 },
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]) {
    expect((await givenTo(seats, value)).ok, JSON.stringify(value)).toBe(false);
  }
});

test('a question that no number could answer is refused where it is made, by the option at fault', () => {
  const bad =
    (options: object): (() => unknown) =>
    () =>
      number('How much?', options);
  expect(bad({ min: 5, max: 4 })).toThrow(/min and max .* got min 5 and max 4/);
  expect(bad({ min: 1.2, max: 1.8, integer: true })).toThrow(/whole number between them/);
  expect(bad({ min: Number.NaN })).toThrow(/min must be a finite number, got NaN/);
  expect(bad({ max: Number.POSITIVE_INFINITY })).toThrow(/max must be a finite number, got Infinity/);
  expect(bad({ min: '5' })).toThrow(/min must be a finite number, got "5"/);
  expect(bad({ integer: 'yes' })).toThrow(/integer must be true or false, got "yes"/);
  expect(bad({ example: 'five' })).toThrow(/example must be a finite number/);
  expect(bad({ max: 3, example: 4 })).toThrow(/example must itself be an accepted answer, got 4/);
  expect(bad({ integer: true, example: 1.5 })).toThrow(/example must itself be an accepted answer/);
  expect(bad({ min: 5, max: 4 })).toThrow(expect.objectContaining({ code: 'bad-option' }));
});

test('it is drawn as a field for a number, and its data is plain', () => {
  const question = number('How much?', { min: 1, integer: true });
  expect(question.type.shape(question.data as never)).toEqual({ type: 'text', input: 'number' });
  expect(question.data).toEqual({ min: 1, integer: true, example: 1 });
});

answerTypeContract<number, Json>({
  test,
  type: numberType as unknown as AnswerType<number>, // its data as plain JSON, which is what is stored
  data: number('How much?', { min: -10, max: 2000 }).data,
  accepts: [
    { reply: '1,234', value: 1234 },
    { reply: '-5', value: -5 },
  ],
  refuses: ['', '2001', '-11', '1e3', 'ten or so'],
});
