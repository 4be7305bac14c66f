import { expect, test } from 'vitest';
import { english } from '../../../src/core/wording/english.js';
import { french } from '../../../src/core/wording/french.js';
import type { Language, Participant } from '../../../src/index.js';
import { agent, choice, confirm, form, number, optional, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { settle, world } from '../../support/engine.js';
import { ben, Mail } from '../../support/places.js';

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

test('who has no known locale is spoken to in the usual language, and who has one in theirs', async () => {
  const { anna } = await speaking(undefined, { locale: 'de-DE' });
  await anna.says('sure');
  expect(await anna.says('Jawohl')).toEqual(['true']);
  await anna.says('price');
  expect((await anna.says('viel'))[0]).toMatch(/Bitte|bitte/);
  const { anna: jeanne } = await speaking('fr', { locale: 'de' });
  await jeanne.says('sure');
  expect(await jeanne.says('Oui')).toEqual(['true']);
});

test('a usual language that is not there is refused, with those that are', async () => {
  await expect(speaking(undefined, { locale: 'nl' })).rejects.toThrow(/locale must be .*\(en, de, fr, es\), got "nl"/);
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
  ['de', '- Ja\n- Nein', 'Etwas anderes'],
  ['fr', '- Oui\n- Non', 'Autre'],
  ['es', '- Sí\n- No', 'Otra respuesta'],
  [undefined, '- Yes\n- No', 'Other'],
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
  const [yes, no] = yesNo.split('\n').map((line) => line.slice(2)) as [string, string];
  expect((await anna.says('sure'))[0]).toContain(yesNo);
  expect(await anna.presses(no)).toEqual(['false']);
  expect((await anna.says('half'))[0]).toContain(`- Pay\n- ${no}`);
  expect(await anna.says(no)).toEqual(['false']);
  expect((await anna.says('both'))[0]).toContain(yesNo);
  expect(await anna.presses(yes)).toEqual(['{"sure":true}']);
  expect((await anna.says('colour'))[0]).toContain(`1. red\n2. ${other}`);
  await anna.says(other);
  expect(await anna.says('blue')).toEqual(['{"other":"blue"}']);
});

/** A shop on two channels: customers write by `web`, the staff decides by `mail`. */
async function shopWithStaff(options: object = {}) {
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('Refund?'), {
    answerableBy: [ben.id],
    notify: [{ channel: 'mail', to: 'ben' }],
    onAnswer: () => 'Done.',
  });
  shop.onMessage(({ message, ask }) => (message === 'refund' ? ask(sure) : 'Hello.'));
  const [web, mail] = [new Mail('web'), new Mail()];
  const registry = await world().replica({ agents: [shop], channels: [web, mail], ...options });
  const localeOf = (said: string) => web.sent.findLast(({ text: each }) => each === said)?.locale;
  return { registry, web, mail, localeOf };
}

test('a channel is given the language of whoever a message is for, also where somebody else wrote', async () => {
  const { web, mail, localeOf } = await shopWithStaff();
  const anna = { id: 'web:anna', locale: 'de-AT' };
  await web.writes('anna', 'hi', anna);
  await web.writes('anna', 'refund', anna);
  await settle();
  expect([localeOf('Hello.'), localeOf('Refund?'), mail.sent[0]?.locale]).toEqual(['de-AT', 'de-AT', 'de-AT']);
  await mail.presses('ben', 'yes', { id: 'web:eve', locale: 'fr' });
  expect(mail.sent.at(-1)).toMatchObject({ text: french.wording.refused(), locale: 'fr' });
  await mail.presses('ben', 'yes', { ...ben, locale: 'fr' });
  expect(localeOf('Done.')).toBe('de-AT');
  await web.writes('zoe', 'hi', { id: 'web:zoe' });
  expect(web.sent.at(-1)).not.toHaveProperty('locale');
});

test("a channel gets the wording of every language that the registry knows, with the author's own sentences", async () => {
  const dutch: Language = { ...english, locale: 'nl', wording: { ...english.wording, sendButton: () => 'Versturen' } };
  const wording = { cancelButton: () => 'X', noText: () => 7 as unknown as string };
  const { web } = await shopWithStaff({ languages: [dutch], wording, logger: silent });
  const said = (locale: string | undefined) => {
    const own = web.desk?.wording?.(locale);
    return [own?.sendButton(), own?.cancelButton(), own?.noText()];
  };
  expect(said('nl-BE')).toEqual(['Versturen', 'X', '(no text)']);
  expect(said('de')).toEqual(['Senden', 'X', '(kein Text)']);
  expect(said('xx')).toEqual(['Send', 'X', '(no text)']);
  expect(said(undefined)).toEqual(['Send', 'X', '(no text)']);
});

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
