/** The corpus of replies: no reply is taken for an answer that it is not, and few clear ones are asked again. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CorpusRow, corpus, ordinary, readAs } from './corpus.js';

const written = ({ language, question, reply, gives, got }: CorpusRow & { readonly got: string }): string =>
  `${language} ${question}: ${JSON.stringify(reply)} gives ${got}, not ${gives}`;

async function read(rows: readonly CorpusRow[]) {
  const all = await Promise.all(rows.map(async (row) => ({ ...row, got: await readAs(row) })));
  const wrong = all.filter(({ got, gives }) => got !== 'again' && got !== gives);
  const clear = all.filter(({ gives, rated }) => gives !== 'again' && rated === 'must');
  const repeated = clear.filter(({ got }) => got === 'again');
  return { wrong, clear, repeated, share: repeated.length / clear.length };
}

const own = await read(corpus);
const unseen = await read(ordinary);

test('the corpus has 600 replies at the least, in four languages, each once', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(600);
  expect(new Set(corpus.map(({ language }) => language)).size).toBe(4);
  const names = corpus.map(({ language, question, reply }) => JSON.stringify([language, question, reply]));
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test('no reply is accepted wrongly', () => {
  expect([...own.wrong, ...unseen.wrong].map(written)).toEqual([]);
});

test('docs/replies.md has these figures', () => {
  const page = readFileSync(new URL('../../../../docs/replies.md', import.meta.url), 'utf8');
  const count = (rows: readonly CorpusRow[]) => rows.length.toLocaleString('en');
  const percent = (share: number, digits: number) => `${(100 * share).toFixed(digits)} %`;
  expect(page).toContain(`has ${count(corpus)} replies in English, German, French and Spanish`);
  expect(page).toContain(`\`ordinary/\` has ${count(ordinary)} more`);
  expect(page).toContain(`| replies accepted wrongly | ${own.wrong.length} | ${unseen.wrong.length} |`);
  expect(page).toContain(
    `| clear *must* replies asked again | ${percent(own.share, 1)} | ${percent(unseen.share, 0)} |`,
  );
});

test('of the clear replies at most 4 % are asked again', () => {
  expect(own.share, own.repeated.map(written).join('\n')).toBeLessThanOrEqual(0.04);
});
