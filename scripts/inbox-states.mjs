/**
 * `npm run screenshots:inbox`: a picture of every state of the inbox page, in light, dark and on a phone, into the folder screenshots/
 * (or another one: `-- FOLDER`). The states are those of test/server/page/states.ts. It needs Chromium, by CHROMIUM or on PATH.
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, 'screenshots'));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'long', 'test/server/page/states.long.test.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SCREENSHOTS: folder },
  },
);
console.log(`The pictures are in ${folder}`);
process.exitCode = status ?? 1;
