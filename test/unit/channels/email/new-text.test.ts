/** What a person wrote: only what is ours, and what programs write of themselves, is left out. Whatever else stands there counts. */
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { newText } from '../../../../src/channels/email/incoming/new-text.js';
import { people, written } from '../../../support/mail/read.js';
import { marker, question, quoted } from './mail.js';

const sent = [{ subject: 'A refund', texts: [question.join('\n')], at: new Date('2026-11-17T08:12:00Z') }];
const read = (...all: readonly string[]) => written(all.join('\n'), sent);

/** What mail programs write above a quote. */
const attributions = {
  'Gmail, English': 'On Tue, Nov 17, 2026 at 9:12 AM The shop <replies@shop.example.com> wrote:',
  'Gmail, English, broken':
    'On Tue, Nov 17, 2026 at 9:12 AM The shop <\nreplies+mjqxgzjxgi4tcnrt@shop.example.com> wrote:',
  'Gmail, German': 'Am Di., 17. Nov. 2026 um 09:12 Uhr schrieb The shop <replies@shop.example.com>:',
  'Gmail, French': 'Le mar. 17 nov. 2026 à 09:12, The shop <replies@shop.example.com> a écrit :',
  'Gmail, Spanish': 'El mar, 17 nov 2026 a las 9:12, The shop (<replies@shop.example.com>) escribió:',
  'Gmail, Czech': 'út 17. 11. 2026 v 9:12 odesílatel The shop <replies@shop.example.com> napsal:',
  'Gmail, Japanese': '2026年11月17日(火) 9:12 The shop <replies@shop.example.com>:',
  'Apple Mail, English': 'On 17. Nov 2026, at 09:12, The shop <replies@shop.example.com> wrote:',
  'Apple Mail, German': 'Am 17.11.2026 um 09:12 schrieb The shop <replies@shop.example.com>:',
  'Thunderbird, English': 'On 11/17/26 09:12, The shop wrote:',
  'Thunderbird, German': 'Am 17.11.26 um 09:12 schrieb The shop:',
  'Thunderbird, French': 'Le 17/11/2026 à 09:12, The shop a écrit :',
  mutt: 'On Tue, Nov 17, 2026 at 09:12:00AM +0100, The shop wrote:',
  Yahoo: '    On Tuesday, November 17, 2026 at 09:12:34 AM GMT+1, The shop <replies@shop.example.com> wrote:  ',
} as const;

describe('above, below and between quotes', () => {
  test.for(Object.entries(attributions))('%s', ([, attribution]) => {
    expect(read('Yes, please.', '', attribution, '', ...quoted)).toBe('Yes, please.');
    expect(read('Yes, please.', attribution, ...quoted)).toBe('Yes, please.');
    expect(read(attribution, ...quoted, '', 'Yes, please.')).toBe('Yes, please.');
    expect(read(attribution, '', ...quoted)).toBe('');
    expect(read('Yes, please.', '', attribution, '', ...question)).toBe('Yes, please.');
  });

  test('a condition counts wherever it stands', () => {
    expect(read('Yes', '', attributions.mutt, ...quoted, '', 'but only 50')).toBe('Yes\n\nbut only 50');
    expect(read(...quoted.slice(0, 3), 'yes', '> How much?', '50 only', ...quoted.slice(3))).toBe(
      'yes\n> How much?\n50 only',
    );
    expect(read('Yes', '', 'On second thought, no, see what Bob wrote:', ...quoted)).toMatch(/On second thought/);
    expect(read('Yes', '', 'Die Geschäftsführung muss aber noch zustimmen.')).toMatch(/Geschäftsführung/);
    expect(read('Yes', 'From: 100', 'To: 50', 'Date: tomorrow', '', ...quoted)).toMatch(/To: 50/);
    for (const said of ['The shop on Monday, 30 Nov 2026', 'The shop: 1 Jan 2027', 'The shop 100 30 Nov 2026:'])
      expect(read('Yes', '', said, ...quoted)).toMatch(/The shop/);
    expect(read('Yes', '', ...quoted, '> but only 50')).toBe('Yes\n\n> but only 50');
    expect(read('Yes', '>500 EUR: ask Bob', '', ...quoted)).toBe('Yes\n>500 EUR: ask Bob');
    expect(read('Yes', ' >500 EUR: ask Bob', '', ...quoted)).toMatch(/ask Bob/); // as format=flowed writes a typed one
    expect(read('Yes', '', 'but only what replies@shop.example.com said on 12.11.2026:', ...quoted)).toMatch(
      /but only/,
    );
    expect(read('Yes', '', 'not before 17.11.2026, The shop:', ...quoted)).toMatch(/not before/);
  });
});

const header = [
  'Von: The shop <replies@shop.example.com>',
  'Gesendet: Dienstag, 17. November 2026 09:12',
  'An: Anna Smith <anna@example.com>',
  'Betreff: AW: A refund',
];

test('a mark within the line above a quote is a person’s', () => {
  for (const mark of ['👎', '🤔', '?', '✗'])
    expect(read('Yes', '', attributions.mutt.replace('The shop', `The shop ${mark}`), ...quoted)).not.toBe('Yes');
});

describe('quotes without marks', () => {
  test.for([
    ['English', ['From: The shop <replies@shop.example.com>', 'Sent: Tuesday, November 17, 2026 9:12 AM']],
    ['bold', ['*From:* The shop <replies@shop.example.com>', '*Sent:* Tuesday, November 17, 2026 9:12 AM']],
    ['French', ['De : The shop <replies@shop.example.com>', 'Envoyé : mardi 17 novembre 2026 09:12']],
    ['Spanish', ['De: The shop <replies@shop.example.com>', 'Enviado: martes, 17 de noviembre de 2026 9:12']],
    ['Polish', ['Od: The shop <replies@shop.example.com>', 'Wysłano: wtorek, 17 listopada 2026']],
    ['German', header],
  ] as const)('Outlook, %s: our mail is known by its own words, in any form', ([, lines]) => {
    const rule = '________________________________';
    for (const above of [lines, [rule, ...lines], ['-----Original Message-----', ...lines]]) {
      expect(read('Yes', '', ...above, '', ...question)).toBe('Yes');
      expect(read('Yes', '', ...above, 'Subject: only 100 for A refund', '', ...question)).toMatch(/only 100/);
      expect(
        read('Yes', '', ...above, '', marker, 'May order 12345 be', 'refunded? Reply with yes or no. The', 'shop'),
      ).toBe('Yes');
      expect(read(...above, '', ...question)).toBe('');
    }
  });

  test('what is not ours counts, also below our mail and between its lines', () => {
    expect(read('Yes', ...header, '', ...question, '', 'but only 50')).toBe('Yes\n\nbut only 50');
    expect(read('Yes', ...header, '', ...question.slice(0, 3), 'no', ...question.slice(3))).toBe('Yes\n\nno');
    expect(read('Yes', ...header, '', ...question.slice(0, 3), '👎', ...question.slice(3))).toBe('Yes\n\n👎');
    expect(read('Yes', 'Nicht vor: Dienstag, 17. November 2026', ...header, '', ...question)).toMatch(/Nicht vor/);
    expect(read('Yes', ...header, 'An older mail: no.')).toMatch(/no\.$/);
  });

  test('without the mail that was sent only its first line is known', () => {
    expect(written(['Yes', '', ...question].join('\n'))).toMatch(/^Yes\n\nMay order 12345/);
  });

  test('what a person deleted of our mail is passed over at its ends; within, it is unclear what is answered', () => {
    expect(read('Yes', '', marker, '', 'The shop')).toMatch(/The shop \[…\]$/); // too short to be known
    expect(read('Yes', '', ...quoted.slice(1))).toBe('Yes');
    expect(read('Yes', '', ...quoted.slice(0, -2))).toBe('Yes');
    expect(read('Yes', '', marker, '', 'Reply with yes or no.')).toMatch(/no\. \[…\]$/);
  });

  test.for([
    ['May order 12345 be', 'May order 1234 be'],
    ['May order 12345 be', 'May order 123456 be'],
    ['refunded?', 'refunded???'],
    ['refunded?', 'refunded? 🤔'],
    ['May order', '~~May order'],
    ['12345', '12345 ❌'],
    ['The shop', 'The shop only'],
  ] as const)('a word of our mail that a person changed is theirs: %j', ([ours, theirs]) => {
    for (const mail of [quoted, question]) {
      const changed = mail.map((line) => line.replace(ours, theirs));
      expect(changed).not.toEqual(mail);
      expect(read('Yes', '', ...header, '', ...changed)).not.toBe('Yes');
    }
  });

  test('our marker is known when it is bold, indented or in capitals; in a sentence it is a person’s', () => {
    for (const line of [`*${marker}*`, `   ${marker}`, marker.toUpperCase()])
      expect(read('Yes', '', line, ...question.slice(1))).toBe('Yes');
    expect(read(`You write ${marker} but why?`)).toBe(`You write ${marker} but why?`);
  });
});

describe('below the answer', () => {
  test.for([
    [['-- ', 'Anna Smith', 'Example GmbH']],
    [['', 'Anna']],
    [['', 'Best regards,', 'Anna Smith']],
    [['', 'Viele Grüße', '', 'Anna', '', 'Tel: +49 30 123456', 'anna@example.com', 'www.example.com']],
    [['LG Anna']],
    [['', 'Cordialement', 'A. Smith']],
    [['', 'Sent from my iPhone']],
    [['', 'Outlook für iOS<https://aka.example.com/o0ukef> beziehen']],
    [['', 'Saludos, Anna', '', 'Enviado desde mi iPad']],
  ] as const)('%j is no part of it', ([lines]) => {
    expect(read('Yes', ...lines)).toBe('Yes');
    expect(read('Yes', ...lines, '', attributions.mutt, ...quoted)).toBe('Yes');
  });

  test('thanks stay, without their comma: they can turn a weak yes into a no', () => {
    expect(read('Yes', '', 'Thanks,', 'Anna')).toBe('Yes\n\nThanks');
    expect(read('It’s okay', '', 'Danke und viele Grüße,', 'Anna')).toBe('It’s okay\n\nDanke');
  });

  test.for([
    [['Halber Betrag', '+49 30 123456']],
    [['', '+49 30 123456']],
    [['Regards', 'Bob']],
    [['Regards', 'but only 50 Euro']],
    [['Best regards', 'Anna', '', 'PS: only if it is under 50']],
    [['', 'Sent from my desk, so wait for Bob']],
    [['', 'Head of Finance']],
    [['', 'This message is confidential.']],
    [['', 'https://crm.example.com/12345']],
    [['Thanks', 'No']],
    [['', 'Cheers', 'If Legal Agrees']],
    [['--', 'but only 50']],
    ...[
      '01.12 - 15.12.2026',
      '09.00 - 17.00',
      '0900-1200',
      '01.12.2026',
      'T 24.12.2026',
      'Mobile: 1.500.000',
      '+50 000 000',
    ].map((line) => [['Regards', 'Anna', line]] as const),
    [['Regards', 'Anna', 'bob@partner.example']],
    [['Regards', 'Anna', 'www.only-half.com']],
  ] as const)('%j counts', ([lines]) => {
    expect(read('Yes', ...lines)).toBe(['Yes', ...lines].join('\n'));
  });

  test('the first line is never left out', () => {
    for (const said of ['Anna', 'Best regards', 'Sent from my iPhone', '+49 30 123456']) expect(read(said)).toBe(said);
  });

  test('a signature goes to the next quote', () => {
    expect(read('Yes', '', '-- ', 'Anna', '', 'Example GmbH', '', ...quoted)).toBe('Yes');
    expect(read('Yes', '', '-- ', 'Anna', '', ...quoted, '', 'Only half, please.')).toBe('Yes\n\nOnly half, please.');
  });

  test('a name is the author’s own, by From or by the address', () => {
    const from = (address: string, name?: string) =>
      newText('Yes\n\nAnna', { ...people, sent: [], author: { address, ...(name ? { name } : {}) } });
    expect([from('anna@example.com'), from('a@example.com', 'Anna Smith'), from('bob@example.com', 'Bob')]).toEqual([
      'Yes',
      'Yes',
      'Yes\n\nAnna',
    ]);
  });
});

/** What a person may write to limit an answer, in the forms of what programs write. */
const limits = [
  'but only half',
  '>but only half',
  '> only if Bob agrees',
  'Until: 1.12.2026',
  'Not before: 1 December 2026',
  'on Monday 30 Nov 2026',
  'Only if approved by: replies@shop.example.com',
  'No: A refund',
  'The shop on Monday, 30 November 2026:',
  '???',
  'Cheers?',
  'Best :(',
  'Best regards 🤔',
  'Sent from my iPhone 🙄',
  '##-----## but only half',
  'Frist: The shop',
  'tel:only-half',
];
const replies: readonly (readonly string[])[] = [
  ...Object.values(attributions).map((attribution) => ['Yes, please.', '', attribution, ...quoted]),
  ['Yes, please.', '', 'Best regards', 'Anna', '', ...header, '', ...question],
  ['Yes, please.', '', '-----Original Message-----', ...header, '', ...quoted],
  [attributions.mutt, ...quoted, '', 'Yes, please.'],
];

property.prop([fc.constantFrom(...replies), fc.constantFrom(...limits), fc.nat(), fc.boolean(), fc.boolean()], {
  numRuns: 3_000,
})('no word of a person is lost, wherever it stands and whatever it looks like', (reply, limit, seed, above, below) => {
  expect(read(...reply)).toMatch(/^Yes, please\.$/);
  const at = seed % (reply.length + 1);
  const lines = [...reply.slice(0, at), ...(above ? [''] : []), limit, ...(below ? [''] : []), ...reply.slice(at)];
  expect(read(...lines).replace(/\s+/g, ' ')).not.toBe('Yes, please.');
});
