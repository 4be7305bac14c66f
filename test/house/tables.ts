/** The tables of a page, and the types of the source: for the tests that hold the one against the other. */
import { join } from 'node:path';
import ts from 'typescript';
import { hostOf } from './compiler-host.js';
import { root, strictOptions } from './public-types.js';
import { read } from './repository.js';

export interface Table {
  /** The heading that the table stands under. */
  readonly section: string;
  /** The line of text right before it. */
  readonly before: string;
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Every table of a page, in order. */
export function tablesOf(page: string): Table[] {
  const tables: { section: string; before: string; headers: string[]; rows: string[][] }[] = [];
  let [section, before, isInTable] = ['', '', false];
  for (const line of page.split('\n')) {
    const isRow = line.startsWith('|');
    if (line.startsWith('#')) section = line.replace(/^#+ /, '');
    if (isRow && !isInTable) tables.push({ section, before, headers: cellsOf(line), rows: [] });
    else if (isRow && !/^\|[\s:|-]+\|$/.test(line)) tables.at(-1)?.rows.push(cellsOf(line));
    if (!isRow && line.trim() !== '') before = line;
    isInTable = isRow;
  }
  return tables;
}

/** All rows of the tables of a page whose first column has this heading, and that stand in this section, if one is named. */
export function rowsOf(page: string, header: string, section?: string): (readonly string[])[] {
  const all = tablesOf(read(page)).filter(({ headers }) => headers[0] === header);
  return all.filter((table) => section === undefined || table.section === section).flatMap(({ rows }) => rows);
}

/** The names in backquotes of a cell or a sentence. */
export const namesIn = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

/** Reads the types that some files of the source export. */
export class SourceTypes {
  readonly #checker: ts.TypeChecker;
  readonly #exported: readonly ts.Symbol[];

  constructor(...files: readonly string[]) {
    const paths = files.map((file) => join(root, file));
    const program = ts.createProgram(paths, strictOptions, hostOf(strictOptions));
    this.#checker = program.getTypeChecker();
    this.#exported = paths.flatMap((path) => {
      const source = program.getSourceFile(path);
      const module = source && this.#checker.getSymbolAtLocation(source);
      return module === undefined ? [] : this.#checker.getExportsOfModule(module);
    });
  }

  /** The type that is exported under this name. */
  type(name: string): ts.Type {
    const found = this.#exported.find((each) => each.name === name);
    if (found === undefined) throw new Error(`No type ${name} is exported`);
    const isAlias = (found.flags & ts.SymbolFlags.Alias) !== 0;
    return this.#checker.getDeclaredTypeOfSymbol(isAlias ? this.#checker.getAliasedSymbol(found) : found);
  }

  /** Its fields, each with a question mark if it may be absent. */
  fields(type: string | ts.Type): string[] {
    const of = typeof type === 'string' ? this.type(type) : type;
    return this.#checker
      .getPropertiesOfType(of)
      .map(({ name, flags }) => ((flags & ts.SymbolFlags.Optional) === 0 ? name : `${name}?`));
  }

  /** The fields of each of its fields, by name. */
  fieldsByName(name: string): Record<string, string[]> {
    const properties = this.#checker.getPropertiesOfType(this.type(name));
    return Object.fromEntries(properties.map((each) => [each.name, this.fields(this.#checker.getTypeOfSymbol(each))]));
  }

  /** The members of a union, by their `type`, each with its other fields. */
  members(name: string): Record<string, string[]> {
    const type = this.type(name);
    const members = type.isUnion() ? type.types : [type];
    return Object.fromEntries(
      members.map((member) => {
        const kind = member.getProperty('type');
        const literal = kind && this.#checker.getTypeOfSymbol(kind);
        if (literal === undefined || !literal.isStringLiteral()) throw new Error(`${name} has a member without a type`);
        return [literal.value, this.fields(member).filter((field) => field !== 'type')];
      }),
    );
  }
}
