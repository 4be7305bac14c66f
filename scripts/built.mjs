/** A build to measure, in a folder of its own: of what is here, or of another git revision. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}node_modules/.cache`;

/** Where the library to measure is: what is here, or a revision. */
export function built(revision) {
  if (revision !== undefined) return builtOf(revision);
  if (process.env.ASKBACK_DIST) return process.env.ASKBACK_DIST;
  return compiled(root, `${cache}/askback-dist-bench`);
}

/** A revision's own sources, with the dependencies that are installed here. */
function builtOf(revision) {
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { maxBuffer: 1e9 });
  const commit = git('rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`).toString().trim();
  const folder = `${cache}/askback-${commit.slice(0, 12)}`;
  if (existsSync(`${folder}/dist/index.js`)) return `${folder}/dist`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  symlinkSync(`${root}node_modules`, `${folder}/node_modules`);
  return compiled(`${folder}/`, `${folder}/dist`);
}

/** The build as the project's own sources make it; revisions before scripts/build.mjs had tsc alone. */
function compiled(project, dist) {
  const script = `${project}scripts/build.mjs`;
  const tsc = [`${root}node_modules/typescript/bin/tsc`, '-p', `${project}tsconfig.build.json`, '--outDir', dist];
  const build = existsSync(script) ? [script, '--js', '--out', dist] : [...tsc, '--noCheck'];
  execFileSync(process.execPath, build, { stdio: 'inherit' });
  return dist;
}
