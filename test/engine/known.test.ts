/** What a process keeps of open conversations is bounded, and never stands in for what the store says. */
import { expect, test } from 'vitest';
import { emptyConversation } from '../../src/core/conversation.js';
import { writeConversation } from '../../src/core/document.js';
import { Known } from '../../src/registry/known.js';
import type { Claim } from '../../src/stores/port.js';

const document = (name: string, length = 0) =>
  writeConversation({ ...emptyConversation, people: [`${name}${'x'.repeat(length)}`] });
const claimOf = (more: Partial<Claim>): Claim => ({
  ...{ token: 't', turn: 'u', attempt: 1, strikes: 1, revision: 1, incarnation: 'i', now: 1, memo: {} },
  document: document('stored'),
  ...more,
});

test('what was saved last is known, and forgotten when somebody works on it', () => {
  const known = new Known();
  known.keep('c', 'i', 1, document('first'));
  known.keep('c', 'i', 2, document('second'));
  expect(known.of('c')).toMatchObject({ incarnation: 'i', revision: 2, conversation: { people: ['second'] } });
  expect(known.claimed('c', claimOf({ revision: 2 })).people).toEqual(['second']);
  expect(known.of('c')).toBeUndefined();
});

test('a claim of another revision or life is read from the store', () => {
  for (const other of [{ revision: 2 }, { incarnation: 'another' }]) {
    const known = new Known();
    known.keep('c', 'i', 1, document('known'));
    known.of('c');
    expect(known.claimed('c', claimOf(other)).people).toEqual(['stored']);
  }
});

test('what went on as it was foreseen is known so, unless something else was saved meanwhile', () => {
  const known = new Known();
  const conversation = { ...emptyConversation, people: ['foreseen'] };
  known.keep('c', 'i', 1, document('known'));
  known.wentOn('c', { incarnation: 'i', revision: 1, conversation });
  expect(known.claimed('c', claimOf({ revision: 2 })).people).toEqual(['foreseen']);
  known.keep('c', 'i', 3, document('later'));
  known.wentOn('c', { incarnation: 'i', revision: 1, conversation });
  expect(known.of('c')).toMatchObject({ revision: 3, conversation: { people: ['later'] } });
});

test('two million signs are kept at most, the last ones of all', () => {
  const known = new Known();
  for (let i = 0; i < 50; i += 1) known.keep(`c${i}`, 'i', 1, document(`${i}`, 100_000));
  const kept = Array.from({ length: 50 }, (_, i) => known.of(`c${i}`)).flatMap((life, i) =>
    life === undefined ? [] : [i],
  );
  expect(kept).toEqual(Array.from({ length: 20 }, (_, i) => 30 + i));
  known.keep('huge', 'i', 1, document('huge', 3_000_000));
  expect([known.of('huge'), known.of('c49')?.revision]).toEqual([undefined, 1]);
});
