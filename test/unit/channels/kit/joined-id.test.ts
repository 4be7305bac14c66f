/** Ids of several parts are read as they were written. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JoinedId } from '../../../../src/channels/kit/joined-id.js';

const ids = new JoinedId('/', ['team', 'channel', 'ts']);

test('an id is read as it was written', () => {
  const part = fc.string({ minLength: 1 }).filter((text) => !text.includes('/'));
  const id = fc.record({ team: part, channel: part, ts: part });
  fc.assert(
    fc.property(id, (parts) => {
      expect(ids.read(ids.write(parts))).toEqual(parts);
    }),
  );
});

test.each(['', 'T1', 'T1/C1', 'T1/C1/', '/C1/1.0', 'T1/C1/1.0/2'])('%j is no such id', (id) => {
  expect(ids.read(id)).toBeUndefined();
});
