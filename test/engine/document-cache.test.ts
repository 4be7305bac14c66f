/** What a process keeps of open conversations is bounded, and never stands in for what the store says. */
import { expect, test } from 'vitest';
import { emptyConversation } from '../../src/core/conversation/conversation.js';
import { writeConversation } from '../../src/core/format/document.js';
import { DocumentCache } from '../../src/registry/document-cache.js';

const of = (name: string) => ({ ...emptyConversation, of: name });

test('what was saved last is known, and forgotten when somebody works on it', () => {
  const cache = new DocumentCache();
  cache.set('c', 'first', of('first'));
  cache.set('c', 'second', of('second'));
  expect(cache.read('c', 'second')).toMatchObject({ of: 'second' });
  expect(cache.claimed('c', 'second')).toMatchObject({ of: 'second' });
  expect(cache.has('c')).toBe(false);
});

test('any other text than the one that was saved is read', () => {
  const stored = writeConversation(of('stored'));
  const cache = new DocumentCache();
  cache.set('c', 'known', of('known'));
  expect([cache.read('c', stored), cache.read('c', null)]).toEqual([of('stored'), emptyConversation]);
  expect(cache.read('another', stored)).toEqual(of('stored'));
  expect(cache.claimed('c', stored)).toEqual(of('stored'));
  expect(cache.has('c')).toBe(false);
});

test('at most a million characters are cached, the most recent ones', () => {
  const cache = new DocumentCache();
  for (let i = 0; i < 50; i += 1) cache.set(`c${i}`, 'x'.repeat(100_000), of(`${i}`));
  const kept = Array.from({ length: 50 }, (_, i) => i).filter((i) => cache.has(`c${i}`));
  expect(kept).toEqual(Array.from({ length: 10 }, (_, i) => 40 + i));
  cache.set('huge', 'x'.repeat(3_000_000), of('huge'));
  expect([cache.has('huge'), cache.has('c49')]).toEqual([false, true]);
});
