/**
 * Runs the tests under other releases of Node: `npm run test:nodes`, or `npm run test:nodes -- 24 test/stores` for one
 * release and a part of them. The releases come from the npm package `node`, so nothing has to be installed by hand.
 */
import { spawnSync } from 'node:child_process';

const [first = '', ...rest] = process.argv.slice(2);
const releases = /^\d+$/.test(first) ? [first] : ['22', '24'];
const which = /^\d+$/.test(first) ? rest : process.argv.slice(2);
const projects = ['--project', 'together', '--project', 'processes', '--project', 'isolated']; // what `npm test` runs
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...(which.length > 0 ? which : projects)];

const failed = releases.filter((release) => {
  console.log(`\nNode ${release}`);
  const run = spawnSync('npx', ['-y', `node@${release}`, ...vitest], { stdio: 'inherit' });
  return run.status !== 0;
});
if (failed.length > 0) {
  console.error(`\nFailed under Node ${failed.join(', ')}.`);
  process.exitCode = 1;
} else console.log(`\nPassed under Node ${releases.join(', ')}.`);
