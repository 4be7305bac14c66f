/** The corpus of replies: no reply is taken for an answer that it is not, and few clear ones are asked again. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CorpusRow, corpus, readAs } from './corpus.js';

const read = await Promise.all(corpus.map(async (row) => ({ ...row, got: await readAs(row) })));
const written = ({ language, question, reply, gives, got }: CorpusRow & { readonly got: string }): string =>
  `${language} ${question}: ${JSON.stringify(reply)} gives ${got}, not ${gives}`;

const wrong = read.filter(({ got, gives }) => got !== 'again' && got !== gives);
const clear = read.filter(({ gives, rated }) => gives !== 'again' && rated === 'must');
const repeated = clear.filter(({ got }) => got === 'again');

test('the corpus has 600 replies at the least, in four languages, each once', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(600);
  expect(new Set(corpus.map(({ language }) => language)).size).toBe(4);
  const names = corpus.map(({ language, question, reply }) => JSON.stringify([language, question, reply]));
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test('no reply is accepted wrongly', () => {
  expect(wrong.map(written)).toEqual([]);
});

test('docs/replies.md has these figures', () => {
  const page = readFileSync(new URL('../../../docs/replies.md', import.meta.url), 'utf8');
  const share = ((100 * repeated.length) / clear.length).toFixed(1);
  expect(page).toContain(`has ${corpus.length.toLocaleString('en')} replies in English, German, French and Spanish`);
  expect(page).toContain(`| replies accepted wrongly | ${wrong.length} |`);
  expect(page).toContain(`| clear *must* replies asked again | ${share} % |`);
});

test('of the clear replies at most 4 % are asked again', () => {
  const listed = repeated.map(written).join('\n');
  expect(repeated.length / clear.length, listed).toBeLessThanOrEqual(0.04);
});
