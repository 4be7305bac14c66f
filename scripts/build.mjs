/**
 * Builds dist/: one JavaScript file for each subpath of the exports, and few that they share. `--out FOLDER` builds somewhere
 * else, `--js` leaves the declarations out, `--bundle-types` joins them as the package has them (prepack; it takes longer).
 *
 * The code is not minified: a stack trace names our functions without any flag, and a debugger shows readable lines. With
 * `node --enable-source-maps` a trace names the file in src/ and its line. The maps hold neither the sources nor columns,
 * because with both they would be larger than the code.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { browserScripts } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');
const { values } = parseArgs({
  options: { out: { type: 'string' }, js: { type: 'boolean' }, 'bundle-types': { type: 'boolean' } },
});
const dist = resolve(values.out ?? join(root, 'dist'));

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** What the package exports, as paths in src and dist without an ending. */
const entries = Object.values(exports)
  .filter((target) => typeof target === 'object')
  .map((target) => /^\.\/dist\/(.+)\.js$/.exec(target.default)[1]);
const entryFiles = (folder, ending) => Object.fromEntries(entries.map((path) => [path, join(folder, path + ending)]));

const target = 'node20.19';
const define = await browserScripts();
const tsconfigRaw = { compilerOptions: { target: 'ES2023', verbatimModuleSyntax: true } };

const plugins = [
  {
    name: 'where imports lead',
    resolveId(id, importer) {
      if (importer === undefined) return id;
      return resolve(dirname(importer), importer.endsWith('.ts') ? id.replace(/\.js$/, '.ts') : id);
    },
  },
  {
    name: 'without types and comments',
    transform: (code, id) =>
      transform(code, {
        loader: 'ts',
        minifyWhitespace: true,
        sourcemap: 'external',
        sourcefile: id,
        target,
        tsconfigRaw,
        define,
      }),
  },
  {
    name: 'laid out again',
    transform: (code, id) => transform(code, { loader: 'js', sourcemap: 'external', sourcefile: id, target }),
  },
];

rmSync(dist, { recursive: true, force: true });
await Promise.all([bundleCode(), values.js ? undefined : values['bundle-types'] ? bundleTypes() : writeTypes(dist)]);

async function bundleCode() {
  const bundle = await rollup({
    input: entryFiles(source, '.ts'),
    external: (id) => !/^[./]/.test(id),
    plugins,
    onwarn: (warning, print) => warning.code !== 'EMPTY_BUNDLE' && print(warning), // a subpath may have only types
  });
  const { output } = await bundle.generate({
    dir: dist,
    format: 'es',
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: nameOfSource,
    chunkFileNames: 'shared/[name].js',
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    manualChunks: coreOf(join(source, 'index.ts')),
  });
  for (const { type, fileName, code, map } of output) {
    if (type === 'asset') continue; // the maps, before they are reduced
    const isEmpty = map.sources.length === 0; // it only passes on what another file has
    write(fileName, isEmpty ? code.replace(/^\/\/# sourceMappingURL=.*\n/m, '') : code);
    if (!isEmpty) write(`${fileName}.map`, mapOfLines(map));
  }
}

/** A source as it is named from a file of the package, wherever that is built: traces show `askback/src/core/ids.ts`. */
function nameOfSource(path, map) {
  const fromPackage = join('dist', relative(dist, dirname(map)));
  return relative(fromPackage, relative(root, resolve(dirname(map), path)));
}

/** Puts whatever `import 'askback'` loads into one file: each file more takes a millisecond or two at every start. */
function coreOf(door) {
  let core;
  return (id, { getModuleInfo }) => {
    core ??= importedFrom(door, getModuleInfo);
    return core.has(id) ? 'core' : undefined;
  };
}

/** The modules that a module's static imports lead to, and itself. */
function importedFrom(id, getModuleInfo, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const each of getModuleInfo(id)?.importedIds ?? []) importedFrom(each, getModuleInfo, found);
  return found;
}

/** The map with a segment wherever the line in the sources changes, and none between. */
function mapOfLines({ file, sources, mappings }) {
  const lines = decode(mappings).map((segments) =>
    segments
      .filter((each, i) => each.length > 1 && (each[1] !== segments[i - 1]?.[1] || each[2] !== segments[i - 1]?.[2]))
      .map(([column, from, line]) => [column, from, line, 0]),
  );
  return JSON.stringify({ version: 3, file, sources, names: [], mappings: encode(lines) });
}

/** One declaration for each source. tsc only writes them; `npm run check` is what checks. */
function writeTypes(folder) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder]);
}

/** One declaration file for each subpath, and what they share: a class has one identity, whichever subpath it comes from. */
async function bundleTypes() {
  const { dts } = await import('rollup-plugin-dts');
  const perSource = mkdtempSync(join(tmpdir(), 'askback-types-')); // in node_modules it would pass for another package's
  try {
    await writeTypes(perSource);
    const bundle = await rollup({
      input: entryFiles(perSource, '.d.ts'),
      external: (id) => !/^[./]/.test(id),
      plugins: [dts()],
      onLog: () => {}, // about types without a name at the front door: test/house/public-types.test.ts decides about those
    });
    const { output } = await bundle.generate({
      format: 'es',
      entryFileNames: '[name].d.ts',
      chunkFileNames: ({ name }) => `shared/${name.replace(/\.d$/, '')}.d.ts`,
      minifyInternalExports: false,
      hoistTransitiveImports: false,
      manualChunks: coreOf(join(perSource, 'index.d.ts')),
    });
    for (const { fileName, code } of output) write(fileName, code);
  } finally {
    rmSync(perSource, { recursive: true, force: true });
  }
}

function write(fileName, content) {
  const path = join(dist, fileName);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
