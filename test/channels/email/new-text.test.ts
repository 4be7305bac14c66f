/** Only what a person wrote now counts: not the mail that they answer, nor their signature. */
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { newText } from '../../../src/channels/email/incoming/new-text.js';
import { marker, markers, question, quoted } from './mails/mail.js';

const lines = (...all: readonly string[]) => all.join('\n');
const read = (...all: readonly string[]) => newText(lines(...all), markers);

/** What mail programs write above a quote. */
const attributions = {
  'Gmail, English': 'On Tue, Nov 17, 2026 at 9:12 AM The shop <replies@shop.example.com> wrote:',
  'Gmail, English, broken':
    'On Tue, Nov 17, 2026 at 9:12 AM The shop of Example and Sons <\nreplies+mjqxgzjxgi4tcnrt@shop.example.com> wrote:',
  'Gmail, German': 'Am Di., 17. Nov. 2026 um 09:12 Uhr schrieb The shop <replies@shop.example.com>:',
  'Gmail, German, broken':
    'Am Di., 17. Nov. 2026 um 09:12 Uhr schrieb The shop of Example and Sons <\nreplies@shop.example.com>:',
  'Gmail, French': 'Le mar. 17 nov. 2026 à 09:12, The shop <replies@shop.example.com> a écrit :',
  'Gmail, Spanish': 'El mar, 17 nov 2026 a las 9:12, The shop (<replies@shop.example.com>) escribió:',
  'Gmail, Czech': 'út 17. 11. 2026 v 9:12 odesílatel The shop <replies@shop.example.com> napsal:',
  'Gmail, Japanese': '2026年11月17日(火) 9:12 The shop <replies@shop.example.com>:',
  'Apple Mail, English': 'On 17. Nov 2026, at 09:12, The shop <replies@shop.example.com> wrote:',
  'Apple Mail, German': 'Am 17.11.2026 um 09:12 schrieb The shop <replies@shop.example.com>:',
  'Apple Mail, French': 'Le 17 nov. 2026 à 09:12, The shop <replies@shop.example.com> a écrit :',
  'Thunderbird, English': 'On 11/17/26 09:12, The shop wrote:',
  'Thunderbird, German': 'Am 17.11.26 um 09:12 schrieb The shop:',
  'Thunderbird, French': 'Le 17/11/2026 à 09:12, The shop a écrit :',
  mutt: 'On Tue, Nov 17, 2026 at 09:12:00AM +0100, The shop wrote:',
} as const;

describe('above and below a quote', () => {
  test.for(Object.entries(attributions))('%s: above the quote', async ([, attribution]) => {
    expect(await read('Yes, please.', '', attribution, '', ...quoted)).toBe('Yes, please.');
    expect(await read('Yes, please.', attribution, ...quoted)).toBe('Yes, please.');
  });

  test.for(Object.entries(attributions))('%s: below the quote', async ([, attribution]) => {
    expect(await read(attribution, ...quoted, '', 'Yes, please.')).toBe('Yes, please.');
  });

  test.for(Object.entries(attributions))('%s: nothing but a quote', async ([, attribution]) => {
    expect(await read(attribution, '', ...quoted)).toBe('');
    expect(await read('', '\u00a0\u200b', attribution, '', ...quoted, '\u200d')).toBe('');
  });
});

describe('quotes without marks', () => {
  const outlook = {
    English: [
      'From: The shop <replies@shop.example.com>',
      'Sent: Tuesday, November 17, 2026 9:12 AM',
      'To: Anna Smith <anna@example.com>',
      'Subject: A refund',
    ],
    German: [
      'Von: The shop <replies@shop.example.com>',
      'Gesendet: Dienstag, 17. November 2026 09:12',
      'An: Anna Smith <anna@example.com>',
      'Betreff: A refund',
    ],
    French: [
      'De : The shop <replies@shop.example.com>',
      'Envoyé : mardi 17 novembre 2026 09:12',
      'À : Anna Smith <anna@example.com>',
      'Objet : A refund',
    ],
    Spanish: [
      'De: The shop <replies@shop.example.com>',
      'Enviado: martes, 17 de noviembre de 2026 9:12',
      'Para: Anna Smith <anna@example.com>',
      'Asunto: A refund',
    ],
    bold: [
      '*From:* The shop <replies@shop.example.com>',
      '*Sent:* Tuesday, November 17, 2026 9:12 AM',
      '*To:* Anna Smith <anna@example.com>',
      '*Subject:* A refund',
    ],
  };
  const rule = '________________________________';

  test.for(Object.entries(outlook))('Outlook, %s: only what stands above its header lines', async ([, header]) => {
    expect(await read('Yes, please.', '', ...header, '', ...question)).toBe('Yes, please.');
    expect(await read('Yes, please.', '', rule, ...header, '', ...question)).toBe('Yes, please.');
    expect(await read('Yes, please.', '', '-----Original Message-----', ...header, '', ...question)).toBe(
      'Yes, please.',
    );
    expect(await read('Yes, please.', '', ...header, '', 'An older mail: no.')).toBe('Yes, please.');
  });

  test.for(Object.entries(outlook))(
    'Outlook, %s: an answer that is not there is not found in the quote',
    async ([, header]) => {
      expect(await read('', rule, ...header, '', ...question)).toBe('');
      expect(await read(...header, '', 'yes')).toBe('');
    },
  );

  test('Yahoo', async () => {
    const attribution =
      '    On Tuesday, November 17, 2026 at 09:12:34 AM GMT+1, The shop <replies@shop.example.com> wrote:  ';
    const german =
      '    Am Dienstag, 17. November 2026 um 09:12:34 MEZ hat The shop <replies@shop.example.com> Folgendes geschrieben:  ';
    for (const line of [attribution, german]) {
      expect(await read(' Yes, please.', '', line, ' ', ...question)).toBe('Yes, please.');
      expect(await read(' Yes, please.', '', line, ' ', ' An older mail: no.')).toBe('Yes, please.');
      expect(await read(line, ' ', ...question)).toBe('');
    }
  });

  test('a forwarded mail is not what the person wrote', async () => {
    const header = [
      'From: Bob <bob@example.com>',
      'Date: Tue, Nov 17, 2026',
      'Subject: Refund',
      'To: <anna@example.com>',
    ];
    expect(await read('See below.', '', '---------- Forwarded message ---------', ...header, '', 'yes')).toBe(
      'See below.',
    );
    expect(await read('Begin forwarded message:', '', ...header.map((line) => `> ${line}`), '> yes')).toBe('');
  });

  test('words that only look like header lines stay', async () => {
    expect(await read('From: Berlin', 'To: Hamburg', 'on Monday')).toBe('From: Berlin\nTo: Hamburg\non Monday');
  });
});

describe('our marker', () => {
  test.for([
    ['quoted twice', `>> ${marker}`],
    ['in bold', `> *${marker}*`],
    ['broken', '> ## Please write your\n> answer above this line ##'],
    ['broken without its mark', '## Please write your answer above\n this line ##'],
    ['with other spaces', `   ##  Please write your answer\u00a0above this line ##`],
    ['in another language', `> ${markers[1]}`],
    ['in capitals', marker.toUpperCase()],
  ] as const)('is known when it is %s', async ([, line]) => {
    expect(await read('Yes', '', line, ...(line.startsWith('>') ? quoted : question).slice(1))).toBe('Yes');
    expect(await read(line, ...(line.startsWith('>') ? quoted : question).slice(1))).toBe('');
  });

  test('words of a marker in a sentence are the person’s', async () => {
    expect(await read(`You write ${marker} but why?`)).toBe(`You write ${marker} but why?`);
  });

  test('no marker, or an empty one, cuts nothing', async () => {
    expect(await newText('yes', [])).toBe('yes');
    expect(await newText('yes\n> ', ['', '> '])).toBe('yes');
  });
});

describe('between the quotes', () => {
  test('everything that the person wrote counts, in its order', async () => {
    const text = [
      'Hello,',
      '',
      attributions.mutt,
      quoted[0] as string,
      '> May order 12345 be refunded?',
      '',
      'yes',
      '',
      '> How much?',
      '50 only',
      '> The shop',
    ];
    expect(await read(...text)).toBe('Hello,\n\nyes\n\n50 only');
  });

  test('a condition below the quote is not lost', async () => {
    expect(await read('Yes', '', attributions.mutt, ...quoted, '', 'but only 50')).toBe('Yes\n\nbut only 50');
  });

  test('what may be the rest of a broken quote, or an answer, is no clear answer: it comes with its quote', async () => {
    const long = 'If order 12345 may be refunded to the card of the customer, reply with yes,';
    for (const rest of ['no', 'but not now'])
      expect(await read('Yes', attributions.mutt, quoted[0] as string, `> ${long}`, rest, '> otherwise.')).toBe(
        `Yes\n\n${long} ${rest}`,
      );
  });

  test('the end of a quoted line, broken by a narrow program without a mark, is not what the person says', async () => {
    for (let width = 50; width <= 72; width += 1) {
      const note = `> note: ${'a'.repeat(width - 11)}`; // with a blank and the word it has no room
      expect(await read(attributions.mutt, quoted[0] as string, note, 'Yes', '>', '> Yes or no?')).not.toBe('Yes');
    }
  });

  test('below the last line of a quote an answer is one, unless the line is so wide that every program breaks it', async () => {
    const line = (length: number) => `> ${'a'.repeat(length - 2)}`;
    for (const below of [[], [''], ['', '> More'], ['-- ', 'Anna']]) {
      expect(await read(attributions.mutt, quoted[0] as string, line(70), 'Yes', ...below)).toBe('Yes');
      expect(await read(attributions.mutt, quoted[0] as string, line(74), 'Yes', ...below)).toBe(
        `${line(74).slice(2)} Yes`,
      );
    }
  });

  test('a line that the person ends with a colon stays', async () => {
    expect(await read('To your question:', '> May order 12345 be refunded?', 'Yes')).toBe('To your question:\n\nYes');
  });

  test('what stands above a line that was not broken is not part of the attribution', async () => {
    expect(
      await read('On reflection: yes', '17 Nov 2026 9:12 The shop <replies@shop.example.com> wrote:', ...quoted),
    ).toBe('On reflection: yes');
  });
});

describe('below the question', () => {
  const disclaimer =
    'This e-mail is confidential. If you are not the addressee, you may not use it, copy it or pass it on to anybody else.';

  test('what servers put there is not read: whoever is asked was told to reply above the line', async () => {
    const footers = [
      disclaimer,
      'Virus-free. www.example.com',
      'Scanned by https://scan.example.com',
      'This message is confidential.',
      'Diese E-Mail ist vertraulich.',
      '________________\nExample GmbH, Beispielstraße 12, 10115 Berlin',
      '[EXTERNAL]',
      'No virus found in this message. Checked by www.example.com',
      'If you are not the addressee, please tell us and delete this mail with everything that is attached to it.',
      'Please consider the environment before you print this mail.',
    ];
    for (const footer of footers) expect(await read('Yes', '', attributions.mutt, ...quoted, '', footer)).toBe('Yes');
    expect(await read(attributions.mutt, ...quoted, '', 'Virus-free. www.example.com')).toBe('');
  });

  test('what takes back the answer above is read, and so is an answer that stands below alone', async () => {
    const long =
      'But only 50 please, because the customer has already had the other half of it back in May, see www.example.com';
    for (const said of [
      long,
      'but only 50',
      'No, sorry, do not do it.',
      'Please wait for Bob.',
      'Nur wenn Bob zustimmt',
      ...[
        'Actually no.',
        'On second thought, please do not.',
        'I changed my mind: no.',
        'Cancel that.',
        'Ask Bob first.',
      ],
      ...['Refund only 50.', '50 EUR max.', '2', 'Half of it.', 'Subject to the approval of Bob.', 'I take that back.'],
      ...['As long as it is below 50.', 'If https://crm.example.com/12345 is paid', 'Sorry, that was a mistake.'],
      ...['Moment, doch nicht.', 'Höchstens 50 Euro.', 'Vorausgesetzt, Bob stimmt zu.', 'Finalement non.', 'Mejor no.'],
      `If Bob agrees, and if the customer has sent everything back to us, ${'and so on, '.repeat(10)}not before`,
      'No virus scan was made, so do not pay it.',
    ])
      expect(await read('Yes', '', attributions.mutt, ...quoted, '', said)).toBe(`Yes\n\n${said}`);
    for (const said of ['All of it.', 'Yes, see https://shop.example.com/12345'])
      expect(await read(attributions.mutt, ...quoted, '', said)).toBe(said);
  });

  test('what stands above a quote without marks is no footer', async () => {
    expect(await read('Ja, vertraulich.', '', marker, ...question)).toBe('Ja, vertraulich.');
  });

  test('a line that names what somebody else wrote is left out only if it says nothing more', async () => {
    const cited = ['Yes', 'but only what bob@example.com said on 12.11.2026:', '> 50 for the shipping'];
    expect(await read(...cited, '', attributions.mutt, ...quoted)).toBe(lines(...cited.slice(0, 2)));
  });

  test('without our question above it, everything counts', async () => {
    expect(await read('Yes', '', attributions.mutt, '> Something else', '', disclaimer)).toBe(`Yes\n\n${disclaimer}`);
  });

  test("Outlook's header lines above our question are known in any language", async () => {
    const headers = [
      ['Od: The shop <replies@shop.example.com>', 'Wysłano: wtorek, 17 listopada 2026', 'Do: Anna', 'Temat: A refund'],
      ['Från: The shop <replies@shop.example.com>', 'Skickat: den 17 november 2026', 'Till: Anna', 'Ämne: A refund'],
      ['差出人: The shop <replies@shop.example.com>', '送信日時: 2026年11月17日', '宛先: Anna', '件名: A refund'],
      ['发件人: The shop <replies@shop.example.com>', '发送时间: 2026年11月17日', '收件人: Anna', '主题: A refund'],
      ['От: The shop <replies@shop.example.com>', 'Отправлено: 17 ноября 2026', 'Кому: Anna', 'Тема: A refund'],
      ['Lähettäjä: The shop <replies@shop.example.com>', 'Lähetetty: 17. marraskuuta', 'Vastaanottaja: Anna'],
    ];
    for (const header of headers) {
      expect(await read('Yes', '', ...header, '', ...question)).toBe('Yes');
      expect(await read('Yes', '', '________________________________', ...header, '', ...question)).toBe('Yes');
    }
  });
});

describe('signatures', () => {
  const people = {
    anna: { address: 'anna@example.com', name: 'Anna Smith' },
    heide: { address: 'a.heide@example.com', name: 'Heide, Anna von der' },
    anne: { address: 'anne.dupont@example.com' },
    ana: { address: 'ana@example.com', name: 'Ana' },
  };
  const from = (author: keyof typeof people, ...all: readonly string[]) =>
    newText(lines(...all), markers, people[author]);

  test.for([
    ['-- ', 'Anna Smith', 'Whatever stands here, such as no'],
    ['', 'Sent from my iPhone'],
    ['', 'Von meinem iPhone gesendet'],
    ['', 'Envoyé de mon iPhone'],
    ['', 'Enviado desde mi iPhone'],
    ['', 'Get Outlook for iOS<https://aka.example.com/o0ukef>'],
    ['', 'Gesendet von Outlook für Android<https://aka.example.com/o0ukef>'],
    ['', 'Sent from Yahoo Mail on Android'],
    ['', 'Best regards,', 'Anna'],
    ['Regards', 'Anna Smith', '', 'Sent from my iPad'],
    [
      '',
      'Mit freundlichen Grüßen',
      'Anna von der Heide',
      'Leiterin Finanzen',
      'Example GmbH',
      'Beispielstraße 12, 10115 Berlin',
      'Tel: +49 30 123456',
      'anna@example.com',
    ],
    ['', 'Danke und viele Grüße', '', 'Anna'],
    ['', 'Cordialement,', 'Anne Dupont', 'www.example.com'],
    ['', 'Best, Anna'],
    ['Thanks!'],
    ['', '--', 'Anna Smith'],
    ['', 'Sent from my Samsung Galaxy smartphone.'],
    ['', 'Diese Nachricht wurde von meinem Android Gerät mit K-9 Mail gesendet.'],
    ['', 'Regards', 'Dr. A. Smith', 'Head of Finance'],
    ['', 'Outlook für Android<https://aka.example.com/x> herunterladen'],
    ['', 'Outlook für iOS<https://aka.example.com/x> beziehen'],
    ['', 'Best regards', 'Anna', 'Example Ltd', '0171 2345678'],
  ])('%s %s %s is left out', async (signature) => {
    const author = /Heide/.test(signature.join()) ? 'heide' : /Anne/.test(signature.join()) ? 'anne' : 'anna';
    expect(await from(author, 'Yes', ...signature)).toBe('Yes');
    expect(await from(author, 'Yes', ...signature, '', attributions.mutt, ...quoted)).toBe('Yes');
  });

  test.for([
    ['Regards', 'but only 50 Euro'],
    ['Best regards', 'Anna', '', 'PS: only if it is under 50'],
    ['Best regards', 'Anna', 'but not before Monday'],
    ['Cheers', 'Anna', 'Is that fine?'],
    ['--', 'but only 50'],
    ['', 'Sent from accounting yesterday'],
    ['The invoice was', 'Sent from my desk'],
    ['', 'Anna'],
    ['', 'Thanks,', 'Anna', 'no, do not do it'],
    ['', 'Thanks,', 'Anna', '', 'but do not pay it all'],
    ['Thanks', 'Wait. No.'],
    ['Thanks', 'No'],
    ['Thanks, No'],
    ['', 'Cheers', 'If Bob Agrees'],
    ['', 'Cheers', 'Anna', 'If Legal Agrees'],
    ['', 'Regards', 'Anna Smith', 'Not For Bob'],
    ['', 'thanks, Anna', 'Bob Must Agree'],
    ['', 'Viele Grüße', 'Anna', 'bitte erst am 1.'],
    ['', 'Regards', 'Bob'],
    ['', 'Sent from my iPhone, so brief: wait for Bob before paying'],
    ['', 'Sent from my phone - do NOT refund before Friday'],
    ['', 'Sent via mail to legal, do nothing until they agree'],
    ['', 'Sent for max 50'],
    ['', 'Sent by phone: max 50 for the device'],
    ...[
      'Maximum 5000 EUR',
      'Limit 1000 USD',
      '5000.00',
      '1.500.000',
      'Ask Bob',
      'Tomorrow',
      'Partially.',
      'Maybe',
      'Nope',
    ].map((last) => ['', 'Thanks,', 'Anna', last]),
    ...[
      'Rejected.',
      'Revoked',
      'Pending Legal',
      'Unter Vorbehalt',
      'Nächste Woche',
      'Demain',
      'Mañana',
      'Something',
    ].map((last) => ['', 'Thanks,', 'Anna', last]),
    ['', 'Thanks,', 'Anna', 'Maximum 5000', 'Head of Finance', 'Example GmbH'],
  ])('%s %s %s may be a part of the answer, and stays', async (more) => {
    expect(await from('anna', 'Yes', ...more)).toBe(lines('Yes', ...more));
  });

  test('the name in a signature is the one of the author, in From or before the @', async () => {
    expect(await from('ana', 'Sí', '', 'Saludos,', 'Ana')).toBe('Sí');
    expect(await read('Sí', '', 'Saludos,', 'Ana')).toBe('Sí\n\nSaludos,\nAna');
  });

  test('a greeting alone is what the person says', async () => {
    for (const said of ['Thanks', 'Best', 'Regards\nAnna', 'No, thanks']) expect(await read(said)).toBe(said);
  });

  test('a signature alone says nothing', async () => {
    expect(await read('', '-- ', 'Anna')).toBe('');
    expect(await read('Sent from my iPhone')).toBe('');
  });
});

describe('whatever the text', () => {
  test('only white space and invisible characters is nothing', async () => {
    for (const text of ['', ' \n\t\n', '\u200b\u200c\u200d\ufeff', '\u00a0\n\u2003\n\u00ad'])
      expect(await read(text)).toBe('');
  });

  test('a mail without any quote stays as it is, with its empty lines', async () => {
    expect(await read('First.', '', '- a', '- b', '', 'Last.')).toBe('First.\n\n- a\n- b\n\nLast.');
  });

  property.prop([
    fc.array(fc.oneof(fc.string(), fc.constantFrom(...quoted, ...Object.values(attributions), '', '-- ', '> '))),
  ])('no quoted line is ever new', async (all) => {
    const text = await newText(all.join('\n'), markers);
    expect(text.split('\n').filter((line) => line.startsWith('>'))).toEqual([]);
    expect(text).toBe(text.trim());
  });
});
