/**
 * Fails where a dependency of the package has a known vulnerability, by `npm audit --omit=dev`. A registry that does not
 * answer audits (many mirrors do not) is said loudly and passes, except with --required, as before a release.
 */
import { spawnSync } from 'node:child_process';

const isRequired = process.argv.includes('--required');
const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
const report = parsed(stdout);
const found = Object.values(report?.vulnerabilities ?? {});

if (report?.vulnerabilities === undefined) {
  const why = report?.message ?? report?.error?.summary ?? stderr.trim().split('\n').at(-1);
  console.error(`audit: NOT DONE. The registry does not answer: ${why}`);
  console.error(
    'audit: whether a dependency has a known vulnerability is open. Run `npm audit --omit=dev` where it answers.',
  );
  if (isRequired) process.exitCode = 1;
} else if (found.length > 0) {
  for (const { name, severity, range, via } of found) {
    const titles = via.map((each) => (typeof each === 'string' ? `through ${each}` : `${each.title} (${each.url})`));
    console.error(`audit: ${name} ${range}, ${severity}: ${titles.join('; ')}`);
  }
  console.error('audit: update what is named, or `npm audit fix --omit=dev`.');
  process.exitCode = 1;
} else console.log('audit: no known vulnerability in what the package depends on');

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
