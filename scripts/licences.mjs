/**
 * Fails where something that a user of the package installs (dependencies, peers, and all that those need) has a licence
 * that is not on the list. Reads node_modules of the current folder: run it after `npm ci`.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Licences that ask for no more than to be named. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
]);

const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const root = resolve('.');
const found = new Map();
const problems = [];

visit(root, manifest(root));
for (const { name, version, licence } of found.values()) {
  if (!isAllowed(licence)) problems.push(`${name} ${version} has the licence ${licence}, which is not allowed`);
}
if (problems.length > 0) {
  console.error(`licences: ${problems.join('\nlicences: ')}`);
  console.error(
    `licences: allowed are ${[...allowed].join(', ')}. Replace the dependency, or add its licence in scripts/licences.mjs.`,
  );
  process.exitCode = 1;
} else console.log(`licences: ${found.size} packages, all of them allowed`);

/** What a package needs: optional ones count where they are installed, peers where somebody must have them. */
function visit(
  folder,
  { name, dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} },
) {
  const isOptional = (each) =>
    each in optionalDependencies || (folder !== root && peerDependenciesMeta[each]?.optional);
  for (const each of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const at = installed(each, folder);
    if (at === undefined) {
      if (!isOptional(each)) problems.push(`${each}, which ${name} needs, is not installed. Run: npm ci`);
      continue;
    }
    if (found.has(at)) continue;
    const next = manifest(at);
    found.set(at, { name: next.name, version: next.version, licence: licenceOf(next) });
    visit(at, next);
  }
}

/** The folder of a package, as Node finds it from another one. */
function installed(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const at = join(folder, 'node_modules', name);
    if (existsSync(join(at, 'package.json'))) return realpathSync(at);
    if (folder === dirname(folder)) return undefined;
  }
}

function licenceOf({ license, licenses }) {
  if (Array.isArray(licenses)) return licenses.map((each) => each.type ?? each).join(' OR ');
  return license?.type ?? license ?? 'UNKNOWN';
}

/** Of `A OR B` one must be allowed, of `A AND B` both. */
function isAllowed(licence) {
  const plain = licence.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((either) => either.split(' AND ').every((each) => allowed.has(each.trim())));
}
