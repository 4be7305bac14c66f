/** What a program infers from the library can stand in its own declarations: every type that the calls give back has a name at the front door. */
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root, strictOptions } from './public-types.js';

const stranger = join(root, 'stranger');
const installed = join(stranger, 'node_modules/askback');

const options: ts.CompilerOptions = { ...strictOptions, declaration: true };

/** The package as npm installs it, in memory: its declarations, behind its exports. */
function packed(): Map<string, string> {
  const files = new Map([[join(installed, 'package.json'), ts.sys.readFile(join(root, 'package.json')) ?? '']]);
  const dist = {
    ...options,
    rootDir: join(root, 'src'),
    outDir: join(installed, 'dist'),
    emitDeclarationOnly: true,
    noCheck: true,
    stripInternal: true,
  };
  const program = ts.createProgram([join(root, 'src/index.ts')], dist);
  program.emit(undefined, (path, text) => files.set(path, text));
  return files;
}

/** What the compiler says when a program that uses the package writes its declarations. */
function problemsOf(text: string, files: ReadonlyMap<string, string>): string[] {
  const file = join(stranger, 'program.ts');
  const all = new Map([
    ...files,
    [file, text],
    [join(stranger, 'package.json'), JSON.stringify({ name: 'stranger', type: 'module' })],
  ]);
  const folders = new Set([...all.keys()].flatMap((path) => parentsOf(path)));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = ts.sys;
  host.readFile = (path) => all.get(path) ?? readFile(path);
  host.fileExists = (path) => all.has(path) || fileExists(path);
  host.directoryExists = (path) => folders.has(path) || ts.sys.directoryExists(path);
  host.realpath = (path) => path;
  host.getSourceFile = (path, version) => {
    const source = host.readFile(path);
    return source === undefined ? undefined : ts.createSourceFile(path, source, version);
  };
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file) as ts.SourceFile;
  const found = [...program.getSemanticDiagnostics(source), ...program.getDeclarationDiagnostics(source)];
  return found.map(({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

const program = `
import { AgentRegistry, type Shape } from 'askback';

const registry = new AgentRegistry();
type Given<F extends (...given: never[]) => unknown, N extends number> = NonNullable<Parameters<F>[N]>;
declare function the<T>(): T;

export const openedAsk = () => registry.ask('Size?', { channel: 'phone' });
export const askOptions = () => the<Given<typeof registry.ask, 1>>();
export const settled = () => registry.decline('a');
export const cancelled = () => registry.cancel({ conversationId: 'c' });
export const parkedWork = () => registry.parked();
export const historyItems = async () => (await registry.history('c')).items;
export const sweepReport = () => registry.sweep();
export const disposition = () => registry.retry('w');
export const choices = (shape: Shape) => (shape.type === 'choices' ? shape.choices : []);
export const registryOptions = () => the<NonNullable<ConstructorParameters<typeof AgentRegistry>[0]>>();
export const settings = () => the<NonNullable<ReturnType<typeof registryOptions>['settings']>>();
export const status = async () => (await registry.getAsk('a'))?.status;
export const policies = () => the<NonNullable<ReturnType<typeof registryOptions>['policies']>>();
export const logger = () => the<NonNullable<ReturnType<typeof registryOptions>['logger']>>();
export const on = () => registry.on;
export const clock = () => the<NonNullable<ReturnType<typeof registryOptions>['clock']>>();
export const agents = () => the<NonNullable<ReturnType<typeof registryOptions>['agents']>>();
export const sortReply = () => the<NonNullable<ReturnType<typeof registryOptions>['sortReply']>>();
export const form = () => the<Given<typeof registry.askAndWait, 1>>();
export const waiting = () => the<Given<typeof registry.wait, 1>>();
`;

test('a program can declare functions that give back what the calls do', () => {
  const control = "import type { Nothing } from 'askback';"; // the package is found, and what it lacks is told
  expect(problemsOf(`${control}\n${program}`, packed())).toEqual([expect.stringMatching(/^TS2305 .*Nothing/)]);
});
