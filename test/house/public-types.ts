/**
 * What users see of the package: its declarations, as the compiler writes them, behind every door of the exports map.
 * It only looks; what must hold is said in the tests beside it.
 */
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { hostOf } from './compiler-host.js';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A strict project's own. */
export const strictOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

/** The source file of every door: `.` is the root. */
export function doors(): Map<string, string> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as {
    config: { compilerOptions: { paths: Record<string, [string]> } };
  };
  return new Map(Object.entries(config.compilerOptions.paths).map(([name, [path]]) => [name, join(root, path)]));
}

/** The declarations of the package, by the path of their source with `.d.ts`. */
export function declarationsOf(files: readonly string[]): Map<string, string> {
  const emitted = new Map<string, string>();
  const options: ts.CompilerOptions = {
    ...strictOptions,
    declaration: true,
    stripInternal: true,
    emitDeclarationOnly: true,
    noCheck: true,
    rootDir: root,
    outDir: root,
  };
  const program = ts.createProgram(files, options, hostOf(options));
  program.emit(undefined, (path, text) => emitted.set(path, text));
  return emitted;
}

/** One thing that a user's editor shows: an export, or a member of one. */
export interface Shown {
  /** `askback.AgentRegistry.handle` */
  readonly name: string;
  readonly node: ts.Declaration;
  readonly symbol: ts.Symbol;
}

/** The declarations as a program that can be asked. */
export class PublicTypes {
  readonly checker: ts.TypeChecker;
  readonly #program: ts.Program;
  /** The declarations, by the path of their source with `.d.ts`. */
  readonly files: ReadonlyMap<string, string>;
  readonly #doors: ReadonlyMap<string, string>;

  constructor(entries: ReadonlyMap<string, string>, files = declarationsOf([...entries.values()])) {
    this.files = files;
    this.#doors = new Map([...entries].map(([name, path]) => [name, path.replace(/\.ts$/, '.d.ts')]));
    const host = hostOf(strictOptions, files);
    const { fileExists } = host;
    // a declaration stands beside its source, which the compiler would take first
    const isSource = (path: string) => files.has(path.replace(/\.ts$/, '.d.ts'));
    host.fileExists = (path) => files.has(path) || (!isSource(path) && fileExists(path));
    this.#program = ts.createProgram([...this.#doors.values()], strictOptions, host);
    this.checker = this.#program.getTypeChecker();
  }

  /** Every export of every door. */
  exports(): Shown[] {
    return [...this.#doors].flatMap(([door, path]) => {
      const file = this.#program.getSourceFile(path);
      const module = file && this.checker.getSymbolAtLocation(file);
      if (module === undefined) throw new Error(`${door} (${path}) is no module`);
      return this.checker.getExportsOfModule(module).flatMap((each) => {
        const symbol = this.#aimOf(each);
        return (symbol.declarations ?? []).map((node) => ({ name: `${door}.${each.name}`, node, symbol }));
      });
    });
  }

  /** The types of the package that exports lead to and that no door exports: a user meets them and cannot name them. */
  unnamed(): string[] {
    const all = this.exports();
    const named = new Set(all.map(({ symbol }) => symbol));
    const found = new Map<ts.Symbol, string | undefined>();
    const visit = (node: ts.Node, from: string): void => {
      for (const symbol of this.#typesIn(node)) {
        if (named.has(symbol) || found.has(symbol)) continue;
        const [declaration] = symbol.declarations ?? [];
        const where = relative(root, declaration?.getSourceFile().fileName ?? '');
        found.set(symbol, isValue(symbol) ? undefined : `${symbol.name} (${where}) by ${from}`);
        for (const each of symbol.declarations ?? []) visit(each, `${from} → ${symbol.name}`);
      }
    };
    for (const { node, name } of all) visit(node, name);
    return [...found.values()].filter((each) => each !== undefined).sort();
  }

  /** Every member of every exported interface and class, and of the types that are written inside of a function's parameters. */
  members(): Shown[] {
    const seen = new Set<ts.Node>();
    return this.exports().flatMap(({ name, node }) => {
      if (seen.has(node)) return [];
      seen.add(node);
      return this.#membersOf(node).map((member) => ({
        name: `${name}.${member.name === undefined ? '' : member.name.getText()}`,
        node: member,
        symbol: this.checker.getSymbolAtLocation(member.name ?? member) as ts.Symbol,
      }));
    });
  }

  /** What has no comment: exports first, then members. A member without one of its own has that of the interface it implements. */
  undocumented(): string[] {
    const isSilent = ({ symbol }: Shown) =>
      ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).trim() === '';
    return [...new Set([...this.exports(), ...this.members()].filter(isSilent).map(({ name }) => name))];
  }

  /** The exports of a door without a comment, or without an example in it. */
  withoutExample(door: string): string[] {
    return this.exports().flatMap(({ name, symbol }) => {
      const isSaid = ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).trim() !== '';
      const isShown = symbol.getJsDocTags(this.checker).some((tag) => tag.name === 'example');
      return name.startsWith(`${door}.`) && !(isSaid && isShown) ? [name.slice(door.length + 1)] : [];
    });
  }

  /** What carries this tag. */
  marked(tag: string): string[] {
    const isMarked = ({ symbol }: Shown) => symbol.getJsDocTags(this.checker).some(({ name }) => name === tag);
    return [...this.exports(), ...this.members()].filter(isMarked).map(({ name }) => name);
  }

  #membersOf(node: ts.Node): ts.NamedDeclaration[] {
    if (ts.isInterfaceDeclaration(node)) return node.members.filter((each) => each.name !== undefined);
    if (ts.isClassDeclaration(node))
      return node.members.filter(
        (each) => each.name !== undefined && !ts.isPrivateIdentifier(each.name) && !isPrivate(each),
      );
    if (ts.isFunctionDeclaration(node)) return node.parameters.flatMap((each) => membersWritten(each));
    if (ts.isTypeAliasDeclaration(node) && ts.isMappedTypeNode(node.type))
      return this.checker
        .getTypeAtLocation(node)
        .getProperties()
        .flatMap(({ declarations = [] }) => declarations);
    return [];
  }

  /** The types of the package that a declaration mentions, aliases followed. */
  #typesIn(node: ts.Node): ts.Symbol[] {
    const found: ts.Symbol[] = [];
    const look = (each: ts.Node): void => {
      if (ts.isClassElement(each) && isPrivate(each)) return;
      if (ts.isTypeReferenceNode(each)) found.push(...this.#ours(each.typeName));
      if (ts.isExpressionWithTypeArguments(each)) found.push(...this.#ours(each.expression));
      if (ts.isImportTypeNode(each) && each.qualifier) found.push(...this.#ours(each.qualifier));
      if (ts.isTypeQueryNode(each)) found.push(...this.#ours(each.exprName));
      if (ts.isComputedPropertyName(each)) found.push(...this.#ours(each.expression));
      ts.forEachChild(each, look);
    };
    look(node);
    return found;
  }

  #ours(name: ts.Node): ts.Symbol[] {
    const symbol = this.checker.getSymbolAtLocation(name);
    if (symbol === undefined) throw new Error(`${name.getText()} in ${name.getSourceFile().fileName} is not found`);
    const aim = this.#aimOf(symbol);
    if (aim.flags & ts.SymbolFlags.TypeParameter) return [];
    return aim.declarations?.some((each) => this.files.has(each.getSourceFile().fileName)) ? [aim] : [];
  }

  #aimOf(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

/** The members of the object types that stand inside of this declaration, not behind a name. */
function membersWritten(node: ts.Node): ts.NamedDeclaration[] {
  const own = ts.isTypeLiteralNode(node) ? node.members.filter((each) => each.name !== undefined) : [];
  const inner: ts.NamedDeclaration[] = [];
  ts.forEachChild(node, (each) => void inner.push(...membersWritten(each)));
  return [...own, ...inner];
}

const isPrivate = (each: ts.ClassElement): boolean =>
  (ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Private) !== 0;

/** A constant whose type is used: an editor shows the type, not the name. */
const isValue = (symbol: ts.Symbol): boolean =>
  (symbol.flags & ts.SymbolFlags.Variable) !== 0 && (symbol.flags & ts.SymbolFlags.Type) === 0;
