/** Everything at the front door is explained where an editor shows it: a comment, with an example. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

function undocumented(file: string, text?: string): string[] {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  if (text !== undefined) {
    host.readFile = (path) => (path === file ? text : read(path));
    host.fileExists = (path) => path === file || ts.sys.fileExists(path);
  }
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const door = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
  return checker.getExportsOfModule(door as ts.Symbol).flatMap((each) => {
    const symbol = each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each;
    const said = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
    const example = symbol.getJsDocTags(checker).some((tag) => tag.name === 'example');
    return said !== '' && example ? [] : [each.name];
  });
}

test('every root export has a comment with an example', () => {
  expect(undocumented(join(root, 'src/index.ts'))).toEqual([]);
});

test('a name without one is found', () => {
  const text = `/** Said. @example x */\nexport const good = 1;\n/** Said. */\nexport const bad = 1;\nexport type Worse = 1;`;
  expect(undocumented(join(root, 'src/made-up.ts'), text)).toEqual(['bad', 'Worse']);
});
