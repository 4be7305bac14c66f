/** A person is made our own as JSON would: what is stored and what is worked on are the same. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import type { Participant } from '../../../src/core/participant.js';
import { ownParticipant } from '../../../src/core/participant.js';

class Member {
  readonly id = 'm';
  toJSON() {
    return { id: 'from-json' };
  }
}

test.each<[string, object]>([
  ['only texts', { id: 'a', name: 'Ann', locale: 'de' }],
  ['a list', { id: 'a', roles: ['x', 'y'] }],
  ['nothing in a field', { id: 'a', name: undefined }],
  ['a date', { id: 'a', since: new Date(0) }],
  ['a class with its own JSON', new Member()],
  ['a field that is a prototype elsewhere', JSON.parse('{"id":"a","__proto__":"b"}') as object],
  ['no prototype', Object.assign(Object.create(null) as object, { id: 'a' })],
])('somebody with %s', (_, who) => {
  const own = ownParticipant(who as Participant);
  expect(JSON.stringify(own)).toBe(JSON.stringify(who));
  expect(own).toEqual(JSON.parse(JSON.stringify(who)));
  expect(own).not.toBe(who);
});

test.prop([fc.dictionary(fc.string(), fc.jsonValue())])('anybody', (who) => {
  expect(JSON.stringify(ownParticipant(who as unknown as Participant))).toBe(JSON.stringify(who));
});
