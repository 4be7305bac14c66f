/** The checks before a release find what they are for, and the workflows call them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { read } from './repository.js';

const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url));

/** Runs a script in a folder that has these files. */
function check(script: string, args: readonly string[], files: Readonly<Record<string, unknown>>, path = '') {
  const folder = mkdtempSync(join(tmpdir(), 'askback-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(scripts, script), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, path)}:${process.env.PATH}` },
  });
  return { status, said: stdout + stderr };
}

const manifest = { version: '1.2.3', repository: 'github:owner/name' };
const changelog = '# Changelog\n\n## [1.2.3] - 2026-12-01\n\n### Added\n\n- A thing.\n\n## [1.2.2] - 2026-11-01\n';

test('a release with its tag, its repository and its dated changelog entry may be published', () => {
  const { status, said } = check('release-check.mjs', ['v1.2.3'], {
    'package.json': manifest,
    'CHANGELOG.md': changelog,
  });
  expect([status, said]).toEqual([0, 'release: v1.2.3 may be published\n']);
});

test.each([
  ['another tag', 'v1.2.4', manifest, changelog, /the tag is "v1\.2\.4", and package\.json has 1\.2\.3/],
  ['no repository', 'v1.2.3', { version: '1.2.3' }, changelog, /package\.json has no repository/],
  [
    'no entry',
    'v1.2.3',
    manifest,
    '# Changelog\n\n## [1.2.2] - 2026-11-01\n\n- A thing.\n',
    /has no entry "## \[1\.2\.3\]/,
  ],
  ['no date', 'v1.2.3', manifest, changelog.replace('2026-12-01', 'Unreleased'), /the entry of 1\.2\.3 has no date/],
  ['an empty entry', 'v1.2.3', manifest, changelog.replace('- A thing.', ''), /names no change/],
])('a release with %s is refused', (_, tag, packageJson, text, why) => {
  const { status, said } = check('release-check.mjs', [tag], { 'package.json': packageJson, 'CHANGELOG.md': text });
  expect(said).toMatch(why);
  expect(status).toBe(1);
});

test('a licence that is not allowed is found, however deep the package is', () => {
  const files = {
    'package.json': { name: 'home', dependencies: { a: '1' }, peerDependencies: { c: '1' } },
    'node_modules/a/package.json': {
      name: 'a',
      version: '1.0.0',
      license: '(MIT OR GPL-3.0)',
      dependencies: { b: '1' },
    },
    'node_modules/a/node_modules/b/package.json': { name: 'b', version: '2.0.0', license: 'AGPL-3.0' },
    'node_modules/c/package.json': { name: 'c', version: '3.0.0', license: 'MIT' },
    'node_modules/unused/package.json': { name: 'unused', version: '1.0.0', license: 'AGPL-3.0' },
  };
  const { status, said } = check('licences.mjs', [], files);
  expect(said).toMatch(/^licences: b 2\.0\.0 has the licence AGPL-3\.0, which is not allowed\n/);
  expect(said).not.toMatch(/unused/);
  expect(status).toBe(1);
  const mended = {
    ...files,
    'node_modules/a/node_modules/b/package.json': { name: 'b', version: '2.0.0', license: 'ISC' },
  };
  expect(check('licences.mjs', [], mended)).toEqual({ status: 0, said: 'licences: 3 packages, all of them allowed\n' });
});

/** An `npm` that prints this, for the script that asks it. */
const npm = (report: object) => ({ 'bin/npm': `#!/bin/sh\ncat <<'END'\n${JSON.stringify(report)}\nEND\n` });

test('a known vulnerability fails the audit', () => {
  const via = [{ title: 'Prototype pollution', url: 'https://example.org/1' }];
  const found = npm({ vulnerabilities: { a: { name: 'a', severity: 'high', range: '<2', via } } });
  const { status, said } = check('audit.mjs', [], found, 'bin');
  expect(said).toMatch(/^audit: a <2, high: Prototype pollution \(https:\/\/example\.org\/1\)\n/);
  expect(status).toBe(1);
  expect(check('audit.mjs', [], npm({ vulnerabilities: {} }), 'bin').status).toBe(0);
});

test('a registry that answers no audit is said, and fails only before a release', () => {
  const silent = npm({ message: '405 Method Not Allowed' });
  const { status, said } = check('audit.mjs', [], silent, 'bin');
  expect(said).toMatch(/^audit: NOT DONE\. The registry does not answer: 405 Method Not Allowed\n/);
  expect(status).toBe(0);
  expect(check('audit.mjs', ['--required'], silent, 'bin').status).toBe(1);
});

test('the workflows check every supported release of Node, and a release before it is published', () => {
  const ci = read('.github/workflows/ci.yml');
  const release = read('.github/workflows/release.yml');
  const tried = /node: \[(.+)\]/.exec(ci)?.[1]?.split(', ') ?? [];
  const others = [...(/\['(\d+)', '(\d+)'\]/.exec(read('scripts/nodes.mjs')) ?? [])].slice(1);
  const lowest = /(\d+)/.exec(JSON.parse(read('package.json')).engines.node)?.[1];
  expect(tried).toEqual([lowest, ...others]);
  const steps = [...release.matchAll(/^ {6}- run: (.*)$/gm)].map((match) => match[1]);
  expect(steps).toEqual([
    'node scripts/release-check.mjs "$GITHUB_REF_NAME"',
    '.ci/run',
    'node scripts/audit.mjs --required',
    'npm publish --provenance --access public',
  ]);
  expect(release).toMatch(/^ {2}id-token: write/m);
  expect(ci).toMatch(/^ {6}- run: \.ci\/run$/m);
});
