/** What the package may hold, and what it must. A file that no rule names is one that was packed by mistake. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Of the tarball; the code in it has a limit of its own, because pages grow for good reasons. */
const most = { kilobytes: 920, kilobytesOfCode: 570, files: 200 };

const allowed = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|SECURITY\.md)$/,
  /^docs\/(decisions\/)?[\w-]+\.(md|svg|png)$/,
  /^examples\/([\w-]+\.ts|README\.md)$/,
  /^dist\/([\w-]+\/)*[\w-]+\.(js|js\.map|d\.ts)$/,
];

/** Everything that is wrong with the content, in sentences. `home` is where the package is installed. */
export function problemsOf({ size, paths }, home) {
  const kilobytes = Math.ceil(size / 1000);
  const code = paths.filter((path) => path.startsWith('dist/')).map((path) => readFileSync(join(home, path)));
  const kilobytesOfCode = Math.ceil(gzipSync(Buffer.concat(code)).length / 1000);
  const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const entries = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  );
  const wanted = [
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    'examples/refund.ts',
    ...entries.map((path) => path.slice(2)),
  ];
  return [
    ...(kilobytes > most.kilobytes ? [`it has ${kilobytes} KB, and may have ${most.kilobytes}`] : []),
    ...(kilobytesOfCode > most.kilobytesOfCode
      ? [`dist has ${kilobytesOfCode} KB compressed, and may have ${most.kilobytesOfCode}`]
      : []),
    ...(paths.length > most.files ? [`it has ${paths.length} files, and may have ${most.files}`] : []),
    ...paths.filter((path) => !allowed.some((rule) => rule.test(path))).map((path) => `${path} should not be packed`),
    ...paths
      .filter((path) => isStray(path, entries))
      .map((path) => `${path} belongs to no subpath: build with --bundle-types`),
    ...wanted.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`),
    ...paths.filter((path) => path.endsWith('.map')).flatMap((path) => problemsOfMap(path, join(home, path))),
  ];
}

/** A file of dist is what a subpath leads to, or is shared by some. */
function isStray(path, entries) {
  const entry = `./${path.replace(/\.map$/, '')}`;
  return path.startsWith('dist/') && !path.startsWith('dist/shared/') && !entries.includes(entry);
}

function problemsOfMap(path, file) {
  const { sources, sourcesContent } = JSON.parse(readFileSync(file, 'utf8'));
  const nameless = sources.filter((source) => !/^(\.\.\/)+src\/.+\.ts$/.test(source));
  return [
    ...(sources.length === 0 ? [`${path} names no source`] : []),
    ...nameless.map((source) => `${path} names the source ${source}, which is not a path in src`),
    ...(sourcesContent === undefined ? [] : [`${path} holds the sources themselves`]),
  ];
}
