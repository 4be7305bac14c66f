/**
 * The exports as they are written down, and the package as a stranger gets it: packed, its content checked, looked at by
 * publint and attw, installed into an empty folder, compiled under strict TypeScript in the ways projects are set up, and
 * run. Leaves nothing behind.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf } from './packed/content.mjs';
import { checkFirstProgram, expectIn, packInto, projectIn, root, run } from './packed/stranger.mjs';

const programs = ['rehearsal.ts', 'subpaths.ts', 'throws.ts', 'common.cts'];
const strict = {
  target: 'ES2023',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  declaration: true,
};
const resolutions = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
};

const temp = mkdtempSync(join(tmpdir(), 'askback-pack-'));
try {
  run(process.execPath, ['scripts/api.mjs', '--check']);
  done('the exports are those of etc/api');
  const packed = packInto(temp);
  const home = join(temp, 'home');
  projectIn(home, packed.tarball);
  done(`packed ${packed.paths.length} files, ${Math.ceil(packed.size / 1000)} KB`);

  const problems = problemsOf(packed, join(home, 'node_modules/askback'));
  if (problems.length > 0) throw new Error(`the content of the package:\n  ${problems.join('\n  ')}`);
  run('npx', ['publint', 'run', packed.tarball, '--strict']);
  run('npx', ['attw', packed.tarball, '--profile', 'esm-only']);
  done('its content, publint, attw');

  for (const each of programs) copyFileSync(join(root, 'scripts/packed', each), join(home, each));
  for (const [name, resolution] of Object.entries(resolutions)) {
    for (const skipLibCheck of [true, false]) compile(home, name, { ...strict, ...resolution, skipLibCheck });
  }
  compile(home, 'run', { ...strict, ...resolutions.nodenext, skipLibCheck: true, outDir: 'run' });

  const node = (...args) => run(process.execPath, args, { cwd: home, timeout: 60_000 });
  expectIn(node('run/rehearsal.js'), /it asks and hears/);
  expectIn(node('run/subpaths.js'), /subpaths share their types/);
  expectIn(node('run/common.cjs'), /require\(\) works/);
  checkFirstProgram(home, process.execPath, ['run/refund.js']);
  done('programs, require(), and a question that survives its process');

  expectIn(node('run/throws.js'), /at agent \(.*askback\/dist\/shared\/core\.js:\d+/);
  const [, path, line] =
    /at .*askback\/(src\/[\w/-]+\.ts):(\d+)/.exec(node('--enable-source-maps', 'run/throws.js')) ?? [];
  const code = path && readFileSync(join(root, path), 'utf8').split('\n')[line - 1];
  if (!/AgentError\(|throw /.test(code ?? '')) throw new Error(`the trace leads to ${path}:${line}, which is: ${code}`);
  done(`stack traces name sources: ${path}:${line}`);
} finally {
  rmSync(temp, { recursive: true, force: true });
}

/** All programs under these options, as a project of its own. */
function compile(home, name, compilerOptions) {
  const config = join(home, `tsconfig.${name}.json`);
  const files = ['refund.ts', ...programs].filter((each) => name !== 'bundler' || !each.endsWith('.cts'));
  writeFileSync(config, JSON.stringify({ compilerOptions: { outDir: name, ...compilerOptions }, files }));
  run(join(home, 'node_modules/.bin/tsc'), ['-p', config], { stdio: ['ignore', 'inherit', 'inherit'] });
  done(`compiled: ${name}, skipLibCheck ${compilerOptions.skipLibCheck}`);
}

function done(what) {
  console.log(`✓ ${what}`);
}
