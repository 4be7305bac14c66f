/** Every row of the table of replies. A reply that is accepted wrongly fails with its row in the message. */
import { expect, test } from 'vitest';
import type { ReplyContext } from '../../../../src/core/ask/answer-type.js';
import { english } from '../../../../src/core/wording/english.js';
import { languageFor, languagesByTag } from '../../../../src/core/wording/language.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';
import type { AnswerType, Json } from '../../../../src/index.js';
import { questions } from './choices.questions.js';
import type { Row } from './choices.table.js';
import { table } from './choices.table.js';

const languages = languagesByTag(builtInLanguages, english);

async function readAs({ question, reply, locale }: Row): Promise<Json> {
  const { type, data } = questions[question] as unknown as { type: AnswerType<Json>; data: Json };
  const language = languageFor(languages, locale);
  const heard: ReplyContext = language === undefined ? {} : { language };
  const parsed = await type.parse(reply, data, locale, heard);
  return parsed.ok ? parsed.value : 'ask-again';
}

test('there are at least 200 replies, in four languages, and each stands there once', () => {
  expect(table.length).toBeGreaterThanOrEqual(200);
  expect(new Set(table.map((row) => row.locale?.slice(0, 2) ?? 'en'))).toEqual(new Set(['en', 'de', 'fr', 'es']));
  const keys = table.map(({ question, reply, locale }) => JSON.stringify([question, reply, locale]));
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test.each(table)('$question: $reply is $expected ($locale)', async (row) => {
  const value = await readAs(row);
  const wrong = row.expected === 'ask-again' || value !== 'ask-again' ? 'ACCEPTED WRONGLY' : 'not understood';
  expect(value, `${wrong}: ${JSON.stringify(row)}`).toEqual(row.expected);
});
