/** Names of keys: every id stays apart from every other, and none breaks out of its place. */
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { bucketOf, routedId } from '../../src/core/ids.js';
import { decoded, encoded, Keys, lengthened, shortened } from '../../src/stores/redis/keys.js';

const awkward = [
  '*',
  '[a-z]*',
  '?',
  '__proto__',
  'constructor',
  '}',
  '{}',
  '{7}',
  '../',
  '..',
  '\r\n',
  '\n',
  '\0',
  ' ',
  '%',
  '%2A',
  "!'()",
  ':',
  'a:m:b',
  'a:m',
  'a',
  '\u00e9',
  'e\u0301',
  '😀',
];

test('awkward ids are told apart, come back as they were, and carry nothing that means something in a key', () => {
  const parts = awkward.map(encoded);
  expect(new Set(parts).size).toBe(awkward.length);
  for (const part of parts) expect(part).toMatch(/^[\w.~%-]+$/);
  expect(parts.map(decoded)).toEqual(awkward);
});

property.prop([fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme', minLength: 1 })])(
  'any two ids have the same name only if they are the same',
  (one, other) => {
    expect(encoded(one) === encoded(other)).toBe(one === other);
    expect(decoded(encoded(one))).toBe(one);
  },
);

property.prop([
  fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
    fc.base64String(),
    fc.string(),
  ),
])('the id of an ask has a shorter name, comes back as it was, and breaks out of nothing', (id) => {
  expect(lengthened(shortened(id))).toBe(id);
  expect(shortened(id)).toMatch(/^[\w.~%-]+$/);
  expect(shortened(routedId(id, 'ask'))).toHaveLength(22);
});

test('plain ids stay readable', () => {
  expect(encoded('order-4711_a.b~c')).toBe('order-4711_a.b~c');
  expect(encoded('slack:T1:U1')).toBe('slack%3AT1%3AU1'); // as encodeURIComponent() has it, which made the keys that are stored
});

test('every key of a conversation and of its asks has the tag of its bucket', () => {
  const keys = new Keys('askback');
  for (const id of awkward) {
    const tag = `{${bucketOf(id)}}`;
    const made = [keys.conversation(id), keys.pointer(routedId(id, 'ask')), keys.unsent(bucketOf(id), id)];
    for (const key of made) expect(/\{[^}]*\}/.exec(key as string)?.[0]).toBe(tag);
  }
});

test('an id that leads nowhere has no key', () => {
  const keys = new Keys('askback');
  for (const id of ['*', 'ask-1', 'ffffffff-0000-8000-8000-000000000000']) expect(keys.pointer(id)).toBeUndefined();
});
