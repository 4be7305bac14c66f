/** Checks the names that texts of the repository give: npm scripts, files of src/, and files of test/. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesIn, read } from './repository.js';

/** Paths below test/, as a text names them: files, files without their ending, folders and patterns. */
function testPathsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w.-])test(?:\/[\w.*-]*[\w*])+/g)].map(([path]) => path);
}

/** A pattern leads somewhere if a file stands below the folder that it begins with. */
function leadsTo(path: string, files: readonly string[]): boolean {
  const named = path.replace(/\/[^/]*\*.*$/, '').replace(/\.js$/, '.ts');
  return files.some((file) => file === named || file.startsWith(`${named}/`) || file.startsWith(`${named}.`));
}

function scriptsIn(readme: string): string[] {
  const named = [...readme.matchAll(/\bnpm run (?:--?[\w-]+ )*([\w:-]+)/g)].map((match) => match[1] ?? '');
  const short = [...readme.matchAll(/\bnpm (test|start)\b/g)].map((match) => match[1] ?? '');
  return [...new Set([...named, ...short])];
}

test('every npm script it names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = scriptsIn(read('README.md'));
  expect(named).toEqual(expect.arrayContaining(['start', 'test']));
  expect(named.filter((name) => !scripts[name])).toEqual([]);
});

test('every file that the map of src/ links to exists', () => {
  const linked = [...read('src/README.md').matchAll(/\]\(([^)#]+)/g)].map((match) => match[1] ?? '');
  expect(linked).not.toEqual([]);
  expect(linked.filter((path) => !existsSync(new URL(`../../src/${path}`, import.meta.url)))).toEqual([]);
});

const roots = ['.ci', '.github', 'bench', 'docs', 'etc', 'examples', 'scripts', 'src', 'test'];
const pages = ['CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'package.json', 'vitest.config.ts'];

test('every path of a test that a text names exists', () => {
  const files = filesIn('test');
  const texts = [...pages, ...roots.flatMap(filesIn)].filter((path) => /run$|\.(md|m?ts|mjs|json|yml)$/.test(path));
  const named = texts.flatMap((text) => testPathsIn(read(text)).map((path) => ({ text, path })));
  expect(named).toContainEqual({ text: 'vitest.config.ts', path: 'test/support/seed.ts' });
  expect(named.filter(({ path }) => !leadsTo(path, files))).toEqual([]);
});

test('paths of tests are found in prose, in links and in patterns', () => {
  const text =
    'See [it](../test/house/words.test.ts), `test/house/words` or test/house. Not my-test/house, latest/house.';
  expect(testPathsIn(text)).toEqual(['test/house/words.test.ts', 'test/house/words', 'test/house']);
  expect(testPathsIn(`['test/house/**/*.test.ts', 'test/house/*']`)).toEqual([
    'test/house/**/*.test.ts',
    'test/house/*',
  ]);
});

test('a path of a test leads to a file, a file without its ending, a folder, or nowhere', () => {
  const files = ['test/house/words.test.ts', 'test/support/seed.ts'];
  const leads = (path: string) => leadsTo(`test/${path}`, files);
  const right = ['house/words.test.ts', 'house/words', 'house', '**/*.ts', 'support/seed.js'];
  expect(right.filter((path) => !leads(path))).toEqual([]);
  expect(['hou', 'house/word', 'rooms/*.test.ts', 'house/seed.ts'].filter(leads)).toEqual([]);
});

test('scripts are found in prose and in blocks', () => {
  const readme = 'Run `npm install && npm start`, or npm test.\n```\nnpm run lint\nnpm run --silent pack-check\n```';
  expect(scriptsIn(readme)).toEqual(['lint', 'pack-check', 'start', 'test']);
});
