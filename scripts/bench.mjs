/**
 * npm run bench: builds the library into a folder of its own and measures it beside the limit and its peers, or beside the
 * build of another git revision; bench/ does it. ASKBACK_DIST, where given, names a build to use instead of this one.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { built } from './built.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

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
