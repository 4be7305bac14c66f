/**
 * npm run api: writes what the package exports into etc/api, one file for each subpath, without comments and in the order of
 * the alphabet, so that a review sees every change of the surface. `--check` writes nothing and fails with the difference.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = join(root, 'etc/api');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const subpaths = Object.entries(exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([subpath, { types }]) => ({ name: subpath.replace('.', 'askback'), file: types.replace('./dist/', '') }));

const temp = mkdtempSync(join(tmpdir(), 'askback-api-'));
try {
  const types = join(temp, 'types');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', types], {
    stdio: 'inherit',
  });
  const written = process.argv.includes('--check') ? join(temp, 'api') : reports;
  rmSync(written, { recursive: true, force: true });
  mkdirSync(written, { recursive: true });
  for (const [name, text] of reportsOf(types))
    writeFileSync(join(written, `${name.replaceAll('/', '-')}.api.md`), text);
  if (written !== reports) compare(reports, written);
} finally {
  rmSync(temp, { recursive: true, force: true });
}

function compare(old, written) {
  const { status, stdout } = spawnSync('git', ['diff', '--no-index', '--no-color', old, written], { encoding: 'utf8' });
  if (status === 0) return;
  console.error(`${stdout}\nThe exports are not those of etc/api. If this is what you want, run: npm run api`);
  process.exitCode = 1;
}

/** Each subpath's report, and one of what the exports speak of without exporting it: that is part of the surface, too. */
function reportsOf(types) {
  const files = subpaths.map(({ file }) => join(types, file));
  const program = ts.createProgram(files, { noLib: true, types: [], module: ts.ModuleKind.NodeNext });
  const checker = program.getTypeChecker();
  const target = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const home = new Map(); // where a symbol is shown: the first subpath that exports it
  const shown = subpaths.map(({ name }, i) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(files[i]));
    const names = checker.getExportsOfModule(module).sort((a, b) => compareNames(a.name, b.name));
    const entries = names.map((symbol) => {
      const known = home.get(target(symbol));
      if (known === undefined) home.set(target(symbol), name);
      return known === undefined ? textOf(target(symbol), symbol.name) : `// ${symbol.name}: see ${known}`;
    });
    return [name, report(name, entries)];
  });
  const others = new Set();
  for (const symbol of home.keys()) addMentioned(symbol);
  const rest = [...others].sort((a, b) => compareNames(a.name, b.name)).map((symbol) => textOf(symbol, symbol.name));
  return [...shown, ['not-exported', report('Spoken of by the exports, and not exported', rest)]];

  function addMentioned(symbol) {
    for (const declaration of symbol.declarations ?? []) visit(declaration);
  }

  function visit(node) {
    if (ts.isIdentifier(node)) {
      const found = checker.getSymbolAtLocation(node);
      const symbol = found && target(found);
      if (symbol && !home.has(symbol) && !others.has(symbol) && isTopLevel(symbol)) {
        others.add(symbol);
        addMentioned(symbol);
      }
    }
    ts.forEachChild(node, visit);
  }

  function isTopLevel({ declarations = [] }) {
    return declarations.some(
      (each) =>
        each.getSourceFile().fileName.startsWith(types) && statementOf(each).parent?.kind === ts.SyntaxKind.SourceFile,
    );
  }
}

/** A variable's declaration is part of a statement; every other one is a statement. */
function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function textOf({ declarations = [] }, name) {
  const printer = ts.createPrinter({ removeComments: true });
  const texts = declarations.map((each) =>
    printer.printNode(ts.EmitHint.Unspecified, statementOf(each), each.getSourceFile()),
  );
  return texts.length > 0 ? [...new Set(texts)].join('\n') : `// ${name}: of another package`;
}

function compareNames(a, b) {
  return a < b ? -1 : 1;
}

function report(title, entries) {
  return `# ${title}\n\nWritten by \`npm run api\`.\n\n\`\`\`ts\n${entries.join('\n\n')}\n\`\`\`\n`;
}
