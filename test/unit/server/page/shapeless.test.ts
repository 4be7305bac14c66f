/** A character that draws nothing is written as its code on the page, in prose and in exact values; text as people write it stays. */
import { expect, test } from 'vitest';
import { exactValue, prose } from '../../../../src/server/page/markup.js';
import { visibleText } from '../../../../src/tools/approval/visible-text.js';

const points = (...ranges: readonly (readonly [from: number, to: number])[]) =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));

/** Named by Unicode as blanks, fillers, joiners, selectors, tags and format characters. */
const shapeless = points(
  [0, 8],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffc],
  [0x13441, 0x13442],
  [0x16fe4, 0x16fe4],
  [0x1bca0, 0x1bca3],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe007f],
  [0xe0100, 0xe01ef],
);

test('every character without a shape is visible, in a question, in a value and in an approval', () => {
  const hidden = shapeless.filter((code) => {
    const text = `Pay 10${String.fromCodePoint(code)}0 EUR`;
    const seen = `\\u{${code.toString(16)}}`;
    return [prose(text), exactValue(text), visibleText(text)].some((shown) => !String(shown).includes(seen));
  });
  expect(hidden.map((code) => code.toString(16))).toEqual([]);
});

test.each([
  ['at the end of a word', 'Anna\u3164'],
  ['a selector on its own', 'a\ufe0f'],
  ['two selectors behind an emoji', '❤\ufe0f\ufe0f'],
  ['a joiner between Latin letters', 'pay\u200dpal'],
  ['a non-joiner at the end of a Persian word', 'می\u200c'],
  ['a joiner behind an emoji', '👩\u200d 5'],
  ['a text in tags behind a flag', `\u{1f3f4}${'\u{e0079}\u{e0065}\u{e0073}'}\u{e007f}`],
])('what is hidden %s is marked', (_where, text) => {
  expect(String(prose(text))).toContain('<mark ');
});

test('text as people write it stays as it is in prose', () => {
  const text = '👩‍👩‍👧‍👦 👩🏽‍💻 ❤️ 1️⃣ می\u200cخواهم سلام \u0600١٢ क्\u200dष Müller’s „Straße“ — 5 €\nNguyễn\tà';
  expect(String(prose(text))).not.toContain('<mark');
});
