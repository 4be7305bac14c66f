/**
 * Fails where a release would be wrong: the tag (first argument) names another version than package.json, package.json
 * has no repository (npm cannot tell where the provenance leads), or CHANGELOG.md has no dated entry for the version.
 */
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const { version, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const changelog = readFileSync('CHANGELOG.md', 'utf8');

const problems = [];
if (tag !== `v${version}`) problems.push(`the tag is "${tag}", and package.json has ${version}. Tag it v${version}.`);
if (!(typeof repository === 'string' ? repository : repository?.url)) {
  problems.push('package.json has no repository. Write its address there: provenance names it.');
}
const entries = [...changelog.matchAll(/^## \[([^\]]+)\](.*)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm)];
const entry = entries.find(([, name]) => name === version);
if (entry === undefined) problems.push(`CHANGELOG.md has no entry "## [${version}] - YYYY-MM-DD".`);
else {
  if (!/^ - \d{4}-\d{2}-\d{2}$/.test(entry[2]))
    problems.push(`CHANGELOG.md: the entry of ${version} has no date (## [${version}] - YYYY-MM-DD).`);
  if (!/^- /m.test(entry[3])) problems.push(`CHANGELOG.md: the entry of ${version} names no change.`);
}

if (problems.length > 0) {
  console.error(`release: ${problems.join('\nrelease: ')}`);
  process.exitCode = 1;
} else console.log(`release: ${tag} may be published`);
