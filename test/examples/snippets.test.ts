/** Every snippet in the pages compiles against the source, and what is said to come from an example does. */
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { read } from '../house/repository.js';
import { allBlocks, type Block, blocksIn, pages } from './pages.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const inRoot = (path: string) => posix.join(root.replaceAll('\\', '/'), path);

/** What the compiler says about the blocks, each as a module of its own beside the examples. */
function complaints(blocks: readonly Block[]): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    inRoot('tsconfig.json'),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (problem) => {
        throw new Error(String(problem.messageText));
      },
    },
  );
  if (config === undefined) throw new Error('tsconfig.json cannot be read');
  const files = new Map(
    blocks.map((block, i) => [
      inRoot(`examples/snippet-${i}.ts`),
      { block, text: `${block.given}${block.code}\nexport {};\n` },
    ]),
  );
  const host = ts.createCompilerHost(config.options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name)?.text ?? readFile(name);
  host.getSourceFile = (name, ...rest) => {
    const snippet = files.get(name);
    return snippet === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, snippet.text, {
          languageVersion: ts.ScriptTarget.ES2023,
          impliedNodeFormat: ts.ModuleKind.ESNext,
        });
  };
  const program = ts.createProgram([...files.keys()], config.options, host);
  return [...files].flatMap(([name, { block }]) => {
    const file = program.getSourceFile(name);
    const problems = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return problems.map((problem) => {
      const at = file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0;
      const line = block.line + 1 + at - (block.given.split('\n').length - 1);
      return `${block.page}:${line} ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`;
    });
  });
}

test('every snippet compiles', () => {
  const blocks = allBlocks().filter((block) => !block.marks.includes('no-check'));
  expect(blocks.length).toBeGreaterThan(15);
  expect(complaints(blocks)).toEqual([]);
});

test('a snippet that does not compile is found, by page and line', () => {
  const page =
    "text\n<!-- given\nimport { agent } from 'askback';\n-->\n```ts\nconst a = agent('a');\nagent(1);\n```\n";
  expect(complaints(blocksIn('page.md', page))).toEqual([
    "page.md:7 Argument of type 'number' is not assignable to parameter of type 'string'.",
  ]);
});

test('a snippet that is not checked says why, and they are few', () => {
  const unchecked = allBlocks().filter((block) => block.marks.includes('no-check'));
  for (const { marks } of unchecked) expect(marks).toMatch(/^no-check: \S.{5,}/);
  expect(unchecked.length).toBeLessThan(8);
});

describe('blocks taken from examples', () => {
  const taken = allBlocks().filter((block) => block.from !== undefined);

  test('the first program of the README is an example', () => {
    expect(blocksIn('README.md', read('README.md'))[0]?.from).toBe('examples/refund.ts');
  });

  test.each(taken.map((block) => [`${block.page}:${block.line}`, block] as const))('%s is the file', (_, block) => {
    expect(block.code).toBe(read(block.from ?? ''));
  });
});

test.each(pages)('every link of %s to a file leads to one', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '');
  const files = links.filter((link) => !/^[a-z]+:/.test(link)).map((link) => posix.join(posix.dirname(page), link));
  expect(files.filter((file) => !existsSync(inRoot(file)))).toEqual([]);
});

test('every heading that a link of the README names is there', () => {
  const readme = read('README.md');
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  const named = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1] ?? '');
  expect(named.filter((name) => !headings.includes(name))).toEqual([]);
});
