/**
 * Makes the scripts that run in a page: bundles src/browser/ into text. Whatever builds or runs the sources puts these texts in place of
 * the constants that src/browser/page-script.ts and chat-script.ts declare, by a `define` of esbuild or vite. No generated file lies
 * between the sources.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const folder = new URL('../src/browser/', import.meta.url);
const entries = { PAGE_SCRIPT: 'page/main.ts', CHAT_SCRIPT: 'chat/main.ts' };

/** The scripts by the names of the constants, each as the source of a string: the value of a `define`. */
export async function browserScripts() {
  const scripts = Object.entries(entries).map(async ([name, path]) => [name, JSON.stringify(await bundled(path))]);
  return Object.fromEntries(await Promise.all(scripts));
}

/** Bundles a module of src/browser/ and what it imports into a script. Its exports are properties of `globalName`, if that is given. */
export async function bundled(path, globalName) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, folder))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName,
    minify: true,
    charset: 'utf8',
    target: 'es2022',
    define: { CHAT_STYLE: JSON.stringify(await style('chat/style.css')) },
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

async function style(path) {
  const css = await readFile(new URL(path, folder), 'utf8');
  const { code } = await transform(css, { loader: 'css', minify: true, charset: 'utf8' });
  return code.trim();
}
