/**
 * Every code block of the pages compiles as it is shown, and shows the lines of the file it names; every link leads
 * somewhere. That the programs print what the pages say is in snippets.long.test.ts, but for the pages read first.
 * One page, with both: npx vitest run test/house/docs/snippets -t docs/flows.md
 */
import { describe, expect, test } from 'vitest';
import { read } from '../repository.js';
import { deadLinks, hiddenComments, unlisted, wrongLanguages } from './page-rules.js';
import { blocksOf, pages, readFirst } from './pages.js';
import { compiler, excerptOf, expectNone, misprinted, misquotedIn, misshapen, programsOf } from './snippets.js';

const programs = new Map(pages.map((page) => [page, programsOf(blocksOf(page))]));
let compile: ReturnType<typeof compiler> | undefined;

describe.each(pages)('%s', (page) => {
  const own = programs.get(page) ?? [];

  test('every block compiles', () => {
    compile ??= compiler([...programs.values()].flat());
    expectNone([...misshapen(blocksOf(page)), ...own.flatMap(compile)]);
  });

  test('every block that names a file shows its lines', () => {
    expectNone(misquotedIn(blocksOf(page)));
  });

  test('nothing is hidden from the reader', () => {
    expectNone([...hiddenComments(page, read(page)), ...wrongLanguages(page, read(page))]);
  });

  test('every link leads to a file and a heading', () => {
    expectNone(deadLinks(page, read(page)));
  });
});

const indexes = pages.filter((page) => /^docs\/(?:.*\/)?README\.md$/.test(page));
test('docs/ has an index', () => expect(indexes).toContain('docs/README.md'));
test.each(indexes)('%s links to every page beside it', (index) => {
  expect(unlisted(index, read(index), pages)).toEqual([]);
});

test('CONTRIBUTING.md: every link leads to a file and a heading', () => {
  expectNone(deadLinks('CONTRIBUTING.md', read('CONTRIBUTING.md')));
});

test('few blocks are not compiled, or not run', () => {
  const marks = pages.flatMap(blocksOf).map((block) => block.marks);
  expect(marks.filter((mark) => mark.startsWith('no-check')).length).toBeLessThan(5);
  expect(marks.filter((mark) => mark.startsWith('no-run')).length).toBeLessThan(20);
});

test('the first program of the README is an example', () => {
  const [first] = blocksOf('README.md');
  expect(first && excerptOf(first)).toBe('examples/refund.ts');
});

test.each(readFirst)('%s: every program prints what the page shows', async (page) => {
  expectNone(await misprinted(programs.get(page) ?? []));
});
