/** The checks of the pages find what they are for: each wrong page here is found, by page and line. */
import { expect, test } from 'vitest';
import { deadLinks, hiddenComments, unlisted, wrongLanguages } from './page-rules.js';
import { type Block, blocksIn } from './pages.js';
import { compiler, isOutput, misprinted, misquoted, misshapen, programsOf } from './snippets.js';

const page = (text: string) => blocksIn('page.md', text);
function compiled(text: string): string[] {
  const programs = programsOf(page(text));
  return programs.flatMap(compiler(programs));
}

test('a block that does not compile, a missing import and syntax that Node cannot strip are found', () => {
  const problems = compiled(`text
\`\`\`ts
import { agent } from 'askback';
agent(1);
\`\`\`

\`\`\`ts
const a = agent('a');
\`\`\`

\`\`\`ts
export class Paid {
  constructor(readonly order: string) {}
}
\`\`\`
`);
  expect(problems).toEqual([
    "page.md:4 Argument of type 'number' is not assignable to parameter of type 'string'.",
    "page.md:8 Cannot find name 'agent'.",
    "page.md:13 This syntax is not allowed when 'erasableSyntaxOnly' is enabled.",
  ]);
});

test('a block that continues the one above is one file with it, however many there are', () => {
  const first = '```ts\nconst a: number = 1;\n```\n';
  const next = '```ts\n// continues the block above\nconst b: string = a;\n```\n';
  const last = '```ts\n// continues the block above\nconst c: number = b;\n```\n';
  expect(compiled(`${first}\n${next}\n${last}`)).toEqual([
    "page.md:7 Type 'number' is not assignable to type 'string'.",
    "page.md:12 Type 'string' is not assignable to type 'number'.",
  ]);
  expect(misshapen(page(next))).toEqual(['page.md:1 continues the block above, but there is none']);
});

test('a mark without a reason, or that nobody knows, is found', () => {
  const block = (marks: string) => `\`\`\`ts ${marks}\n\`\`\`\n`;
  expect(misshapen(page(block('no-run: needs a Redis server')))).toEqual([]);
  expect(misshapen(page(block('no-check')))).toHaveLength(1);
  expect(misshapen(page(block('norun: needs a Redis server')))).toHaveLength(1);
});

test('a comment that the reader does not see is found, and TypeScript under another name', () => {
  const text =
    "<!-- given\nimport { agent } from 'askback';\n-->\n```ts\nagent('a');\n```\n<!-- for writers -->\n\ntext\n";
  expect(hiddenComments('page.md', text)).toEqual(['page.md:1 has a comment about code that the reader does not see']);
  expect(hiddenComments('page.md', '<!-- x -->\n```ts\n```\n')).toHaveLength(1);
  expect(wrongLanguages('page.md', '```typescript\n```\n')).toHaveLength(1);
});

test('a program that prints something else, fails, never ends, or whose output is not shown is found', async () => {
  const prints = (code: string, output?: string) =>
    `\`\`\`ts\n${code}\n\`\`\`\n${output === undefined ? '' : `\n\`\`\`text\n${output}\`\`\`\n`}`;
  const text = [
    prints("console.log('right');", 'right\n'),
    prints("console.log('right');", 'wrong\n'),
    prints("console.log('unseen');"),
    prints("console.log('last words');\nprocess.exit(3);", 'last words\n'),
    prints("console.log('on and on');\nsetInterval(() => {}, 1000);", 'on and on\n'),
    prints("import { agent } from 'askback';\nconsole.log(agent('a').name);", 'a\n'),
    prints("console.warn('a warning');\nconsole.log('said');", 'said\n'),
  ].join('\ntext\n\n');
  const problems = await misprinted(programsOf(page(text)), 5000);
  expect(problems.map((problem) => problem.split('\n')[0]?.replace(/^page\.md:\d+ /, ''))).toEqual([
    'prints something else than the page shows',
    'prints something else than the page shows (a ```text block with its output must follow the block)',
    'ended with code 3',
    'did not end by itself within 5000 ms',
    'prints something else than the page shows',
  ]);
  expect(problems[0]).toBe(
    'page.md:12 prints something else than the page shows\n--- expected\nwrong\n--- got\nright\n',
  );
});

test('a continued program prints what is shown below each of its blocks', async () => {
  const first = '```ts\nconst a = 1;\nconsole.log(a);\n```\n\n```text\n1\n```\n\n';
  const next = '```ts\n// continues the block above\nconsole.log(a + 1);\n```\n\n```text\n2\n```\n';
  expect(await misprinted(programsOf(page(first + next)))).toEqual([]);
  expect(await misprinted(programsOf(page(first + next.replace('2\n', '3\n'))))).toHaveLength(1);
});

test('three dots stand for anything in a line, and alone for any lines', () => {
  expect(isOutput('asked 7f3a-1 at 10:00\n', 'asked … at …\n')).toBe(true);
  expect(isOutput('asked 7f3a-1\nat 10:00\n', 'asked … at …\n')).toBe(false);
  expect(isOutput('a\nb\nc\nd\n', 'a\n…\nd\n')).toBe(true);
  expect(isOutput('a\nd\nd2\n', 'a\n…\nd\n')).toBe(false);
  expect(isOutput('1.5 (x)\n', '1.5 (x)\n')).toBe(true);
  expect(isOutput('125 (x)\n', '1.5 (x)\n')).toBe(false);
});

test('lines of a file are shown verbatim, in order, with three dots where some are left out', () => {
  const file = '/** What it is. */\nconst a = 1;\nconst b = 2;\n\nfunction f() {\n  return a;\n}\n';
  const quoted = (...lines: string[]) => {
    const [block] = page(['```ts', '// examples/f.ts', ...lines, '```', ''].join('\n'));
    return misquoted(block as Block, file);
  };
  const whole = file.trimEnd().split('\n');
  expect(quoted(...whole)).toEqual([]);
  expect(quoted(...whole.slice(1))).toEqual([]);
  expect(quoted('', ...whole.slice(1))).toEqual([]);
  expect(quoted('// …', 'const b = 2;', '// …')).toEqual([]);
  expect(quoted('const a = 1;', '// …', 'function f() {', '  // …', '}')).toEqual([]);
  expect(quoted('const b = 2;', '// …')).toEqual(['page.md:3 is not the next line of examples/f.ts']);
  expect(quoted('const a = 1;')).toEqual(['page.md:3 ends, without a line "// …", before the end of examples/f.ts']);
  expect(quoted('// …', 'const b = 2;', '// …', 'const a = 1;', '// …')).toHaveLength(1);
  expect(quoted('const a = 1;', 'const b = 3;', '// …')).toEqual(['page.md:4 is not the next line of examples/f.ts']);
});

test('a dead link, an anchor that is no heading and a link out of the package are found', () => {
  const text = `# One & two: \`three\`
## Twice
## Twice
[a](#one--two-three) [b](#twice-1) [c](flows.md) [d](https://example.org/x)
[e](#four) [f](gone.md)
[g](../src/index.ts) [h](flows.md#no-such-heading) \`[i](gone.md)\`
`;
  expect(deadLinks('docs/page.md', text)).toEqual([
    'docs/page.md:5 links to #four, which is no heading of docs/page.md',
    'docs/page.md:5 links to docs/gone.md, which does not exist',
    'docs/page.md:6 links to src/index.ts, which is not packed',
    'docs/page.md:6 links to #no-such-heading, which is no heading of docs/flows.md',
  ]);
});

test('a page that the index does not list is found', () => {
  const pages = ['docs/README.md', 'docs/a.md', 'docs/b.md', 'docs/records/README.md', 'docs/records/1.md'];
  expect(unlisted('docs/README.md', '[a](a.md)', pages)).toEqual(['docs/b.md', 'docs/records/README.md']);
  expect(unlisted('docs/records/README.md', '', pages)).toEqual(['docs/records/1.md']);
});
