/** The tests that docs/testing.md shows run as they stand; vitest runs its own (testing-with-vitest.test.ts). */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { patience } from '../../support/processes.js';

const root = fileURLToPath(new URL('../../../', import.meta.url)); // where the package's own name is known

/** What node:test says of an example, or of another file. */
function tested(name: string, file = resolve(root, `dist-examples/${name}.js`)) {
  if (!existsSync(file)) throw new Error(`${file} is not built. Run: npm run build && npm run build:examples`);
  return spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
    encoding: 'utf8',
    timeout: patience,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
}

test('node:test runs its example', () => {
  const { stdout, status } = tested('testing-with-node');
  expect(stdout).toContain('# pass 2\n');
  expect(status).toBe(0);
});

test('the store of one file passes the contract that it runs', () => {
  const { stdout, status } = tested('own-store');
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(35);
  expect(stdout).toContain('# fail 0\n');
  expect(status).toBe(0);
});

test('node:test runs the contract of a channel, though no timer of the library keeps it alive', () => {
  const { stdout, status } = tested('the pager', fileURLToPath(new URL('pager-contract.mjs', import.meta.url)));
  expect(stdout).toContain('# fail 0\n');
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(10);
  expect(status).toBe(0);
});
