/**
 * Values that are stored, compared, named and shown: plainData, canonical, routedId, inert.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketOf, bucketOfId, buckets, checkedId, routedId } from '../../../src/core/ids.js';
import type { Json } from '../../../src/core/json.js';
import { canonical, plainData } from '../../../src/core/json.js';
import {
  folded,
  inert,
  isBlank,
  isShapeless,
  saysSomething,
  shapelessIn,
  withoutControls,
} from '../../../src/core/text.js';
import { anyCharacter } from '../../support/any-character.js';

const limits = { textBytes: 65_536, depth: 100 };
const json = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<Json>;
const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

test('plain data is copied and comes back from storage equal', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(stored(plainData(value, 'context', limits))).toEqual(stored(value));
    }),
  );
});

test('the copy shares nothing with what was given', () => {
  const given = { list: [{ n: 1 }] };
  const copy = plainData(given, 'context', limits);
  given.list[0] = { n: 2 };
  expect(copy).toEqual({ list: [{ n: 1 }] });
});

test('undefined properties are dropped as JSON does, __proto__ is kept as plain data', () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true},"a":1}') as object;
  const copy = plainData({ ...hostile, x: undefined }, 'context', limits) as { admin?: boolean };
  expect(plainData({ b: { c: undefined, d: 1 }, e: [undefined, 1] }, 'context', limits)).toStrictEqual({
    b: { d: 1 },
    e: [null, 1],
  });
  expect(JSON.stringify(plainData(hostile, 'context', limits))).toBe('{"__proto__":{"admin":true},"a":1}');
  expect(copy.admin).toBeUndefined();
});

class Order {
  id = '12345';
}
const cycle: { self?: unknown } = {};
cycle.self = cycle;
for (const [what, value] of [
  ['a function', () => 1],
  ['a BigInt', 1n],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['a Date', new Date(0)],
  ['a Map', new Map()],
  ['a class instance', new Order()],
  ['a Buffer', Buffer.from('x')],
  ['a symbol', Symbol('s')],
  ['a cycle', cycle],
] as const) {
  test(`${what} is refused with its path`, () => {
    const refuse = () => plainData({ deep: [{ value }] }, 'context', limits);
    expect(refuse).toThrow(/context\.deep\[0\]\.value/);
    expect(refuse).toThrow(expect.objectContaining({ code: 'bad-data' }));
  });
}

test('100 levels are kept, 101 are refused, and no depth overflows the stack', () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let i = 0; i < levels; i += 1) value = [value];
    return value;
  };
  expect(() => plainData(nested(100), 'context', limits)).not.toThrow();
  expect(() => plainData(nested(101), 'context', limits)).toThrow('at most 100 levels');
  expect(() => plainData(nested(100_000), 'context', limits)).toThrow('at most 100 levels');
});

test('the size is counted in bytes of JSON, not in characters', () => {
  expect(() => plainData('é'.repeat(32_767), 'context', limits)).not.toThrow();
  expect(() => plainData('é'.repeat(32_768), 'context', limits)).toThrow('at most 65536');
});

/** The same data with the keys of every object in the opposite order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

test('canonical() gives one text for equal data, whatever the order of its keys', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonical(reversed(value))).toBe(canonical(value));
    }),
  );
});

test('canonical() gives different texts for different data', () => {
  fc.assert(
    fc.property(json, json, (one, two) => {
      const same = canonical(one) === canonical(two);
      expect(same).toBe(fc.stringify(stored(reversedSorted(one))) === fc.stringify(stored(reversedSorted(two))));
    }),
  );
});

function reversedSorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversedSorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, item]) => [`k${key}`, reversedSorted(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

test('canonical() is JSON that reads back as the same data', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(canonical(value))).toEqual(stored(value));
    }),
  );
});

const parts = fc.array(fc.string(), { minLength: 1, maxLength: 4 });

test('an id is a version 8 UUID that leads to its conversation, the same for the same parts', () => {
  fc.assert(
    fc.property(fc.string(), parts, (conversationId, all) => {
      const id = routedId(conversationId, ...all);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(bucketOfId(id)).toBe(bucketOf(conversationId));
      expect(routedId(conversationId, ...all)).toBe(id);
    }),
  );
});

test('different parts give different ids, also when they run together to the same text', () => {
  fc.assert(
    fc.property(fc.string(), parts, parts, (conversationId, one, two) => {
      const same = JSON.stringify(one) === JSON.stringify(two);
      expect(routedId(conversationId, ...one) === routedId(conversationId, ...two)).toBe(same);
    }),
  );
  expect(routedId('c', 'ab', 'c')).not.toBe(routedId('c', 'a', 'bc'));
});

test('conversations are spread over all buckets, whatever their ids have in common', () => {
  const kinds = [
    (i: number) => `c${i}`,
    (i: number) => `slack:C0123:${1_690_000_000 + i}.0`,
    (i: number) => `tg:${i * 64}`,
  ];
  for (const idOf of kinds) {
    const in64: number[] = new Array(buckets).fill(0);
    for (let i = 0; i < 64_000; i += 1) in64[bucketOf(idOf(i))] = (in64[bucketOf(idOf(i))] ?? 0) + 1;
    expect(Math.min(...in64)).toBeGreaterThan(800);
    expect(Math.max(...in64)).toBeLessThan(1_250);
  }
});

test('buckets are a constant of the format', () => {
  expect(buckets).toBe(64);
  expect(bucketOfId('not an id')).toBeUndefined();
  expect(bucketOfId('ffffffff-0000-8000-8000-000000000000')).toBeUndefined();
});

test('odd ids are fine as they are; empty, too long or half a character are refused', () => {
  for (const id of ['*', '[a-z]*', '__proto__', 'constructor', '}', '{}', '../', 'a\r\nb', 'a\0b', 'é', 'é'])
    expect(checkedId(id, 'id')).toBe(id);
  expect(checkedId('x'.repeat(512), 'id')).toHaveLength(512);
  for (const id of ['', 'x'.repeat(513), 'é'.repeat(257), '\ud800', undefined, 7])
    expect(() => checkedId(id, 'the id')).toThrow('the id');
});

test('nothing that acts is left in a text made inert, and a second time changes nothing', () => {
  const units = fc.constantFrom(
    '\u001b[31m',
    '\u001b]0;title\u0007',
    '\u202e',
    '\u200b',
    '\ud800',
    '\u0000',
    '\r',
    'a',
    '😀',
    '\u009b',
    '\u001b',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(units, fc.string({ unit: anyCharacter }))), (all) => {
      const shown = inert(all.join(''));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that none of these is left is the point
      expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufeff]/);
      expect(shown.isWellFormed()).toBe(true);
      expect(inert(shown)).toBe(shown);
    }),
  );
});

test('ordinary text, line breaks, tabs and joined emoji stay as they are', () => {
  for (const fine of ['Grüße, 世界', 'a\nb\tc', '👨‍👩‍👧', 'שלום', '5 > 3 & 2 < 4']) expect(inert(fine)).toBe(fine);
  expect(inert('a\r\nb\rc')).toBe('a\nb\nc');
});

test('a character that draws nothing is shown as its code, and none is left', () => {
  expect(inert('Pay 10\u31640 EUR\u2800 now\ufffc')).toBe('Pay 10\\u{3164}0 EUR\\u{2800} now\\u{fffc}');
  expect(inert('Anna\u{e0041}\ufe0f')).toBe('Anna\\u{e0041}\\u{fe0f}');
  const units = fc.constantFrom(
    '\u3164',
    '\u{e0041}',
    '\ufe0f',
    '\u200d',
    '\u200c',
    '\u00ad',
    '👩',
    '💻',
    '1',
    '\u20e3',
    'م',
    'क',
    '्',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(units, fc.string({ unit: anyCharacter }))), (all) => {
      const shown = inert(all.join(''));
      expect([...shapelessIn(shown)]).toEqual([]);
      expect(inert(shown)).toBe(shown);
    }),
  );
});

test.each([
  ['a second selector', '葛\u{e0100}\u{e0101} ᠨᠢᠭᠡ\u180b\u180b', '葛\u{e0100}\\u{e0101} ᠨᠢᠭᠡ\u180b\\u{180b}'],
  ['a second joiner', 'ഞാന്\u200d\u200d', 'ഞാന്\u200d\\u{200d}'],
  ['one behind another letter', 'a\u{e0100} م\u200d', 'a\\u{e0100} م\\u{200d}'],
])('behind a sequence that people write, %s is shown as its code', (_what, text, shown) => {
  expect(inert(text)).toBe(shown);
});

test('for reading and comparing, characters that draw nothing stay', () => {
  expect(withoutControls('Pay\u3164\u001b[31m now\u202e')).toBe('Pay\u3164 now');
});

test('text without characters that draw nothing is shown as it is', () => {
  const drawn = anyCharacter.filter((character) => character !== '\r' && !isShapeless(character));
  fc.assert(fc.property(fc.string({ unit: drawn }), (text) => inert(text) === text));
});

test.each([
  ['emoji of one character, with a selector or a skin tone', 'Done 👍 😀 ❤️ ✈️ ☎︎ ©️ 👍🏽'],
  ['emoji of several', '👩‍👩‍👧‍👦 👩🏽‍💻 🏃🏿‍♀️ ❤️‍🔥 🏳️‍🌈 👨🏾‍🦰 👁️‍🗨️ 🏴‍☠️'],
  ['flags and key caps', '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿 1️⃣ #️⃣ *️⃣'],
  ['Persian with a non-joiner, and with the sign of its era', 'می\u200cخواهم ۱۱ دی ۱۳۴۸ ه\u200d.ش.'],
  ['Arabic with marks and a number sign', 'السَّلامُ عليكم \u0600١٢'],
  ['Hebrew with marks', 'שָׁלוֹם עֲלֵיכֶם'],
  ['Hindi and Sinhala with joiners', 'क्\u200dष क्\u200cष श्\u200d ශ්\u200dරී'],
  ['Bengali and Malayalam with a joiner at the end of a word', 'উফ্\u200c, ഞാന്\u200d വരാം'],
  ['Japanese with a variant of a character', '葛\u{e0100}城市'],
  ['Mongolian with a variant of a letter', 'ᠨᠢᠭᠡ\u180b ᠤᠯᠠ\u180eᠠ'],
  ['accents, quotes, lines and tabs', 'Müller’s „Straße“ — 5 €\nNguyễn\te\u0301 n\u0303'],
])('ordinary text is shown as it is: %s', (_what, text) => {
  expect(inert(text)).toBe(text);
});

test('dates and amounts as the platform writes them have no codes, in any language', () => {
  const languages = [
    'ar',
    'bn',
    'ckb',
    'de',
    'fa',
    'he',
    'hi',
    'ja',
    'km',
    'ml',
    'mn',
    'my',
    'ps',
    'si',
    'ta',
    'th',
    'ur',
  ];
  const era = { era: 'short', year: 'numeric', month: 'long', weekday: 'long', day: 'numeric' } as const;
  const written = languages.flatMap((language) => [
    new Intl.DateTimeFormat(language, { ...era, hour: 'numeric', timeZoneName: 'long' }).format(0),
    new Intl.NumberFormat(language, { style: 'currency', currency: 'AED', currencyDisplay: 'name' }).format(-1234.5),
  ]);
  for (const text of written) expect(inert(text)).not.toContain('\\u{');
});

test('a line separator is a line break wherever a header or a terminal shows it, so it does not stay', () => {
  expect(inert('a\u2028b\u2029c')).not.toMatch(/[\u2028\u2029]/);
});

test('what shows nothing is blank', () => {
  for (const blank of ['', ' ', '\u200b', '\u202e \u2060', '\u200d', '\u200c', '\u00ad'])
    expect(isBlank(blank)).toBe(true);
  expect(isBlank('.')).toBe(false);
});

test('a letter, a digit or a pictograph says something; a question mark does not', () => {
  for (const said of ['yes', 'A', '42', '👍', 'да']) expect(saysSomething(said)).toBe(true);
  for (const nothing of ['?', '...', ' ', '\u200b']) expect(saysSomething(nothing)).toBe(false);
});

test('plain text is compared and looked at as any other', () => {
  const plain = fc.string({ unit: fc.constantFrom(...' .!aZ9-\'"') });
  fc.assert(
    fc.property(plain, (text) => {
      const other = `${text}\u200b`; // shows nothing, and takes the long way
      expect(folded(text)).toBe(folded(other));
      expect(isBlank(text)).toBe(isBlank(other));
    }),
  );
});
