/**
 * npm run bench:import: how long `import 'askback'` takes in a new process. `npm run bench:import -- 5c1ae3f` measures it
 * beside the build of another git revision, in turns, so that what disturbs the machine disturbs both.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { built } from './built.mjs';

const rounds = 40;
const [revision] = process.argv.slice(2);
const contenders = [undefined, ...(revision === undefined ? [] : [revision])].map((each) => ({
  name: each ?? 'this build',
  door: pathToFileURL(resolve(built(each), 'index.js')).href,
  times: [],
}));

const program = (door) => `
  const begun = performance.now();
  const used = process.cpuUsage();
  await import(${JSON.stringify(door)});
  const { user, system } = process.cpuUsage(used);
  console.log(JSON.stringify({ elapsed: performance.now() - begun, processor: (user + system) / 1000 }));`;

for (let round = 0; round <= rounds; round += 1) {
  for (const { door, times } of contenders) {
    const args = ['--input-type=module', '--eval', program(door)];
    const measured = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    if (round > 0) times.push(measured); // the first reads the files from the disk
  }
}

const median = ({ times }, what) => times.map((each) => each[what]).sort((a, b) => a - b)[Math.floor(times.length / 2)];
for (const what of ['elapsed', 'processor']) {
  const figures = contenders.map((each) => median(each, what));
  const named = figures.map((ms, i) => `${contenders[i].name} ${ms.toFixed(1)} ms`);
  const ratio = figures.length > 1 ? `, ratio ${(figures[0] / figures[1]).toFixed(2)}` : '';
  console.log(`${what}: ${named.join(', ')}${ratio} (medians of ${rounds})`);
}
