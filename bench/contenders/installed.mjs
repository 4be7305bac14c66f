/** The version of a package that is really installed beside the contenders, read from its own package.json. */
import { readFileSync } from 'node:fs';

export function installed(name) {
  return JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
}
