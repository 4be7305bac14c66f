/** How typed e-mail addresses are read: one address and nothing else that could change it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { email, emailType } from '../../../../src/answers/email.js';
import type { AnswerType } from '../../../../src/core/ask/answer-type.js';
import type { Json } from '../../../../src/core/json.js';
import { answerTypeContract } from '../../../../src/testing/answer-type-contract.js';
import { anyCharacter } from '../../../support/any-character.js';
import { growth, linear } from '../../../support/growth.js';
import { emailRows } from './emails.table.js';
import { givenTo, isWellFormed, misread, toldIn, typedTo } from './rows.js';

const address = email('Your e-mail address?');

test('every reply of the table is read as the address it holds, or asked again', async () => {
  expect(emailRows.length).toBeGreaterThan(70);
  expect(await misread(address, emailRows)).toEqual([]);
});

test('every ordinary address reads back as itself, with its domain in lower case', async () => {
  await fc.assert(
    fc.asyncProperty(fc.emailAddress(), fc.constantFrom('', ', please', '.', ' 👍'), async (each, after) => {
      fc.pre(!/[?!$*/=^`{|}]/.test(each));
      const [local = '', domain = ''] = each.split('@');
      expect(await typedTo(address, each + after, 'en')).toEqual({
        ok: true,
        value: `${local}@${domain.toLowerCase()}`,
      });
    }),
  );
});

test('no text makes reading throw, and an accepted address stands in what was typed', async () => {
  const scrap = fc.constantFrom(
    'anna',
    '@',
    '.',
    'example',
    'org',
    ' ',
    ',',
    '<',
    '>',
    '..',
    '-',
    'ü',
    '\u0000',
    '😀',
    '\ud800',
  );
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(scrap).map((scraps) => scraps.join('')),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const parsed = await typedTo(address, text, 'en');
      expect(isWellFormed(parsed)).toBe(true);
      if (parsed.ok) expect(text).toContain(parsed.value);
    }),
    { numRuns: 1000 },
  );
});

test('a long reply is refused in linear time, whatever it is made of', async () => {
  for (const part of ['a', '@', 'a@', 'a.', '.', '<', '!', 'a@b.co ']) {
    const read = (size: number) => typedTo(address, `${part.repeat(size / part.length)}`, 'en');
    expect((await read(65_536)).ok).toBe(false);
    expect(await growth(read, 4_096), part).toBeLessThan(linear);
  }
});

test('somebody is told what is wrong with an address, in their language', async () => {
  const told = async (reply: string, locale: string) => toldIn(await typedTo(address, reply, locale), locale);
  expect(await told('anna', 'en')).toBe('Please write an e-mail address, for example anna@example.org.');
  expect(await told('anna', 'de')).toBe('Bitte schreiben Sie eine E-Mail-Adresse, zum Beispiel anna@example.org.');
  expect(await told('a@b.co c@d.co', 'fr')).toBe('Veuillez ne donner qu’une seule réponse.');
  expect(await told('no anna@example.org', 'es')).toBe('Por favor, diga lo que quiere en lugar de lo que no quiere.');
});

test('a program gives the address and nothing around it', async () => {
  expect((await givenTo(address, 'bounce=anna/1@example.org')).ok).toBe(true);
  expect(await givenTo(address, 'Anna@Example.org')).toEqual({ ok: true, value: 'Anna@example.org' });
  for (const value of [
    ' anna@example.org',
    '<anna@example.org>',
    'anna@example.org.',
    'anna',
    '',
    1,
    null,
    ['anna@example.org'],
  ]) {
    expect((await givenTo(address, value)).ok, JSON.stringify(value)).toBe(false);
  }
});

test('an example that is no address is refused where the question is made', () => {
  expect(() => email('Where?', { example: 'anna' })).toThrow(/example must be an e-mail address, got "anna"/);
  expect(() => email('Where?', { example: 5 as never })).toThrow(expect.objectContaining({ code: 'bad-option' }));
  expect(email('Where?', { example: 'you@work.example' }).data).toEqual({ example: 'you@work.example' });
});

test('it is drawn as a field for an address', () => {
  expect(address.type.shape(address.data as never)).toEqual({ type: 'text', input: 'email' });
});

answerTypeContract<string, Json>({
  test,
  type: emailType as unknown as AnswerType<string>, // its data as plain JSON, which is what is stored
  data: address.data,
  accepts: [{ reply: 'anna@Example.org.', value: 'anna@example.org' }],
  refuses: ['', 'anna', 'anna@example', 'a@b.co, c@d.co'],
});
