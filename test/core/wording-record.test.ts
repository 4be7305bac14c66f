/** What every language says and understands, word for word, as it was before the languages became data. */
import { expect, test } from 'vitest';
import { builtInLanguages } from '../../src/core/wording/languages.js';
import type { Wording } from '../../src/core/wording/wording.js';

const anna = { id: 'web:7', name: 'Anna «A.» {by}' };
const nameless = { id: 'web:8' };
const counts = [0, 1, 2, 5, 21, 1_000, 12_345, 1_000_000];
const lists = [[], ['small'], ['small', 'L, $& {labels}', 'large']];
const texts = ['', 'Which $1 size? {question}', 'two\nlines'];
const maybe = [undefined, 'AB-12'];

const all = (...places: readonly (readonly unknown[])[]): unknown[][] =>
  places.reduce<unknown[][]>((rows, place) => rows.flatMap((row) => place.map((each) => [...row, each])), [[]]);

/** What the sentences that are given something are called with. */
const calls: { readonly [name in keyof Wording]?: readonly (readonly unknown[])[] } = {
  notUnderstood: all(texts, texts),
  notValid: all(texts, texts),
  already: all([undefined, anna, nameless]),
  invalid: all(texts),
  reminder: all(texts),
  handedToYou: all([anna, nameless], texts, [undefined, '', 'I am “away”, «out» and "off".']),
  handedOver: all([anna, nameless]),
  handOverTooFew: all(counts.slice(0, 6), counts.slice(0, 6)),
  handOverTooOften: all(counts.slice(0, 6)),
  voted: all(counts.slice(0, 6), counts.slice(0, 6)),
  pickOne: all(lists),
  pickSeveral: all(lists, counts.slice(0, 6), counts.slice(0, 6)),
  ambiguous: all(lists),
  tooShort: all(counts),
  tooLongText: all(counts),
  wrongPattern: all(maybe),
  needNumber: all(texts),
  needWhole: all(texts),
  outOfRange: all(['1', '0', undefined], ['9', undefined]),
  outOfDates: all(['2026-01-01', undefined], ['2026-12-31', undefined]),
  needDate: all(texts),
  needEmail: all(texts),
  missing: all(lists),
  allow: all(texts),
  approved: all(['once', 'session', undefined]),
  timeOf: all(texts),
  openUntil: all([...texts, '{time}']),
  votesSoFar: all(counts.slice(0, 6), counts.slice(0, 6)),
  ended: all(['answered', 'declined', 'exhausted', 'expired', 'cancelled'], [undefined, anna, nameless]),
};

test.each(builtInLanguages.map((language) => [language.locale, language] as const))('%s', async (locale, language) => {
  const { wording, words } = language;
  const said = (Object.keys(wording) as (keyof Wording)[]).sort().flatMap((name) => {
    const say = wording[name] as (...about: readonly unknown[]) => string;
    return (calls[name] ?? [[]]).map(
      (about) => `${name}(${about.map((each) => JSON.stringify(each)).join(', ')}) ${JSON.stringify(say(...about))}`,
    );
  });
  const understood = Object.entries(words)
    .sort()
    .map(([name, list]) => `${name} ${JSON.stringify(list)}`);
  await expect([...said, '', ...understood, ''].join('\n')).toMatchFileSnapshot(`wording-record/${locale}.txt`);
});
