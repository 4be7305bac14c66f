/** Random histories of approvals: who is asked, what is carried out under which key, and what a grant covers is what the model says. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Ground, inFile, inMemory } from '../grounds.js';
import { factor } from '../playing.js';
import { type Command, commands, Office } from './office.js';

/** The first history that goes wrong, made short, and what is wrong with it. */
async function firstFailure(ground: () => Ground, runs: number): Promise<string | undefined> {
  let wrong: readonly string[] = [];
  const plays = async (history: readonly Command[]): Promise<boolean> => {
    const found = await new Office(ground()).plays(history);
    if (found.length > 0) wrong = found;
    return found.length === 0;
  };
  const seed = Number(process.env['ASKBACK_SEED'] ?? 1);
  const histories = fc.array(commands, { maxLength: 30, size: 'max' });
  const result = await fc.check(fc.asyncProperty(histories, plays), {
    seed,
    numRuns: runs * factor,
    interruptAfterTimeLimit: 100_000,
  });
  if (result.counterexample === null) return undefined;
  const lines = result.counterexample[0].map((each) => JSON.stringify(each));
  return [`seed ${seed}`, ...lines, ...wrong].join('\n');
}

test('approvals in memory come to what the model says', async () => {
  expect(await firstFailure(inMemory, 15)).toBeUndefined();
});

test('approvals in a file come to what the model says', async () => {
  expect(await firstFailure(inFile, 5)).toBeUndefined();
});

const want = { do: 'want', by: 'ann', in: 0, order: 1, place: 'boss', again: 'other', on: 0 } as const;
const reply = (words: 'deny' | 'once' | 'for this session') =>
  ({ do: 'reply', by: 'bob', at: 2, words, on: 0 }) as const;
const kept: readonly { readonly name: string; readonly history: readonly Command[] }[] = [
  {
    name: 'approved once, then for the session, and tried again: the first call keeps its key',
    history: [want, reply('once'), { do: 'break', times: 1 }, reply('for this session'), { do: 'retry' }],
  },
  {
    name: 'denied, then approved for the session, and dead: what was denied is not carried out',
    history: [want, reply('deny'), { do: 'crash', on: 0, after: 'save' }, reply('for this session')],
  },
  {
    name: 'a grant is for the conversation and tenant that it was given to, and not for whoever gave it',
    history: [
      { ...want, again: 'no' },
      reply('for this session'),
      { ...want, again: 'no', by: 'dan' },
      { ...want, again: 'no', by: 'bob' },
      { ...want, again: 'no', in: 1 },
      { ...want, again: 'no', in: 1, by: 'cat' },
    ],
  },
];

test.each(kept)('kept: $name', async ({ history }) => {
  expect(await new Office(inMemory()).plays(history)).toEqual([]);
  expect(await new Office(inFile()).plays(history)).toEqual([]);
});
