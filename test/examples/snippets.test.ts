/**
 * Every code block of the pages compiles as it is shown, prints what the page says, and shows the lines of the file it
 * names; every link leads somewhere. One page: npx vitest run test/examples/snippets.test.ts -t docs/flows.md
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { read } from '../house/repository.js';
import { deadLinks, hiddenComments, unlisted, wrongLanguages } from './page-rules.js';
import { blocksOf, pages } from './pages.js';
import { compiler, documentedExamples, excerptOf, misprinted, misquotedIn, misshapen, programsOf } from './snippets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const programs = new Map(pages.map((page) => [page, programsOf(blocksOf(page))]));
let compile: ReturnType<typeof compiler> | undefined;

/** Fails with the problems as they are, one below the other. */
function expectNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${problems.length} problems\n${problems.join('\n')}`);
}

describe.each(pages)('%s', (page) => {
  const own = programs.get(page) ?? [];

  test('every block compiles', () => {
    compile ??= compiler([...programs.values()].flat());
    expectNone([...misshapen(blocksOf(page)), ...own.flatMap(compile)]);
  });

  test('every block that names a file shows its lines', () => {
    expectNone(misquotedIn(blocksOf(page)));
  });

  test('every program prints what the page shows', async () => {
    expectNone(await misprinted(own));
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

test('TSDoc: every example of what any subpath exports compiles', () => {
  const { paths } = JSON.parse(read('tsconfig.json').replace(/^\s*\/\/.*$/gm, '')).compilerOptions;
  const doors: string[] = Object.values<string[]>(paths).map(([file = '']) => resolve(root, file));
  const { examples, program } = documentedExamples(doors);
  expect(examples.size).toBeGreaterThan(50);
  const all = [...examples].map(([name, blocks]) => [name, programsOf(blocks)] as const);
  const check = compiler(
    all.flatMap(([, own]) => own),
    program,
  );
  const problems = new Map(all.map(([name, own]) => [name, own.flatMap(check)]));
  expectNone([...problems].flatMap(([name, found]) => found.map((each) => `${name}: ${each}`)));
});

test('the first program of the README is an example', () => {
  const [first] = blocksOf('README.md');
  expect(first && excerptOf(first)).toBe('examples/refund.ts');
});
