/**
 * Judges the code blocks of the pages. Each problem is a line with the page and where it stands. The rules:
 * - A ```ts block is compiled as it is shown, as a module of its own.
 * - One that begins with `// continues the block above` is one file with the block before it.
 * - One that begins with `// examples/NAME.ts` shows lines of that file, verbatim and in order; a line `// …` stands where
 *   lines are left out. The comment that opens the file may be left out without one.
 * - One that calls console.log, or that a ```text block follows directly, is run. The text is all that it writes to the
 *   terminal; `…` in a line there stands for anything, and a line `…` for any lines. The program ends by itself.
 * - ```ts no-run: reason is compiled only; ```ts no-check: reason is not even compiled.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { diesWithUs, patience } from '../../support/processes.js';
import type { Block } from './pages.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const inRoot = (path: string) => posix.join(root.replaceAll('\\', '/'), path);

const continues = '// continues the block above';
const firstLine = (block: Block) => block.code.split('\n', 1)[0]?.trim() ?? '';

/** The file that a block shows lines of, by its first line. */
export function excerptOf(block: Block): string | undefined {
  return /^\/\/ ((?:test\/)?examples\/[\w.-]+\.ts)$/.exec(firstLine(block))?.[1];
}

const isUnchecked = (block: Block) => block.marks.startsWith('no-check');

/** One file: a block with all that continue it. */
export interface Program {
  readonly blocks: readonly Block[];
  readonly text: string;
  /** Page and line of a line of `text`, both from 0. */
  at(line: number): string;
}

/** A block of which nothing but the page counts, such as a TSDoc example, is a program of its own. */
export function programsOf(blocks: readonly Block[]): Program[] {
  const chains: Block[][] = [];
  for (const block of blocks) {
    if (isUnchecked(block) || excerptOf(block) !== undefined) continue;
    const before = blocks[blocks.indexOf(block) - 1];
    const chain = chains.at(-1);
    if (firstLine(block) === continues && chain !== undefined && chain.at(-1) === before) chain.push(block);
    else chains.push([block]);
  }
  return chains.map((chain) => {
    const places = chain.flatMap(({ page, line, code }) =>
      code
        .split('\n')
        .slice(1)
        .map((_, i) => `${page}:${line + 1 + i}`),
    );
    return {
      blocks: chain,
      text: chain.map(({ code }) => code).join(''),
      at: (line) => places[line] ?? places.at(-1) ?? '?',
    };
  });
}

/** What is wrong with the form of a page's blocks, before anything is compiled. */
export function misshapen(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block, i) => {
    const where = `${block.page}:${block.line}`;
    const before = blocks[i - 1];
    if (block.marks !== '' && !/^no-(?:check|run): \S.{5,}$/.test(block.marks)) {
      return `${where} is marked "${block.marks}"; write "no-run: reason" or "no-check: reason"`;
    }
    if (firstLine(block) !== continues) return [];
    if (before === undefined) return `${where} continues the block above, but there is none`;
    if (isUnchecked(before) || excerptOf(before) !== undefined) {
      return `${where} continues ${before.page}:${before.line}, which is no program that is compiled`;
    }
    return [];
  });
}

/** What is wrong with a block that shows lines of a file: verbatim, in order, `// …` where lines are left out. */
export function misquoted(block: Block, text: string): string[] {
  const name = excerptOf(block);
  const shown = block.code.split('\n').slice(1, -1);
  const file = text.replace(/\n+$/, '').split('\n');
  const opening = /^\/\*\*[\s\S]*?\*\/\n+/.exec(text)?.[0] ?? '';
  const problem = (at: number, why: string) => [`${block.page}:${block.line + 2 + at} ${why} ${name}`];
  let next = 0; // the line of the file that comes after what has been shown
  let isFree = false; // whether lines may have been left out before this one
  for (let at = 0; at < shown.length; ) {
    if (shown[at]?.trim() === '// …') {
      isFree = true;
      at += 1;
      continue;
    }
    const end = shown.findIndex((line, i) => i > at && line.trim() === '// …');
    const part = trimmed(shown.slice(at, end === -1 ? undefined : end));
    const starts = isFree
      ? file.map((_, i) => i).filter((i) => i >= next)
      : [0, opening.split('\n').length - 1].filter((start) => at > 0 || start >= next);
    const fits = (start: number) => part.every((line, i) => file[start + i] === line);
    const start = starts.find(fits);
    if (start === undefined) {
      const best = starts.find((each) => file[each] === part[0]) ?? next;
      const wrong = part.findIndex((line, i) => file[best + i] !== line);
      const reason =
        part.length > 0 && best + wrong >= file.length ? 'goes on after the end of' : 'is not the next line of';
      return problem(shown.indexOf(part[wrong] ?? '', at), reason);
    }
    next = start + part.length;
    isFree = false;
    at = end === -1 ? shown.length : end;
  }
  const rest = file.slice(next).some((line) => line.trim() !== '');
  return rest && !isFree ? problem(shown.length - 1, 'ends, without a line "// …", before the end of') : [];
}

function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

export function misquotedIn(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    const name = excerptOf(block);
    if (name === undefined) return [];
    const path = inRoot(name);
    return existsSync(path)
      ? misquoted(block, readFileSync(path, 'utf8'))
      : [`${block.page}:${block.line + 1} names ${name}, which does not exist`];
  });
}

/** The compiler's settings for what a reader copies: ours, and nothing that Node cannot strip away from a .ts file. */
function compilerOptions(): ts.CompilerOptions {
  const config = ts.getParsedCommandLineOfConfigFile(
    inRoot('tsconfig.json'),
    { erasableSyntaxOnly: true },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (problem) => {
        throw new Error(String(problem.messageText));
      },
    },
  );
  if (config === undefined) throw new Error('tsconfig.json cannot be read');
  return config.options;
}

/** What the compiler says about a program; all of them are parsed together, once, and each is checked when asked for. */
export function compiler(programs: readonly Program[], before?: ts.Program): (program: Program) => string[] {
  const options = before?.getCompilerOptions() ?? compilerOptions();
  const names = new Map(programs.map((program, i) => [program, inRoot(`examples/snippet-${i}.ts`)]));
  const texts = new Map([...names].map(([program, name]) => [name, `${program.text}\nexport {};\n`]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.readFile = (name) => texts.get(name) ?? readFile(name);
  host.getSourceFile = (name, ...rest) => {
    const text = texts.get(name);
    return text === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, text, {
          languageVersion: ts.ScriptTarget.ES2023,
          impliedNodeFormat: ts.ModuleKind.ESNext,
        });
  };
  const whole = ts.createProgram([...texts.keys()], options, host, before);
  return (program) => {
    const file = whole.getSourceFile(names.get(program) ?? '');
    return [...whole.getSyntacticDiagnostics(file), ...whole.getSemanticDiagnostics(file)].map((problem) => {
      const line = file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0;
      return `${program.at(line)} ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`;
    });
  };
}

/** The TSDoc examples of all that the files export, and of its members, by name. */
export function documentedExamples(files: readonly string[]): { examples: Map<string, Block[]>; program: ts.Program } {
  const program = ts.createProgram(files, compilerOptions());
  const checker = program.getTypeChecker();
  const examples = new Map<string, Block[]>();
  const seen = new Set<ts.Symbol>();
  const collect = (symbol: ts.Symbol, name: string) => {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    const blocks = (symbol.declarations ?? []).flatMap((declaration) => {
      if (!declaration.getSourceFile().fileName.startsWith(inRoot('src/'))) return [];
      return ts.getJSDocTags(declaration).flatMap((tag) => (tag.tagName.text === 'example' ? [exampleBlock(tag)] : []));
    });
    if (blocks.length > 0) examples.set(name, [...(examples.get(name) ?? []), ...blocks]);
    if (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) {
      for (const [key, member] of symbol.members ?? []) collect(member, `${name}.${key}`);
      for (const [key, member] of symbol.exports ?? []) collect(member, `${name}.${key}`);
    }
  };
  for (const file of files) {
    const door = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
    for (const each of door === undefined ? [] : checker.getExportsOfModule(door)) {
      collect(each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each, each.name);
    }
  }
  return { examples, program };
}

/** The text of the tag as a block; a fence around it is not part of it. */
function exampleBlock(tag: ts.JSDocTag): Block {
  const file = tag.getSourceFile();
  const said = (ts.getTextOfJSDocComment(tag.comment) ?? '').replace(/^\s*\n/, '');
  const code = said.replace(/^\s*```ts *\n/, '').replace(/\n```\s*$/, '');
  const line = file.getLineAndCharacterOfPosition(tag.getStart()).line + (code === said ? 1 : 2);
  const page = posix.relative(inRoot('.'), file.fileName);
  return { page, line, language: 'ts', marks: '', code: `${code}\n`, after: line };
}

/** Whether the output is the expected one. `…` in a line stands for anything there; a line `…` for any lines. */
export function isOutput(got: string, expected: string): boolean {
  const lines = tidy(expected).map((line) =>
    line.trim() === '…' ? '(?:.*\\n)*' : `${line.split('…').map(escaped).join('.*')}\\n`,
  );
  return new RegExp(`^${lines.join('')}$`, 'u').test(
    tidy(got)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Lines without the white space at their ends, and without empty lines at the end. */
function tidy(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  return lines.length === 1 && lines[0] === '' ? [] : lines.map((line) => line.trimEnd());
}

/** What a program is expected to print, or undefined where it is not run. */
export function expectedOutput(program: Program): string | undefined {
  const isRun = program.blocks.every((block) => !block.marks.startsWith('no-run'));
  const prints = /^(?!\s*(?:\/\/|\*)).*\bconsole\.log\(/m.test(program.text);
  const outputs = program.blocks.flatMap(({ output }) => (output === undefined ? [] : [output]));
  return isRun && (prints || outputs.length > 0) ? outputs.join('') : undefined;
}

/**
 * Runs the programs as a reader would: each in an empty folder, in a process of its own, with the built package in
 * node_modules. What it writes to the terminal, in order, must be what the page shows; it must end by itself, with 0.
 */
export async function misprinted(programs: readonly Program[], timeoutMs = patience): Promise<string[]> {
  const run = programs.filter((program) => expectedOutput(program) !== undefined);
  if (run.length === 0) return [];
  if (!existsSync(inRoot('dist/index.js'))) throw new Error('The package is not built. Run: npm run build');
  const home = mkdtempSync(join(tmpdir(), 'askback-pages-'));
  try {
    installed(home);
    const problems: string[][] = [];
    const queue = run.map((program, i) => async () => {
      problems[i] = await outcome(program, join(home, `program-${i}`), timeoutMs);
    });
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
    };
    await Promise.all([worker(), worker()]);
    return problems.flat();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A node_modules with what the repository has installed, and the repository itself as the package. */
function installed(home: string): void {
  mkdirSync(join(home, 'node_modules'));
  for (const name of readdirSync(inRoot('node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(inRoot(`node_modules/${name}`), join(home, 'node_modules', name));
  }
  if (!existsSync(join(home, 'node_modules/askback'))) symlinkSync(root, join(home, 'node_modules/askback'));
}

async function outcome(program: Program, folder: string, timeoutMs: number): Promise<string[]> {
  mkdirSync(folder);
  const { outputText } = ts.transpileModule(program.text, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  writeFileSync(join(folder, 'program.mjs'), outputText);
  const terminal = openSync(join(folder, 'terminal.txt'), 'w');
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['program.mjs'], {
    cwd: folder,
    env: { PATH, HOME, TZ: 'UTC', LANG: 'C.UTF-8' },
    stdio: ['ignore', terminal, terminal],
  });
  diesWithUs(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.on('close', (...end) => resolve(end));
  });
  clearTimeout(timer);
  closeSync(terminal);
  const got = readFileSync(join(folder, 'terminal.txt'), 'utf8');
  const expected = expectedOutput(program) ?? '';
  const shown = `\n--- expected\n${expected}--- got\n${got}`;
  const where = program.at(0);
  if (signal !== null) return [`${where} did not end by itself within ${timeoutMs} ms${shown}`];
  if (code !== 0) return [`${where} ended with code ${code}${shown}`];
  if (isOutput(got, expected)) return [];
  const hint = expected === '' ? ' (a ```text block with its output must follow the block)' : '';
  return [`${where} prints something else than the page shows${hint}${shown}`];
}

/** Fails with the problems as they are, one below the other. */
export function expectNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${problems.length} problems\n${problems.join('\n')}`);
}
