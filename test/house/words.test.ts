/** What the README and the map of src/ say is so. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read } from './repository.js';

/** The first cells of every table whose first column is headed "code". */
function codesIn(readme: string): string[] {
  const codes: string[] = [];
  let inTable = false;
  for (const line of readme.split('\n')) {
    const first = /^\s*\|([^|]*)\|/.exec(line)?.[1]?.trim();
    if (first === undefined) inTable = false;
    else if (/^`?code`?$/i.test(first)) inTable = true;
    else if (inTable && !/^:?-+:?$/.test(first)) codes.push(first.replaceAll('`', ''));
  }
  return codes;
}

function scriptsIn(readme: string): string[] {
  const named = [...readme.matchAll(/\bnpm run (?:--?[\w-]+ )*([\w:-]+)/g)].map((match) => match[1] ?? '');
  const short = [...readme.matchAll(/\bnpm (test|start)\b/g)].map((match) => match[1] ?? '');
  return [...new Set([...named, ...short])];
}

test('the error table explains every code, and no other', async () => {
  const { errorCodes } = await import('../../src/core/errors.js');
  expect(codesIn(read('README.md')).sort()).toEqual(Object.keys(errorCodes).sort());
});

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

test('codes are read from the table of codes only', () => {
  const readme =
    '| word | means |\n|---|---|\n| ask | a question |\n\n| code | means |\n|:--|---|\n| `no-turn` | x |\n| crashed | y |\n\nand `other`';
  expect(codesIn(readme)).toEqual(['no-turn', 'crashed']);
});

test('scripts are found in prose and in blocks', () => {
  const readme = 'Run `npm install && npm start`, or npm test.\n```\nnpm run lint\nnpm run --silent pack-check\n```';
  expect(scriptsIn(readme)).toEqual(['lint', 'pack-check', 'start', 'test']);
});
