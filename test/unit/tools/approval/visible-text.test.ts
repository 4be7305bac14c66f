/** What a person who approves an argument sees of its letters: ordinary words as they are, look-alikes as escapes. */
import { expect, test } from 'vitest';
import { visibleText } from '../../../../src/tools/approval/visible-text.js';
import { growth, linear } from '../../../support/growth.js';

test.each([
  ['pаypal.com', 'cyrillic a'],
  ['pɑypal.com', 'latin alpha'],
  ['ɡooɡle.com', 'script g'],
  ['micrᴏsoft.com', 'small capital o'],
  ['paypaı.com', 'dotless i'],
  ['paypaı\u0307.com', 'dotless i with a dot'],
  ['paypaꞁ.com', 'turned l'],
  ['ĸeys', 'kra'],
  ['fĳi', 'ij in one letter'],
  ['ﬁle', 'ligature'],
  ['ꓓꓳꓕꓟ', 'Lisu'],
  ['ᎪᎡᎬ', 'Cherokee'],
  ['ⲟⲣⲥ', 'Coptic'],
  ['𐐠𐐬', 'Deseret'],
  ['соре', 'a Cyrillic word of look-alikes'],
  ['chapter Ⅳ', 'Roman number in one character'],
  ['a│b', 'box drawing'],
  ['1\u20e50', 'a double stroke through'],
  ['1\u20d20', 'a line through'],
])('%s is written with escapes (%s)', (text) => {
  const shown = visibleText(text);
  expect(shown).toMatch(/^"[ -~]*"$/);
  expect(shown).toContain('\\u{');
});

test.each([
  'Müller, Ångström, Łódź, Þór, œuvre, straße, STRAẞE',
  'Kadıköy, çalışır',
  'Nguyễn Thị Hương',
  'Ștefan, nǐ hǎo',
  'Привет, Київ, с уважением',
  'Καλημέρα, Ελλάδα',
  'Բարեւ, გამარჯობა, שלום, مرحبا, नमस्ते, สวัสดี',
  '你好, こんにちは, カタカナー, 안녕하세요',
])('words of ordinary alphabets are shown as they are: %s', (text) => {
  expect(visibleText(text)).toBe(text);
});

test('texts of look-alikes take linear time, and no two are written alike', async () => {
  for (const letter of ['ı', 'а', 'ɑ', '\u0301', 'aа', 'aı'])
    expect(await growth((size) => visibleText(letter.repeat(size)), 1_500)).toBeLessThan(linear);
  const texts = ['pɑypal', 'p\\u{251}ypal', '"p\\u{251}ypal"', 'paypal', '"pɑypal"'];
  expect(new Set(texts.map(visibleText)).size).toBe(texts.length);
});
