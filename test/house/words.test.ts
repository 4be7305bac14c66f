/** What the README and the map of src/ say is so. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read } from './repository.js';

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

test('scripts are found in prose and in blocks', () => {
  const readme = 'Run `npm install && npm start`, or npm test.\n```\nnpm run lint\nnpm run --silent pack-check\n```';
  expect(scriptsIn(readme)).toEqual(['lint', 'pack-check', 'start', 'test']);
});
