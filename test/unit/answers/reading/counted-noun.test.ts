/** The noun that a question counts may stand behind a number; any other word may change what is counted. */
import { expect, test } from 'vitest';
import { typeOf } from '../../../../src/answers/question.js';
import { french } from '../../../../src/core/wording/french.js';
import { german } from '../../../../src/core/wording/german.js';
import { spanish } from '../../../../src/core/wording/spanish.js';
import { number } from '../../../../src/index.js';

async function read(question: string, reply: string, language?: typeof german) {
  const asked = number(question);
  const type = typeOf(asked);
  const context = { question, shape: type.shape(asked.data), ...(language === undefined ? {} : { language }) };
  const parsed = await type.parse(reply, asked.data, language?.locale, context);
  return parsed.ok ? parsed.value : 'again';
}

test.each([
  ['How many people are coming?', '4 people', 4],
  ['How many people are coming?', 'We will be four people, thanks', 4],
  ['How many euros was it?', 'it was 20 euros', 20],
  ['How many people?', 'just 4', 4],
  ['Wie viele Personen kommen?', 'wir sind 4 Personen', 4, german],
  ['Wie viele Personen?', 'nur 4', 4, german],
  ['Combien de personnes ?', '4 personnes', 4, french],
  ['¿Cuántas personas?', 'somos cuatro personas', 4, spanish],
] as const)('%s "%s" is %d', async (question, reply, value, language?: typeof german) => {
  expect(await read(question, reply, language)).toBe(value);
});

test.each([
  ['How many people are coming?', '4 adults'],
  ['How many people are coming?', 'not 4 people'],
  ['How many people are coming?', 'about 4 people'],
  ['How many people are coming?', '4 people or 5'],
  ['How many dozens of eggs?', '24 eggs'],
  ['How many adults and children?', '2 adults'],
  ['How many adults (and children)?', '2 adults'],
  ['How many people, and when?', '4 people'],
  ['How much, in euros or dollars?', '20 euros'],
  ['How many people?', '4 people?'],
  ['How many people?', '4 peoples'],
] as const)('%s "%s" is asked again', async (question, reply) => {
  expect(await read(question, reply)).toBe('again');
});
