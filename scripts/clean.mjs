/** Removes the build folders named on the command line. Works on every system, unlike `rm -rf`. */
import { rmSync } from 'node:fs';

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
