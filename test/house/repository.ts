/** Reads the repository's own files, for the tests that look at them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from './rules.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

let sources: readonly SourceFile[] | undefined;

/** All of src/, read once. */
export function sourceFiles(): readonly SourceFile[] {
  sources ??= readSources();
  return sources;
}

function readSources(): SourceFile[] {
  if (!existsSync(join(root, 'src'))) return [];
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => ({ path, text: read(path) }));
}
