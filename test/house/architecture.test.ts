/** The house has floors, and this test walks the stairs. Each rule is first shown to fail on a bad sample. */
import { describe, expect, test } from 'vitest';
import { sourceFiles } from './repository.js';
import {
  fewFilesAFolder,
  importsGoDown,
  noCycles,
  noDefaultExports,
  noStarAtTheDoor,
  noTypeNameTwice,
  nothingLeftForLater,
  nothingTaken,
  opensWithComment,
  type Rule,
  type SourceFile,
} from './rules.js';

interface Samples {
  readonly says: string;
  readonly rule: Rule;
  readonly bad: readonly (readonly SourceFile[])[];
  readonly good: readonly SourceFile[];
  /** A guideline: where the house does not keep it, that is printed and fails nothing. */
  readonly isQuota?: boolean;
}

const file = (path: string, text: string): SourceFile => ({ path, text });
const ask = (text: string) => file('src/core/ask.ts', text);

const rules: Samples[] = [
  {
    says: 'a file imports from its own room and from lower ones',
    rule: importsGoDown,
    bad: [
      [ask(`import { Desk } from '../registry/desk.js';`)],
      [ask(`import type { Desk } from '../registry/desk.js';`)],
      [ask(`export { Desk } from '../registry/desk.js';`)],
      [ask(`export type * from '../registry/desk.js';`)],
      [ask(`type Desk = import('../registry/desk.js').Desk;`)],
      [ask(`const { Desk } = await import('../registry/desk.js');`)],
      [ask(`import { agent } from '../index.js';`)],
      [ask(`import { agent } from 'askback';`)],
      [ask(`import { helper } from '../../test/support/agents.js';`)],
      [file('src/browser/page/main.ts', `import { readFileSync } from 'node:fs';`)],
      [file('src/browser/page/main.ts', `import { z } from 'zod';`)],
      [file('src/browser/page/main.ts', `import type { Ask } from '../../core/ask.js';`)],
      [file('src/utils.ts', 'export const one = 1;')],
      [file('src/misc/utils.ts', 'export const one = 1;')],
    ],
    good: [
      file('src/registry/desk.ts', `import type { Ask } from '../core/ask.js';\nimport { other } from './other.js';`),
      file('src/server/assets.ts', `import { pageScript } from '../browser/page-script.js';`),
      file('src/browser/page/main.ts', `import { now } from '../machine.js';`),
      file('src/stores/redis/index.ts', `import { keys } from './keys.js';\nimport { memory } from '../memory.js';`),
      file('src/index.ts', `export { rehearse } from './testing/index.js';`),
      ask(`import { z } from 'zod'; // not from '../registry/desk.js'`),
    ],
  },
  {
    says: 'files import in no circle, even counting types',
    rule: noCycles,
    bad: [
      [ask(`import type { B } from './b.js';`), file('src/core/b.ts', `import type { Ask } from './ask.js';`)],
      [ask(`import './ask.js';`)],
      [
        ask(`import { B } from './b.js';`),
        file('src/core/b.ts', `export { C } from './c.js';`),
        file('src/core/c.ts', `import type { Ask } from './ask.js';`),
      ],
    ],
    good: [
      ask(`import { B } from './b.js';\nimport { C } from './c.js';`),
      file('src/core/b.ts', `import { C } from './c.js';`),
      file('src/core/c.ts', ''),
    ],
  },
  {
    says: 'time and randomness are given, never taken outside src/machine',
    rule: nothingTaken,
    bad: [
      [ask('const now = Date.now();')],
      [ask('const now = Date.now;')],
      [ask('const now = globalThis.Date.now();')],
      [ask('const now = new Date();')],
      [ask('const now = new Date;')],
      [ask('const now = Date();')],
      [ask('const now = performance.now();')],
      [ask('const dice = Math.random();')],
      [ask(`const id = randomUUID();`)],
      [ask(`const id = crypto.randomUUID();`)],
      [ask(`const id = randomBytes(16);`)],
      [ask(`setTimeout(() => {}, 10);`)],
      [ask(`setInterval(() => {}, 10);`)],
      [ask(`globalThis.setTimeout(() => {}, 10);`)],
      [ask(`import { setTimeout as sleep } from 'node:timers/promises';`)],
      [file('src/browser/page/times.ts', 'const now = Date.now();')],
    ],
    good: [
      ask('// Date.now() and Math.random() are for src/machine\nconst date = new Date(millis);'),
      ask(`const hint = 'never call Date.now(), setTimeout() or randomUUID()';`),
      ask('clock.setTimeout(wake, 10); const now = clock.now();'),
      file('src/machine/clock.ts', 'export const now = () => Date.now();'),
      file('src/browser/machine.ts', 'export const now = () => Date.now();'),
    ],
  },
  {
    says: 'a folder holds at most twelve files',
    isQuota: true,
    rule: fewFilesAFolder,
    bad: [Array.from({ length: 13 }, (_, i) => file(`src/core/ask/part-${i}.ts`, 'export {};'))],
    good: [
      ...Array.from({ length: 12 }, (_, i) => file(`src/core/ask/part-${i}.ts`, 'export {};')),
      file('src/core/ask/votes/count.ts', 'export {};'),
    ],
  },
  {
    says: 'a type has its name alone',
    isQuota: true,
    rule: noTypeNameTwice,
    bad: [
      [ask('export interface Vote {}'), file('src/stores/votes.ts', 'type Vote = 1;')],
      [ask('class Vote {}'), file('src/stores/votes.ts', 'export class Vote {}')],
      [ask('type Vote = 1;\nfunction count() { type Vote = 2; }')],
    ],
    good: [
      ask('export interface Vote {}\nconst vote: Vote = {};'),
      file('src/stores/votes.ts', `import type { Vote } from '../core/ask.js';\nexport type { Vote };`),
    ],
  },
  {
    says: 'nothing is left for later',
    rule: nothingLeftForLater,
    bad: [[ask('// TODO: more')], [ask('// FIXME')], [ask(`throw new Error('Not implemented');`)]],
    good: [ask('// all of it is there')],
  },
  {
    says: 'every file opens by saying what it is',
    rule: opensWithComment,
    bad: [[ask(`import { z } from 'zod';\n/** Asks. */`)], [ask('// Asks.')], [ask('')]],
    good: [ask('/** Asks. */'), file('src/cli/main.ts', '#!/usr/bin/env node\n/** The command. */')],
  },
  {
    says: 'the front door names each thing it exports',
    rule: noStarAtTheDoor,
    bad: [
      [file('src/index.ts', `export * from './core/ask.js';`)],
      [file('src/index.ts', `export type * from './core/ask.js';`)],
      [file('src/index.ts', `export * as core from './core/ask.js';`)],
    ],
    good: [file('src/index.ts', `export { agent } from './agent/agent.js';\n// export * from './core/ask.js'`)],
  },
  {
    says: 'nothing is exported as default',
    rule: noDefaultExports,
    bad: [
      [ask('export default 1;')],
      [ask('export default function ask() {}')],
      [ask('export default class Ask {}')],
      [ask('const a = 1; export { a as default };')],
      [ask(`export { default } from './b.js';`)],
    ],
    good: [ask(`import ts from 'typescript'; export const one = 1; switch (one) { default: break; }`)],
  },
];

describe.each(rules)('$says', ({ rule, bad, good, isQuota }) => {
  test.each(bad.map((files) => [files[0]?.text.slice(0, 60), files] as const))('catches %s', (_, files) => {
    expect(rule(files)).not.toEqual([]);
  });

  test('lets good code pass', () => {
    expect(rule(good)).toEqual([]);
  });

  test('in src', () => {
    const files = sourceFiles();
    expect(files).not.toEqual([]);
    const broken = rule(files);
    if (isQuota === true && broken.length > 0) console.log(broken.join('\n'));
    else expect(broken).toEqual([]);
  });
});
