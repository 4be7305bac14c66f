/** Whatever a platform sends can be read without an error. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonIn, recordOf, recordsOf, textOf } from '../../../../src/channels/kit/untyped.js';

test('anything has fields, records and a text, or none of them', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(typeof recordOf(value)).toBe('object');
      for (const each of recordsOf(value)) expect(typeof each).toBe('object');
      expect(['string', 'undefined']).toContain(typeof textOf(value));
    }),
  );
  expect([recordOf(null), recordsOf([1, { a: 1 }]), textOf('')]).toEqual([{}, [{}, { a: 1 }], undefined]);
  expect([jsonIn('{"a":1}'), jsonIn('{')]).toEqual([{ a: 1 }, undefined]);
});
