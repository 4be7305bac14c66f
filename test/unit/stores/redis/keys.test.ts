/** Names of keys: every id stays apart from every other, and none breaks out of its place. */
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { bucketOf, routedId } from '../../../../src/core/ids.js';
import { decoded, encoded, Keys, lengthened, shortened, unsentKey } from '../../../../src/stores/redis/keys.js';
import { packStep, StepText } from '../../../../src/stores/redis/plan.js';
import { Changes } from '../../../../src/stores/rules/changes.js';
import { ConversationRecord, longestInside, queuedMark } from '../../../../src/stores/rules/record.js';

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
    const made = [keys.conversation(id), keys.pointer(routedId(id, 'ask')), unsentKey(keys.place(id).bucket, id)];
    for (const key of made) expect(/\{[^}]*\}/.exec(key as string)?.[0]).toBe(tag);
  }
});

test('a Cluster is told every key of a step, and all of them lie in the slot of its conversation', () => {
  const keys = new Keys('askback');
  const place = keys.place('c');
  const ask = (name: string) => ({ id: routedId('c', name), at: 1 });
  const record = new ConversationRecord('life', 1);
  Object.assign(record, { people: ['p'], hasPeopleBeside: true, hasMemo: true, turn: 't', keptMemos: ['u'] });
  Object.assign(record, {
    historyStart: 1,
    historyEnd: 2,
    isRetired: true,
    document: { text: 'x'.repeat(longestInside + 1) },
  });
  const entry = { id: 'e', at: 1, data: { text: '' }, turn: '', recordedBy: '', revision: 0, isMarked: true, rest: '' };
  const changes = Object.assign(new Changes(1), {
    ...{ isRecordChanged: true, document: record.document, ends: true, marksUntil: 9, history: [{ text: 'h' }] },
    ...{ enqueued: entry, dequeued: entry, unqueued: entry, marks: [['e', queuedMark(entry)]], droppedMarks: ['f'] },
    ...{
      outputs: [{ key: 'k', channel: 'web', data: { text: '' }, seq: 0, freeAt: 1 }],
      withdrawn: ['w'],
      isHistoryDropped: true,
    },
    ...{
      opened: [ask('a'), { ...ask('b'), deadline: 9 }],
      changed: [ask('d').id],
      parked: [ask('f')],
      unparked: ['g'],
    },
    ...{
      settled: [{ ...ask('h'), record: { text: 'r' } }],
      people: [{ id: 'q', until: 9, isBeside: true }],
      droppedMemos: ['t'],
    },
    ...{ memo: { turn: 't', key: 'k', value: 'v' } },
  });
  const erased = {
    people: ['p'],
    memos: ['t'],
    parked: [ask('i').id],
    asks: [{ ...ask('j'), tombstone: { text: 't' } }],
    until: 9,
  };
  const step = { name: 'save', stamp: '', document: null };
  for (const what of [changes, Object.assign(new Changes(1), { erased })]) {
    const text = new StepText([], true, '');
    packStep(text, place, step, [], what === changes ? record : undefined, what);
    for (const key of text.keys) expect(key.startsWith(place.bucket.root), key).toBe(true);
    const sent = text.parts.filter((part) => part.startsWith(place.bucket.root) && part !== place.bucket.root);
    expect(new Set(text.keys)).toEqual(new Set([...text.keys, ...sent]));
    expect(sent.length).toBeGreaterThan(10);
  }
});

test('an id that leads nowhere has no key', () => {
  const keys = new Keys('askback');
  for (const id of ['*', 'ask-1', 'ffffffff-0000-8000-8000-000000000000']) expect(keys.pointer(id)).toBeUndefined();
});
