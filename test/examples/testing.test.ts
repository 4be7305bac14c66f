/** The tests that docs/testing.md shows run as they stand; vitest runs its own (testing-with-vitest.test.ts). */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { patience } from '../support/processes.js';

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
