/**
 * Every program of the pages prints what its page shows, and the examples in the comments of the source compile.
 * One page: npx vitest run test/house/docs/snippets -t docs/flows.md
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { read } from '../repository.js';
import { blocksOf, pages, readFirst } from './pages.js';
import { compiler, documentedExamples, expectNone, misprinted, programsOf } from './snippets.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test.each(pages.filter((page) => !readFirst.includes(page)))(
  '%s: every program prints what the page shows',
  async (page) => {
    expectNone(await misprinted(programsOf(blocksOf(page))));
  },
);

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
