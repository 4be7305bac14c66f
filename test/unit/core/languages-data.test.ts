/** The files of the languages: a language has what English has, and its sentences become the text that their forms and places say. */
import { expect, test } from 'vitest';
import type { LanguageData } from '../../../src/core/wording/data.js';
import { languageOf } from '../../../src/core/wording/language.js';
import { de } from '../../../src/core/wording/languages/de.js';
import { en } from '../../../src/core/wording/languages/en.js';
import { es } from '../../../src/core/wording/languages/es.js';
import { fr } from '../../../src/core/wording/languages/fr.js';
import { builtInLanguages } from '../../../src/core/wording/languages.js';
import { formsOf, placeForm, type Sentence, speaker } from '../../../src/core/wording/sentence.js';

const categories = ['zero', 'one', 'two', 'few', 'many', 'other'];
const isOfNumbers = (form: string) => /^\d+$/.test(form) || categories.includes(form);

/** The places of a sentence, each with all its forms. */
function placesOf(sentence: Sentence): ReadonlyMap<string, ReadonlySet<string>> {
  const places = new Map<string, Set<string>>();
  for (const [, name = '', behindBar] of [sentence].flat().flatMap((text) => [...text.matchAll(placeForm)]))
    places.set(name, new Set([...(places.get(name) ?? []), ...(formsOf(behindBar)?.keys() ?? [])]));
  return places;
}

/** The forms that a place of a sentence lacks: those of numbers by the plurals of its language, all others beside the same place in English. */
function formsLacking(forms: ReadonlySet<string>, like: ReadonlySet<string>, locale: string): readonly string[] {
  if (forms.size === 0) return [];
  if (![...forms].every(isOfNumbers)) return [...like].filter((form) => !forms.has(form));
  const plural = new Intl.PluralRules(locale);
  const uncovered = Array.from({ length: 200 }, (_, i) => i + 1).filter((count) => !forms.has(`${count}`));
  return [...new Set(uncovered.map((count) => plural.select(count)))].filter((form) => !forms.has(form));
}

/** What a language lacks beside another one: sentences, places, forms, lists; and the places that the other does not have. */
function lacks({ locale, sentences, words }: LanguageData, like: LanguageData): readonly string[] {
  const said = Object.entries(like.sentences).flatMap(([name, sentence]) => {
    const own = sentences[name];
    if (own === undefined) return [`sentence ${name}`];
    const [places, needed] = [placesOf(own), placesOf(sentence)];
    return [
      ...[...needed.keys()].filter((place) => !places.has(place)).map((place) => `${name}: {${place}}`),
      ...[...places.keys()].filter((place) => !needed.has(place)).map((place) => `${name}: {${place}} is unknown`),
      ...[...places].flatMap(([place, forms]) =>
        formsLacking(forms, needed.get(place) ?? new Set(), locale).map((form) => `${name}: {${place}|${form}=…}`),
      ),
    ];
  });
  const lists = Object.keys(like.words).filter((name) => name !== 'unlikeEnglish');
  return [...said, ...lists.filter((name) => !words[name as keyof typeof words]?.trim()).map((name) => `list ${name}`)];
}

test.each([de, en, es, fr].map((data) => [data.locale, data] as const))('%s lacks nothing', (_, data) => {
  expect(lacks(data, en)).toEqual([]);
});

test('what a language lacks is listed: sentences, places, plural forms, other forms, lists', () => {
  const polish: LanguageData = {
    ...en,
    locale: 'pl',
    sentences: {
      ...en.sentences,
      declined: undefined as unknown as Sentence,
      pickSeveral: ['{exactly} z {labels}', 'Najwyżej {atMost} z {labels}', '{least}–{most} z {labels}'],
      tooLongText: 'Najwyżej {most} zn.',
      reminder: 'To pytanie jest nadal otwarte.',
      allow: 'Zezwolić na {toll} ({tool})?',
      tooShort: 'Proszę wpisać co najmniej {least|one=# znak|few=# znaki|other=# znaków}.',
      approved: ['Zatwierdzono{how|once= jednorazowo}.', 'Zatwierdzono.'],
    },
    words: { ...en.words, closings: ' ' },
  };
  expect(lacks(polish, en)).toEqual([
    'sentence declined',
    'reminder: {question}',
    'tooShort: {least|many=…}',
    'allow: {toll} is unknown',
    'approved: {how|session=…}',
    'list closings',
  ]);
});

test('each file is a language that every registry knows', () => {
  expect(builtInLanguages.map(({ locale }) => locale)).toEqual(['en', 'de', 'fr', 'es']);
});

test('a plural form is chosen by the rules of the language, a form for the number itself before it', () => {
  const inPolish = speaker('pl', ' ');
  const sentence = 'Co najmniej {least|1=jeden znak|one=# znak|few=# znaki|many=# znaków}.';
  expect([1, 3, 5, 22, 25_000].map((least) => inPolish(sentence, { least }))).toEqual([
    'Co najmniej jeden znak.',
    'Co najmniej 3 znaki.',
    'Co najmniej 5 znaków.',
    'Co najmniej 22 znaki.',
    'Co najmniej 25 000 znaków.',
  ]);
});

test('of several texts the first is said whose places can all be filled', () => {
  const say = speaker('en', ',');
  const sentence = ['{how|answered=Answered} by {by}', '{how|answered=Answered|expired=Expired}', 'Over'];
  expect(say(sentence, { how: 'answered', by: 'Berta' })).toBe('Answered by Berta');
  expect(say(sentence, { how: 'answered', by: undefined })).toBe('Answered');
  expect(say(sentence, { how: 'expired', by: 'Berta' })).toBe('Expired');
  expect(say(sentence, { how: undefined, by: 'Berta' })).toBe('Over');
});

test('the items of a list stand between commas, or between what the place says', () => {
  const say = speaker('en', ',');
  expect(say('{all}; {all| or }', { all: ['1.5', '15', '150'] })).toBe('1.5, 15, 150; 1.5 or 15 or 150');
});

test('what people wrote is never read as a place', () => {
  expect(speaker('en', ',')('{question} {n|other=#}', { question: '{n} $& #', n: 7 })).toBe('{n} $& # 7');
});

test('a phrase with a comma stands in quotation marks, and semicolons divide what has several forms', () => {
  const words = { ...en.words, no: 'nee, "nee, dank u", niet', ordinals: 'eerste, 1e; tweede' };
  const { no, ordinals } = languageOf({ ...en, words }).words;
  expect([no, ordinals]).toEqual([
    ['nee', 'nee, dank u', 'niet'],
    [['eerste', '1e'], ['tweede']],
  ]);
});
