/** Each optional package has one record, in the folder that needs it: package.json and the docs say the same of it. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { installLine, type OptionalPackage } from '../../src/core/optional-package.js';
import { read, sourceFiles } from './repository.js';
import { rowsOf } from './tables.js';

const isRecord = (value: unknown): value is OptionalPackage =>
  typeof value === 'object' && value !== null && 'name' in value && 'users' in value;

const folders = sourceFiles().filter(({ path }) => path.endsWith('/packages.ts'));
const exported: object[] = await Promise.all(folders.map(({ path }) => import(/* @vite-ignore */ `../../${path}`)));
const records = exported
  .flatMap((each) => Object.values(each).filter(isRecord))
  .sort((one, other) => (one.name < other.name ? -1 : 1));

test('package.json names each as an optional peer dependency, and no other', () => {
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(read('package.json'));
  const names = records.map(({ name }) => name);
  expect(names).toEqual(Object.keys(peerDependencies).sort());
  expect(peerDependenciesMeta).toEqual(Object.fromEntries(names.map((name) => [name, { optional: true }])));
});

test('docs/errors.md lists each, with what needs it and the line that installs it', () => {
  const rows = records.map((each) => {
    const users = each.users.map((user) => `\`${user}\``).join(', ');
    return [`\`${each.name}\``, [users, each.purpose].join(' ').trim(), `\`${installLine(each)}\``];
  });
  expect(rowsOf('docs/errors.md', 'package')).toEqual(rows);
});

test('a row of docs about a missing package installs packages that there are', () => {
  const known = new Set(records.flatMap(({ name, install = [name] }) => install));
  const lines = readdirSync(new URL('../../docs/', import.meta.url))
    .filter((name) => name.endsWith('.md') && name !== 'errors.md')
    .flatMap((name) => read(`docs/${name}`).split('\n'))
    .filter((line) => line.startsWith('| `missing-package`'));
  const installed = lines.flatMap((line) => /`npm install ([^`]+)`/.exec(line)?.[1]?.split(' ') ?? []);
  expect(installed.length).toBeGreaterThan(0);
  expect(installed.filter((name) => !known.has(name))).toEqual([]);
});
