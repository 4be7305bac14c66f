/** Reads the repository's own files, for the tests that look at them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from './rules.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The paths of all files below a folder, in order; none if there is no such folder, nor of what npm has installed there. */
export function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .sort();
}

let sources: readonly SourceFile[] | undefined;

/** All of src/, read once. */
export function sourceFiles(): readonly SourceFile[] {
  sources ??= filesIn('src')
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: read(path) }));
  return sources;
}
