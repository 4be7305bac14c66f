/** The tests that docs/testing.md shows run as they stand; vitest runs its own (testing-with-vitest.test.ts). */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { read } from '../house/repository.js';
import { patience } from '../support/processes.js';
import { blocksIn } from './pages.js';

const root = fileURLToPath(new URL('../../', import.meta.url)); // where the package's own name is known

test('node:test runs its example', () => {
  const file = resolve(root, 'dist-examples/testing-with-node.js');
  if (!existsSync(file)) throw new Error(`${file} is not built. Run: npm run build && npm run build:examples`);
  const { stdout, status } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
    encoding: 'utf8',
    timeout: patience,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  expect(stdout).toContain('# pass 2\n');
  expect(status).toBe(0);
});

/** Stands for the two functions that jest has as globals, as far as the example uses them. */
const globals = `
import assert from 'node:assert/strict';
globalThis.expect = (got) => ({ toBe: (want) => assert.equal(got, want), toEqual: (want) => assert.deepEqual(got, want) });
globalThis.test = (name, run) => run().then(() => console.log('passed: ' + name));
`;

test('the example for jest runs with nothing but the globals test and expect', () => {
  const block = blocksIn('docs/testing.md', read('docs/testing.md')).find(({ given }) => given.includes('globals'));
  const { outputText } = ts.transpileModule(`${globals}${block?.code}`, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', outputText], {
    cwd: root,
    encoding: 'utf8',
    timeout: patience,
  });
  expect([stdout, stderr]).toEqual(['passed: a number that is too large is asked for again\n', '']);
});
