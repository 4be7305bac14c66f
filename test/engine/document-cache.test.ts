/** What a process keeps of open conversations is bounded, and never stands in for what the store says. */
import { expect, test } from 'vitest';
import { emptyConversation } from '../../src/core/conversation/conversation.js';
import { writeConversation } from '../../src/core/format/document.js';
import { DocumentCache } from '../../src/registry/document-cache.js';
import type { Claim } from '../../src/stores/port.js';

const lifeOf = (name: string, revision: number) => ({
  incarnation: 'i',
  revision,
  conversation: { ...emptyConversation, people: [name] },
});
const claimOf = (more: Partial<Claim>): Claim => ({
  ...{ token: 't', turn: 'u', attempt: 1, strikes: 1, revision: 1, incarnation: 'i', now: 1, memo: {} },
  document: writeConversation(lifeOf('stored', 1).conversation),
  ...more,
});

test('what was saved last is known, and forgotten when somebody works on it', () => {
  const known = new DocumentCache();
  known.set('c', lifeOf('first', 1), 100);
  known.set('c', lifeOf('second', 2), 100);
  expect(known.get('c')).toMatchObject({ incarnation: 'i', revision: 2, conversation: { people: ['second'] } });
  expect(known.claimed('c', claimOf({ revision: 2 })).people).toEqual(['second']);
  expect(known.get('c')).toBeUndefined();
});

test('a claim of another revision or life is read from the store', () => {
  for (const other of [{ revision: 2 }, { incarnation: 'another' }]) {
    const known = new DocumentCache();
    known.set('c', lifeOf('known', 1), 100);
    known.get('c');
    expect(known.claimed('c', claimOf(other)).people).toEqual(['stored']);
  }
});

test('what went on as it was predecided is known so, unless something else was saved meanwhile', () => {
  const known = new DocumentCache();
  const conversation = { ...emptyConversation, people: ['predecided'] };
  known.set('c', lifeOf('known', 1), 100);
  known.advance('c', { incarnation: 'i', revision: 1, conversation });
  expect(known.claimed('c', claimOf({ revision: 2 })).people).toEqual(['predecided']);
  known.set('c', lifeOf('later', 3), 100);
  known.advance('c', { incarnation: 'i', revision: 1, conversation });
  expect(known.get('c')).toMatchObject({ revision: 3, conversation: { people: ['later'] } });
});

test('at most a million characters are cached, the most recent ones', () => {
  const known = new DocumentCache();
  for (let i = 0; i < 50; i += 1) known.set(`c${i}`, lifeOf(`${i}`, 1), 100_000);
  const kept = Array.from({ length: 50 }, (_, i) => known.get(`c${i}`)).flatMap((life, i) =>
    life === undefined ? [] : [i],
  );
  expect(kept).toEqual(Array.from({ length: 10 }, (_, i) => 40 + i));
  known.set('huge', lifeOf('huge', 1), 3_000_000);
  expect([known.get('huge'), known.get('c49')?.revision]).toEqual([undefined, 1]);
});
