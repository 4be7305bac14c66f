/**
 * npm run bench: builds the library into a folder of its own and measures it beside the limit and its peers; bench/ does it.
 * ASKBACK_DIST, where given, names a build to use instead.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where the library to measure is. A second build only writes what has changed. */
function built() {
  if (process.env.ASKBACK_DIST) return process.env.ASKBACK_DIST;
  const dist = `${root}node_modules/.cache/askback-dist-bench`;
  const tsc = [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`, '--outDir', dist];
  const again = ['--incremental', '--tsBuildInfoFile', `${dist}/.tsbuildinfo`];
  execFileSync(process.execPath, [...tsc, ...again], { stdio: 'inherit' });
  return dist;
}

// the harness is TypeScript, like the tests it shares its parts with
const { module } = await runnerImport(`${root}bench/main.ts`, { configFile: false, root, logLevel: 'warn' });
process.exit(await module.main(process.argv.slice(2), built));
