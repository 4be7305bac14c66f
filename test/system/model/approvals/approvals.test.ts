/** Random histories of approvals: who is asked, what is carried out under which key, and what a grant covers is what the model says. */
import { expect, test } from 'vitest';
import { inFile, inMemory } from '../grounds.js';
import { type Command, Office } from './office.js';
import { firstFailure } from './playing.js';

test('approvals in memory come to what the model says', async () => {
  expect(await firstFailure(inMemory, 8)).toBeUndefined();
});

test('approvals in a file come to what the model says', async () => {
  expect(await firstFailure(inFile, 2)).toBeUndefined();
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
    name: 'dead after what was set aside was tried again: whoever calls again finds it done, and it is done once',
    history: [
      { do: 'break', times: 1 },
      { ...want, again: 'no' },
      reply('deny'),
      { do: 'crash', on: 0, after: 'save' },
      { do: 'retry' },
    ],
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
