/** What people are told where a reply does not fit: the sentences are right for one, for many, and for dates. */
import { expect, test } from 'vitest';
import { choices } from '../../../../src/answers/choices.js';
import { date } from '../../../../src/answers/date.js';
import { text } from '../../../../src/answers/text.js';
import type { Question } from '../../../../src/core/ask/answer-type.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';
import { agent } from '../../../../src/index.js';
import { bare } from '../../../support/agents.js';
import { toldIn, typedTo } from './rows.js';

const locales = ['en', 'de', 'fr', 'es'];

/** What is said to somebody of each language about this reply. */
async function toldAbout(question: Question<unknown>, reply: string): Promise<string[]> {
  return Promise.all(locales.map(async (locale) => toldIn(await typedTo(question, reply, locale), locale)));
}

test('a limit of one character is told in the singular', async () => {
  expect(await toldAbout(text('Initial?', { maxLength: 1 }), 'AB')).toEqual([
    'Please write at most 1 character.',
    'Bitte schreiben Sie höchstens 1 Zeichen.',
    'Veuillez écrire au maximum 1 caractère.',
    'Por favor, escriba como máximo 1 carácter.',
  ]);
  expect(await toldAbout(text('Code?', { minLength: 3 }), 'AB')).toEqual([
    'Please write at least 3 characters.',
    'Bitte schreiben Sie mindestens 3 Zeichen.',
    'Veuillez écrire au moins 3 caractères.',
    'Por favor, escriba al menos 3 caracteres.',
  ]);
});

test('a limit of many characters is told with its thousands apart', async () => {
  expect(await toldAbout(text('Story?', { maxLength: 10_000 }), 'a'.repeat(10_001))).toEqual([
    'Please write at most 10,000 characters.',
    'Bitte schreiben Sie höchstens 10.000 Zeichen.',
    'Veuillez écrire au maximum 10\u202f000 caractères.',
    'Por favor, escriba como máximo 10\u202f000 caracteres.',
  ]);
});

test('the limits of a date are told as times, not as amounts', async () => {
  expect(await toldAbout(date('When?', { max: '2026-11-15' }), '2026-11-16')).toEqual([
    'The date must not be after 2026-11-15.',
    'Möglich ist spätestens 2026-11-15.',
    'La date doit être au plus tard le 2026-11-15.',
    'La fecha debe ser a más tardar el 2026-11-15.',
  ]);
  expect(await toldAbout(date('When?', { min: '2026-11-15' }), '2026-11-14')).toEqual([
    'The date must not be before 2026-11-15.',
    'Möglich ist frühestens 2026-11-15.',
    'La date doit être au plus tôt le 2026-11-15.',
    'La fecha no puede ser antes del 2026-11-15.',
  ]);
});

test('where one option may be picked, the sentence says one', async () => {
  expect(await toldAbout(choices('Which?', ['a', 'b'], { min: 1, max: 1 }), 'x')).toEqual([
    'Please pick one of: a, b.',
    'Bitte wählen Sie eine dieser Antworten: a, b.',
    'Veuillez choisir une de ces réponses : a, b.',
    'Por favor, elija una de estas opciones: a, b.',
  ]);
  expect(await toldAbout(choices('Which?', ['a', 'b'], { min: 0, max: 1 }), 'x')).toEqual([
    'Please pick at most one of: a, b.',
    'Bitte wählen Sie höchstens eine dieser Antworten: a, b.',
    'Veuillez choisir au maximum une de ces réponses : a, b.',
    'Por favor, elija como máximo una de estas opciones: a, b.',
  ]);
});

test.each([
  [{ max: 1 }, 'Reply with a number or a label.'],
  [{ max: 2 }, 'Reply with numbers or labels, separated by commas.'],
])('the hint below options with the limits %j is %j', async (limits, hint) => {
  const shop = agent('shop');
  const which = shop.question('which', choices('Which?', ['red', 'green', 'blue'], limits), { onAnswer: () => 'ok' });
  shop.onMessage(({ ask }) => ask(which));
  const { says, registry } = bare({ agents: [shop] });
  expect((await says('c', 'go')).outputs[0]).toMatchObject({ hint });
  await registry.stop();
});

test('who declined a question and answers it again is not told that somebody else did', () => {
  const told = builtInLanguages.map(({ wording }) => wording.alreadyDeclined());
  expect(told.join(' ')).not.toMatch(/someone|somebody|jemand|quelqu|alguien/i);
});

test('the button that approves and what is told afterwards use one verb', () => {
  for (const { wording, locale } of builtInLanguages) {
    const stem = wording.approve().slice(0, 5).toLowerCase();
    for (const how of ['once', 'session', undefined] as const)
      expect(wording.approved(how).toLowerCase(), locale).toContain(stem);
  }
});
