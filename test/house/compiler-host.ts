/**
 * What the compiler reads by, for the tests that compile: the disk, with files of a test's own before it. Files of the language and of
 * dependencies are parsed once, however many programs read them.
 */
import ts from 'typescript';

const parsedOnce = new Map<string, ts.SourceFile | undefined>();

export function hostOf(options: ts.CompilerOptions, own: ReadonlyMap<string, string> = new Map()): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true);
  const { getSourceFile } = host;
  const { readFile, fileExists } = ts.sys;
  host.readFile = (path) => own.get(path) ?? readFile(path);
  host.fileExists = (path) => own.has(path) || fileExists(path);
  host.getSourceFile = (path, how, ...rest) => {
    if (own.has(path) || !path.includes('/node_modules/')) return getSourceFile(path, how, ...rest);
    const key = `${path} ${JSON.stringify(how)}`;
    if (!parsedOnce.has(key)) parsedOnce.set(key, getSourceFile(path, how, ...rest));
    return parsedOnce.get(key);
  };
  return host;
}
