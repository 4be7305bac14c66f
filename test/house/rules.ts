/**
 * The house rules as pure functions: files in, complaints out. No file is read here.
 */
import { posix } from 'node:path';
import ts from 'typescript';

export interface SourceFile {
  /** From the root of the repository, with forward slashes: 'src/core/ask.ts'. */
  readonly path: string;
  readonly text: string;
}

export type Rule = (files: readonly SourceFile[]) => string[];

/** From the bottom up. A file imports from its own room and from those before it. */
export const floors = [
  'browser',
  'core',
  'machine',
  'answers',
  'stores',
  'channels',
  'registry',
  'telemetry',
  'agent',
  'models',
  'tools',
  'server',
  'cli',
  'testing',
];

const roof = 'src/index.ts';
/** A folder that holds more is two rooms. */
const filesInAFolder = 12;

export const importsGoDown: Rule = (files) =>
  files.flatMap((file) => {
    const own = floorOf(file.path);
    if (own < 0) return [`${file.path} stands in no room: ${floors.join(', ')}`];
    return importsOf(file).flatMap((name) => {
      if (name === 'askback' || name.startsWith('askback/')) return [`${file.path} imports the package by its name`];
      if (!name.startsWith('.'))
        return floors[own] === 'browser' ? [`${file.path} runs in a page and imports ${name}`] : [];
      const target = resolved(file, name);
      const floor = floorOf(target);
      if (floor < 0) return [`${file.path} imports ${target}, which stands in no room`];
      return floor > own ? [`${file.path} imports upwards from ${target}`] : [];
    });
  });

export const noCycles: Rule = (files) => {
  const graph = new Map<string, string[]>();
  for (const file of files) {
    const relative = importsOf(file).filter((name) => name.startsWith('.'));
    graph.set(
      file.path,
      relative.map((name) => resolved(file, name)),
    );
  }
  const cycles: string[] = [];
  const finished = new Set<string>();
  const walk = (path: string, way: readonly string[]) => {
    if (way.includes(path)) return cycles.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    if (finished.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...way, path]);
    finished.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
};

/** Time and randomness are given, never taken: only src/machine/, and in a page machine.ts, may reach for the machine's. */
export const nothingTaken: Rule = (files) =>
  files
    .filter(({ path }) => !path.startsWith('src/machine/') && path !== 'src/browser/machine.ts')
    .flatMap((file) => nodesOf(file).flatMap((node) => takenBy(node).map((what) => `${placeOf(node)} takes ${what}`)));

export const fewFilesAFolder: Rule = (files) => {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count > filesInAFolder
      ? [`${folder} holds ${count} files, more than ${filesInAFolder}: join what is one subject, or give some a folder`]
      : [],
  );
};

export const noTypeNameTwice: Rule = (files) => {
  const places = new Map<string, string[]>();
  for (const node of files.flatMap(nodesOf)) {
    if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node) && !ts.isClassDeclaration(node)) continue;
    const name = node.name?.text;
    if (name !== undefined) places.set(name, [...(places.get(name) ?? []), placeOf(node)]);
  }
  return [...places].flatMap(([name, where]) =>
    where.length > 1 ? [`${name} is the name of ${where.length} types: ${where.join(', ')}`] : [],
  );
};

export const nothingLeftForLater: Rule = (files) =>
  files.flatMap((file) =>
    file.text.split('\n').flatMap((line, i) => {
      const mark = /\b(TODO|FIXME)\b/.exec(line) ?? /not implemented/i.exec(line);
      return mark ? [`${file.path}:${i + 1} says "${mark[0]}"`] : [];
    }),
  );

export const opensWithComment: Rule = (files) =>
  files
    .filter((file) => !/^(#!.*\n)?\/\*\*/.test(file.text))
    .map((file) => `${file.path} does not open with a /** comment */ that says what it is`);

export const noStarAtTheDoor: Rule = (files) =>
  files
    .filter((file) => file.path === roof)
    .flatMap(nodesOf)
    .filter((node) => ts.isExportDeclaration(node) && !(node.exportClause && ts.isNamedExports(node.exportClause)))
    .map((node) => `${placeOf(node)} exports with a star`);

export const noDefaultExports: Rule = (files) =>
  files
    .flatMap(nodesOf)
    .filter(
      (node) =>
        ts.isExportAssignment(node) ||
        node.kind === ts.SyntaxKind.DefaultKeyword ||
        (ts.isExportSpecifier(node) && node.name.text === 'default'),
    )
    .filter((node) => !ts.isDefaultClause(node.parent))
    .map((node) => `${placeOf(node)} exports a default`);

/** The names that a file exports in lists or declares, in order. */
export function exportsOf(file: SourceFile): { values: string[]; types: string[] } {
  const values: string[] = [];
  const types: string[] = [];
  for (const node of parsed(file).statements) {
    if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)) {
      for (const one of node.exportClause.elements) {
        (node.isTypeOnly || one.isTypeOnly ? types : values).push(one.name.text);
      }
    }
    const exported =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!exported) continue;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) types.push(node.name.text);
    else if (ts.isVariableStatement(node))
      values.push(...node.declarationList.declarations.map((d) => d.name.getText()));
    else if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) values.push(node.name?.text ?? 'default');
  }
  return { values, types };
}

function floorOf(path: string): number {
  if (path === roof) return floors.length;
  const [top, room, ...rest] = path.split('/');
  return top === 'src' && rest.length > 0 ? floors.indexOf(room ?? '') : -1;
}

/** Types, re-exports and import() included. */
function importsOf(file: SourceFile): string[] {
  return ts.preProcessFile(file.text, true, true).importedFiles.map((one) => one.fileName);
}

function resolved(file: SourceFile, name: string): string {
  return posix.join(posix.dirname(file.path), name).replace(/\.js$/, '.ts');
}

const ofGlobals = new Set(['globalThis', 'global', 'timers']);

function takenBy(node: ts.Node): string[] {
  if (ts.isPropertyAccessExpression(node) && /^(now|random)$/.test(node.name.text)) {
    const name = `${node.expression.getText()}.${node.name.text}`;
    if (/(^|\.)(Date\.now|performance\.now|Math\.random)$/.test(name)) return [name];
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
    return ['new Date()'];
  if (ts.isCallExpression(node)) {
    const { expression } = node;
    if (ts.isIdentifier(expression)) {
      if (expression.text === 'Date') return ['Date()'];
      if (/^(randomUUID|randomBytes|setTimeout|setInterval)$/.test(expression.text)) return [`${expression.text}()`];
    }
    if (ts.isPropertyAccessExpression(expression)) {
      const name = expression.name.text;
      if (/^(randomUUID|randomBytes)$/.test(name)) return [`${name}()`];
      // a clock that was given may well have a setTimeout of its own
      if (/^(setTimeout|setInterval)$/.test(name) && ofGlobals.has(expression.expression.getText()))
        return [`${name}()`];
    }
  }
  // under another name it is the same thing
  if (ts.isImportSpecifier(node) && node.propertyName) {
    const name = node.propertyName.text;
    if (/^(randomUUID|randomBytes|setTimeout|setInterval)$/.test(name)) return [`${name} as ${node.name.text}`];
  }
  return [];
}

const trees = new WeakMap<SourceFile, ts.SourceFile>();
const nodes = new WeakMap<SourceFile, readonly ts.Node[]>();

/** Its syntax tree. A file is parsed once, however many rules look at it. */
export function parsed(file: SourceFile): ts.SourceFile {
  const tree = trees.get(file) ?? ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, true);
  trees.set(file, tree);
  return tree;
}

function nodesOf(file: SourceFile): readonly ts.Node[] {
  const known = nodes.get(file);
  if (known !== undefined) return known;
  const all: ts.Node[] = [];
  const visit = (node: ts.Node) => {
    all.push(node);
    ts.forEachChild(node, visit);
  };
  visit(parsed(file));
  nodes.set(file, all);
  return all;
}

function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
