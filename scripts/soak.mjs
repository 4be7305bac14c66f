/**
 * npm run soak -- --minutes 5: builds the library into a folder of its own and lets it be hammered; test/system/model/soak/ does it.
 * ASKBACK_DIST, where given, names a build to use instead.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
if (!process.env.ASKBACK_DIST) {
  const dist = `${root}node_modules/.cache/askback-dist-soak`;
  execFileSync(process.execPath, [`${root}scripts/build.mjs`, '--js', '--out', dist], { stdio: 'inherit' });
  process.env.ASKBACK_DIST = dist;
}
// the harness is TypeScript, like the tests it shares its parts with
const { module } = await runnerImport(`${root}test/system/model/soak/main.ts`, {
  configFile: false,
  root,
  logLevel: 'warn',
});
process.exit(await module.main(process.argv.slice(2)));
