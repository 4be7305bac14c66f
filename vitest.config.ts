import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { browserScripts } from './scripts/browser.mjs';

/** Whole matrices, many random histories, TLS, Cluster, soak: what `npm run test:long` adds to `npm test`. */
const long = ['test/**/*.long.test.ts'];
/** Those of them that measure time or memory, or put all the load on the machine that it can bear: they run alone, after the others. */
const alone = [
  'test/house/bench/*.long.test.ts',
  'test/unit/channels/email/hostile.long.test.ts',
  'test/channels/web/load.long.test.ts',
  'test/system/faults/bad-agents.long.test.ts',
  'test/system/faults/flood.long.test.ts',
  'test/system/faults/redis-load.long.test.ts',
  'test/system/faults/redis-trouble.long.test.ts',
  'test/system/faults/restarts.long.test.ts',
  'test/system/faults/starved.long.test.ts',
  'test/system/model/soak.long.test.ts',
  'test/system/processes/burst.long.test.ts',
  'test/system/processes/one-answer.long.test.ts',
  'test/system/processes/waiting.long.test.ts',
  'test/server/api/api.long.test.ts',
  'test/server/live/load.long.test.ts',
  'test/stores/listing-scale.long.test.ts',
];
/** Tests that start processes and mostly wait for them: more files at once than there are processors. */
const processes = [
  'test/house/docs/**/*.test.ts',
  'test/house/examples/**/*.test.ts',
  'test/system/faults/**/*.test.ts',
  'test/system/matrix/**/*.test.ts',
  'test/system/model/redis.test.ts',
  'test/system/processes/**/*.test.ts',
  'test/server/page/browser.test.ts',
  'test/stores/sqlite/processes.test.ts',
  'test/tools/mcp/stdio.test.ts',
];
const tests = new URL('test/', import.meta.url);
/** Tests that replace modules for everything that is loaded after them: each file has a worker of its own. */
const isolated = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts') && replacesModules(readFileSync(new URL(path, tests), 'utf8')))
  .map((path) => `test/${path}`);

function replacesModules(text: string): boolean {
  return /\bvi\.(mock|doMock|resetModules)\(/.test(text);
}

export default defineConfig({
  define: await browserScripts(), // the scripts that run in a page, as the build puts them in
  test: {
    setupFiles: ['test/support/seed.ts'],
    pool: 'forks', // tests kill processes and servers: a file that goes down takes no other with it
    // Limits are guards against a test that hangs, not measurements: a busy machine is many times slower than an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    silent: 'passed-only', // what a failing test printed is shown; warnings that a test provokes on purpose are not
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...processes, ...isolated, ...long],
          maxWorkers: 2,
          isolate: false, // modules are loaded once per worker instead of once per file: half of the work
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: processes,
          exclude: [...isolated, ...long],
          maxWorkers: 4,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: isolated, exclude: long, maxWorkers: 4, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'long', include: long, exclude: alone, maxWorkers: 3, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
