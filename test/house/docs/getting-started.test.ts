/** The tsconfig.json that Getting started shows is enough for the packages that other pages add. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { patience } from '../../support/processes.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('a program that imports the AI SDK compiles with the tsconfig.json of Getting started', {
  timeout: patience,
}, () => {
  const page = readFileSync(`${root}docs/getting-started.md`, 'utf8');
  const shown = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { compilerOptions } = JSON.parse(shown) as { compilerOptions: object };
  const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  expect(errors).toEqual([]);
  const file = `${root}examples/virtual-program.ts`;
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  const text = "import { generateText } from 'ai';\nexport const call = generateText;\n";
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, language, ...rest) =>
    name === file ? ts.createSourceFile(name, text, language) : getSourceFile(name, language, ...rest);
  const problems = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});
