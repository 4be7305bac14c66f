import { expect, test } from 'vitest';
import { english } from '../../src/core/wording/english.js';
import type { Language, Participant } from '../../src/index.js';
import { agent, choice, confirm, form, number, optional, text } from '../../src/index.js';
import { rehearse } from '../../src/testing/index.js';

async function speaking(locale: string | undefined, registryOptions: object = {}) {
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('?!'), { onAnswer: (yes) => String(yes) });
  const size = shop.question('size', choice('Size', ['S', 'L']), { remindAfter: 1_000, onAnswer: (answer) => answer });
  const price = shop.question('price', number('Price', { max: 5_000 }), { maxRetries: 1, onAnswer: (n) => `${n}` });
  const both = shop.question('both', form('F', { note: optional(text('Note')), sure: confirm('Sure') }), {
    onAnswer: (answer) => JSON.stringify(answer),
  });
  const questions = { sure, size, price, both };
  shop.onMessage(({ message, ask }) => ask(questions[message as keyof typeof questions] as typeof sure));
  const play = await rehearse({ agents: [shop], ...registryOptions });
  const participant: Participant = { id: 'web:anna', ...(locale === undefined ? {} : { locale }) };
  return { ...play, anna: play.human('anna', { participant }) };
}

test.each([
  ['de', 'Jawohl', 'nö'],
  ['de-AT', 'ja bitte', 'nein danke'],
  ['fr', 'oui', 'non merci'],
  ['es-MX', 'sí', 'no, gracias'],
  [undefined, 'yes please', 'no thanks'],
  ['de', 'yes', 'no'],
  ['xx', 'yes', 'no'],
])('in %s %j is yes and %j is no', async (locale, yes, no) => {
  const { anna } = await speaking(locale);
  await anna.says('sure');
  expect(await anna.says(yes)).toEqual(['true']);
  await anna.says('sure');
  expect(await anna.says(no)).toEqual(['false']);
});

test('a German number is read the German way, and what is wrong is said in German', async () => {
  const { anna } = await speaking('de-DE');
  await anna.says('price');
  expect((await anna.says('viel'))[0]).toMatch(/Bitte|bitte/);
  expect(await anna.says('1.234,50')).toEqual(['1234.5']);
});

test('hints, reminders, skips and declines speak the language of whoever is asked', async () => {
  const { anna, clock } = await speaking('de');
  const [question] = await anna.says('size');
  expect(question).not.toContain('Reply with');
  await clock.advance(1_000);
  expect(anna.sees()[0]).not.toContain('This is still open');
  expect(await anna.says('abbrechen')).not.toEqual(["All right, I'll leave it."]);
  await anna.says('both');
  await anna.says('überspringen');
  expect(await anna.says('ja')).toEqual(['{"sure":true}']);
});

test('English declines in every language; German ones only for Germans', async () => {
  const german = await speaking('de');
  await german.anna.says('sure');
  expect((await german.anna.says('cancel'))[0]).not.toContain('?!');
  const plain = await speaking(undefined);
  await plain.anna.says('sure');
  expect((await plain.anna.says('abbrechen'))[0]).toContain('Please answer yes or no.');
});

test('a language can be added, one of ours replaced, and a country have its own', async () => {
  const dutch: Language = {
    ...english,
    locale: 'nl',
    words: { ...english.words, yes: ['ja', 'jawel'], no: ['nee'] },
    wording: { ...english.wording, yesOrNo: () => 'Antwoord ja of nee.' },
  };
  const flemish: Language = { ...dutch, locale: 'nl-BE', words: { ...dutch.words, yes: ['ja', 'joa'] } };
  const languages = [dutch, flemish];
  const here = await speaking('nl-NL', { languages });
  await here.anna.says('sure');
  expect((await here.anna.says('joa'))[0]).toContain('Antwoord ja of nee.');
  const there = await speaking('nl_be', { languages });
  await there.anna.says('sure');
  expect(await there.anna.says('joa')).toEqual(['true']);
});

test("the registry's own sentences are said in every language", async () => {
  const wording = { declined: () => 'OK!' };
  for (const locale of ['de', 'fr', undefined]) {
    const { anna } = await speaking(locale, { wording });
    await anna.says('sure');
    expect(await anna.says('/cancel')).toEqual(['OK!']);
  }
});

test.each([
  ['de', '1. Ja\n2. Nein', 'Etwas anderes'],
  ['fr', '1. Oui\n2. Non', 'Autre'],
  ['es', '1. Sí\n2. No', 'Otra respuesta'],
  [undefined, '1. Yes\n2. No', 'Other'],
])('in %s the labels that the author left out are drawn and read in that language', async (locale, yesNo, other) => {
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('?!'), { onAnswer: (yes) => String(yes) });
  const half = shop.question('half', confirm('?!', { yes: 'Pay' }), { onAnswer: (yes) => String(yes) });
  const colour = shop.question('colour', choice('Colour', ['red'], { other: true }), {
    onAnswer: (c) => JSON.stringify(c),
  });
  const both = shop.question('both', form('F', { sure: confirm('Sure') }), {
    onAnswer: (answer) => JSON.stringify(answer),
  });
  const questions = { sure, half, colour, both };
  shop.onMessage(({ message, ask }) => ask(questions[message as keyof typeof questions] as typeof sure));
  const play = await rehearse({ agents: [shop] });
  const anna = play.human('anna', { participant: { id: 'web:anna', ...(locale === undefined ? {} : { locale }) } });
  const [yes, no] = yesNo.split('\n').map((line) => line.slice(3)) as [string, string];
  expect((await anna.says('sure'))[0]).toContain(yesNo);
  expect(await anna.presses(no)).toEqual(['false']);
  expect((await anna.says('half'))[0]).toContain(`1. Pay\n2. ${no}`);
  expect(await anna.says(no)).toEqual(['false']);
  expect((await anna.says('both'))[0]).toContain(yesNo);
  expect(await anna.presses(yes)).toEqual(['{"sure":true}']);
  expect((await anna.says('colour'))[0]).toContain(`1. red\n2. ${other}`);
  await anna.says(other);
  expect(await anna.says('blue')).toEqual(['{"other":"blue"}']);
});
