/** A program of somebody else, who has installed the package, and what the compiler says when it writes its declarations. */
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { hostOf } from './compiler-host.js';
import { root, strictOptions } from './public-types.js';

const stranger = join(root, 'stranger');
const installed = join(stranger, 'node_modules/askback');

const options: ts.CompilerOptions = { ...strictOptions, declaration: true };

/** The package as npm installs it, in memory: its declarations, behind its exports. */
function packed(declarations: ReadonlyMap<string, string>): Map<string, string> {
  const files = new Map([[join(installed, 'package.json'), ts.sys.readFile(join(root, 'package.json')) ?? '']]);
  for (const [path, text] of declarations) files.set(path.replace(join(root, 'src'), join(installed, 'dist')), text);
  return files;
}

/** What the compiler says about this program, given the declarations of the package by the path of their source. */
export function problemsOf(text: string, declarations: ReadonlyMap<string, string>): string[] {
  const file = join(stranger, 'program.ts');
  const all = new Map([
    ...packed(declarations),
    [file, text],
    [join(stranger, 'package.json'), JSON.stringify({ name: 'stranger', type: 'module' })],
  ]);
  const folders = new Set([...all.keys()].flatMap((path) => parentsOf(path)));
  const host = hostOf(options, all);
  host.directoryExists = (path) => folders.has(path) || ts.sys.directoryExists(path);
  host.realpath = (path) => path;
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file) as ts.SourceFile;
  const found = [...program.getSemanticDiagnostics(source), ...program.getDeclarationDiagnostics(source)];
  return found.map(({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

/** Gives back what the calls of the library give, without a type of its own. */
export const inferring = `
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
