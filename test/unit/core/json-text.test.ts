/** JSON of which a key is there twice says two things: parsers differ in which of them they take. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsedJsonText } from '../../../src/core/json-text.js';

test.each([
  ['{"a":1,"a":1}', '"a"'],
  ['{"a":{"b":{"c":1,"d":2,"c":3}}}', '"c"'],
  ['[1,[{"x":"\\"}","y":["{","x"],"x":0}]]', '"x"'],
  ['{"a\\u0062":1,"ab":2}', '"ab"'],
  ['{"":1, "" :2}', 'an empty string'],
  ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
  ['{"a":"x:y","b":{"a":1},"a":2}', '"a"'],
])('%s is refused, and the key is named', (text, key) => {
  expect(() => parsedJsonText(text)).toThrow(`The body has the key ${key} twice. Give it once.`);
});

test('all other JSON is read as it is', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      expect(parsedJsonText(text)).toEqual(JSON.parse(text));
    }),
  );
  expect(parsedJsonText('{"a":{"a":{"a":["a","a",{"a":"a"},{"a":"a"}]}}}')).toMatchObject({ a: { a: {} } });
  expect(parsedJsonText(`"${'\\"'.repeat(200_000)}"`)).toHaveLength(200_000);
  expect(() => parsedJsonText('{"a":1,}')).toThrow(SyntaxError);
});
