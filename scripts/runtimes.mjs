/**
 * npm run test:runtimes: the packed library under Bun and Deno, which come from npm. Each runs the first program of the
 * README as TypeScript, and a question that is asked in one process and answered in another. Leaves nothing behind.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFirstProgram, packInto, projectIn, run } from './packed/stranger.mjs';

const runtimes = [
  { name: 'bun', version: '1.4.4', args: ['run', 'refund.ts'] },
  { name: 'deno', version: '2.9.5', args: ['run', '--allow-all', 'refund.ts'] },
];

const temp = mkdtempSync(join(tmpdir(), 'askback-runtimes-'));
try {
  const home = join(temp, 'home');
  projectIn(home, packInto(temp).tarball);
  for (const { name, version, args } of runtimes) {
    const folder = join(temp, name);
    mkdirSync(folder);
    run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`]);
    checkFirstProgram(home, join(folder, 'node_modules/.bin', name), args);
    console.log(`✓ ${name} ${version}`);
  }
} finally {
  rmSync(temp, { recursive: true, force: true });
}
