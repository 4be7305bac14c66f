/** The package as a stranger gets it: packed, installed into an empty project outside the repository, and used there. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const { devDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Runs a command whose output is of interest only if it fails, and gives back what it printed. */
export function run(command, args, options) {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'], cwd: root, ...options });
}

/** Packs into the folder: the tarball's path, its size in bytes, and the paths in it. */
export function packInto(folder) {
  const printed = run('npm', ['pack', '--json', '--pack-destination', folder]);
  const [{ filename, size, files }] = JSON.parse(printed.slice(printed.indexOf('[')));
  return { tarball: join(folder, filename), size, paths: files.map(({ path }) => path) };
}

/** An empty project with the tarball, the driver for SQLite and the types of Node, and the first program of the README. */
export function projectIn(folder, tarball) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }));
  const wanted = [
    tarball,
    `@types/node@${devDependencies['@types/node']}`,
    `libsql@${peerDependencies.libsql}`,
    `typescript@${devDependencies.typescript}`,
  ];
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted], { cwd: folder });
  copyFileSync(join(folder, 'node_modules/askback/examples/refund.ts'), join(folder, 'refund.ts'));
}

/**
 * The first program of the README, piped: a question, a reply that does not fit, one that does. Then as a durable flow:
 * asked in one process, which ends, and answered in another.
 */
export function checkFirstProgram(folder, command, args) {
  const says = (...lines) =>
    run(command, args, { cwd: folder, input: lines.join('\n').concat('\n'), timeout: 120_000 });
  const forget = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `askback.db${end}`), { force: true });
  };
  const refunded = /Refunded: order 12345, receipt \S{8}/;
  forget();
  expectIn(says('refund please', '?', '12345'), /What is your order number\?/, refunded);
  forget();
  expectIn(says('refund please'), /What is your order number\?/);
  expectIn(says('12345'), refunded);
  forget();
}

export function expectIn(printed, ...patterns) {
  for (const pattern of patterns) {
    if (!pattern.test(printed)) throw new Error(`expected ${pattern} in what was printed:\n${printed}`);
  }
}
