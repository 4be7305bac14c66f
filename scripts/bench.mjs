/**
 * npm run bench: builds the library into a folder of its own and measures it beside the limit and its peers, or beside the
 * build of another git revision; bench/ does it. ASKBACK_DIST, where given, names a build to use instead of this one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}node_modules/.cache`;

/** Where the library to measure is: what is here, or a revision. */
function built(revision) {
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

/** `--node 24` on another release: the whole command again, on that one. */
function onOtherNode(args) {
  const at = args.findIndex((each) => /^--node(=|$)/.test(each));
  const release = at < 0 ? undefined : (/^--node=(.+)/.exec(args[at])?.[1] ?? args[at + 1]);
  if (!/^\d+(\.\d+){0,2}$/.test(release ?? '') || `${process.versions.node}.`.startsWith(`${release}.`))
    return undefined;
  const same = [fileURLToPath(import.meta.url), ...args];
  return spawnSync('npx', ['-y', `node@${release}`, ...same], { stdio: 'inherit' }).status ?? 1;
}

const args = process.argv.slice(2);
const elsewhere = onOtherNode(args);
if (elsewhere !== undefined) process.exit(elsewhere);
// the harness is TypeScript, like the tests it shares its parts with
const { module } = await runnerImport(`${root}bench/main.ts`, { configFile: false, root, logLevel: 'warn' });
process.exit(await module.main(args, built));
