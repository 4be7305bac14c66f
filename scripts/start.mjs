/**
 * `npm start`: the refund in the browser, from the sources and without a build: one file is bundled in half a second. All options go to
 * examples/refund-in-the-browser.ts; `--terminal` runs examples/refund.ts instead.
 */
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { browserScripts } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isTerminal = process.argv.includes('--terminal');
const name = isTerminal ? 'refund' : 'refund-in-the-browser';
const outfile = join(root, `node_modules/.cache/askback-start/${name}.mjs`); // packages are found from there
await build({
  entryPoints: [join(root, `examples/${name}.ts`)],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  define: await browserScripts(),
  tsconfig: join(root, 'tsconfig.json'), // its paths lead the package's own names to the sources
  logLevel: 'error',
});
process.argv = process.argv.filter((each) => each !== '--terminal');
await import(pathToFileURL(outfile).href);
