/** What a mail says, whatever it is made of: charsets, encodings, parts, addresses, and bytes that are no mail at all. */
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { longestRead } from '../../../../src/channels/email/incoming/mime.js';
import { leftOut } from '../../../../src/channels/email/incoming/words.js';
import { readMail, written } from '../../../support/mail/read.js';
import { mailOf, multipart, part, question } from './mail.js';

const raw = (...lines: readonly string[]) => Buffer.from(lines.join('\r\n'));
const textOf = async (...shape: Parameters<typeof mailOf>) => (await readMail(mailOf(...shape))).text;

test('a plain mail: who, to whom, about what, which mail it answers', async () => {
  const mail = await readMail(
    mailOf({ body: 'Yes\r\n', headers: ['Cc: bob@Example.COM', 'Delivered-To: box@shop.example.com'] }),
  );
  expect(mail).toMatchObject({
    messageId: '<reply-1@example.com>',
    references: ['<question-1@shop.example.com>'],
    from: [{ address: 'anna@example.com', name: 'Anna Smith' }],
    to: ['replies+token@shop.example.com', 'bob@example.com'],
    deliveredTo: ['box@shop.example.com'],
    subject: 'Re: A refund',
    text: 'Yes',
    attachments: [],
  });
  expect(mail.headers[0]).toEqual({ name: 'return-path', value: '<anna@example.com>' });
  expect(mail.report).toEqual([]);
});

describe('characters', () => {
  const bytes = (...values: readonly number[]) => Uint8Array.from(values);
  test.for([
    ['utf-8 in base64', 'text/plain; charset=UTF-8', 'base64', Buffer.from('Größe ✓').toString('base64'), 'Größe ✓'],
    ['base64 that pads every line', 'text/plain; charset=utf-8', 'base64', 'WQ==\r\nZQ==\r\ncw==', 'Yes'],
    ['base64 that is cut off', 'text/plain; charset=utf-8', 'base64', 'WWVzIQ', 'Yes!'],
    [
      'quoted-printable',
      'text/plain; charset=utf-8',
      'quoted-printable',
      'Gr=C3=B6=\r\n=C3=9Fe =zz 1=3D1',
      'Größe =zz 1=1',
    ],
    ['windows-1252', 'text/plain; charset=windows-1252', '8bit', bytes(0x93, 0x59, 0x94, 0x20, 0x80), '“Y” €'],
    [
      'windows-1252 in quoted-printable',
      'text/plain; charset="Windows-1252"',
      'quoted-printable',
      '=93Y=94 =80',
      '“Y” €',
    ],
    ['iso-8859-15', 'text/plain; charset=iso-8859-15', '8bit', bytes(0xa4, 0x20, 0xe4), '€ ä'],
    [
      'iso-2022-jp',
      'text/plain; charset=iso-2022-jp',
      '7bit',
      bytes(0x1b, 0x24, 0x42, 0x24, 0x4f, 0x24, 0x24, 0x1b, 0x28, 0x42),
      'はい',
    ],
    ['no charset', 'text/plain', '8bit', 'Größe', 'Größe'],
    ['a charset that nobody knows', 'text/plain; charset=x-none', '7bit', 'yes', 'yes'],
    ['utf-7, which nobody decodes', 'text/plain; charset=utf-7', '7bit', '+ADw-script+AD4-', '+ADw-script+AD4-'],
  ] as const)('%s', async ([, type, encoding, body, text]) => {
    expect(await textOf({ type, encoding, body })).toBe(text);
  });

  test('control characters are gone', async () => {
    expect(await textOf({ body: 'a\u0000b\u001b[31mc\u202ed\re' })).toBe('abcd\ne');
  });

  test('encoded words in the subject and in names', async () => {
    const { subject, from } = await readMail(
      raw(
        'From: =?utf-8?q?J=C3=B6rg?= <j@example.com>',
        'Subject: =?iso-8859-1?Q?Gr=F6=DFe?=',
        '  =?utf-8?b?4pyT?=',
        '',
        '',
      ),
    );
    expect({ subject, from }).toEqual({ subject: 'Größe✓', from: [{ address: 'j@example.com', name: 'Jörg' }] });
  });

  test('no line break comes out of a header field', async () => {
    const { subject } = await readMail(raw('Subject: =?utf-8?q?a=0D=0ABcc:_x@example.com?=', '', ''));
    expect(subject).toBe('a Bcc: x@example.com');
  });
});

test('an answer in format=flowed is never joined to the quote above it', async () => {
  const body = '> May order 12345 be \r\nyes \r\n> refunded?';
  expect(written(await textOf({ type: 'text/plain; format=flowed', body }))).toBe('yes');
  expect(written(await textOf({ type: 'text/plain; charset=utf-8; Format="flowed"', body }))).toBe('yes');
});

describe('parts', () => {
  const html = part('text/html; charset=utf-8', '<p>Yes from HTML</p>');

  test('of alternatives the text counts, of HTML alone its text', async () => {
    expect(await textOf(multipart('alternative', [part('text/plain', 'Yes'), html]))).toBe('Yes');
    expect(await textOf(multipart('alternative', [html, part('text/plain', 'Yes')]))).toBe('Yes');
    expect(await textOf(multipart('alternative', [part('text/plain', ' \r\n'), html]))).toBe('Yes from HTML');
    expect(await textOf({ type: 'text/html', body: '<p>Yes</p>' })).toBe('Yes');
  });

  test('texts around a file are one text, also one that is shown inline; files and mails within the mail are none', async () => {
    const forwarded = part('message/rfc822', 'From: bob@example.com\r\nSubject: x\r\n\r\nno');
    const mail = await readMail(
      mailOf(
        multipart('mixed', [
          part('text/plain', 'Yes'),
          part(
            'application/pdf; name="=?utf-8?q?Gr=C3=B6=C3=9Fe=2Epdf?="',
            'JVBERi0=',
            'Content-Disposition: attachment',
          ),
          part('text/plain', 'no', "Content-Disposition: attachment; filename*=utf-8''%C3%BC%0A.txt"),
          part('text/plain; name="note.txt"', 'see note', 'Content-Disposition: inline'),
          forwarded,
          part('text/plain', 'but only 50'),
        ]),
      ),
    );
    expect(mail.text).toBe('Yes\n\nsee note\n\nbut only 50');
    expect(mail.attachments).toEqual(['Größe.pdf', 'ü .txt', 'message/rfc822']);
  });

  test('images of the HTML part are no files', async () => {
    const related = multipart('related', [html, part('image/png; name=logo.png', 'x', 'Content-ID: <a>')]);
    const mail = await readMail(mailOf(related));
    expect([mail.text, mail.attachments]).toEqual(['Yes from HTML', []]);
  });

  test('a signed mail is read; an encrypted one is not', async () => {
    const signature = part('application/pgp-signature', '-----BEGIN');
    expect(await textOf(multipart('signed', [part('text/plain', 'Yes'), signature]))).toBe('Yes');
    expect(
      await textOf(
        multipart('encrypted', [
          part('application/pgp-encrypted', 'Version: 1'),
          part('application/octet-stream', 'x'),
        ]),
      ),
    ).toBe('');
  });

  test('at most 20 files are named', async () => {
    const file = part('application/pdf; name=a.pdf', 'x');
    expect((await readMail(mailOf(multipart('mixed', Array(50).fill(file))))).attachments).toHaveLength(20);
  });
});

describe('header fields', () => {
  const from = async (...fields: readonly string[]) =>
    (await readMail(raw(...fields, '', 'yes'))).from.map((each) => each.address);

  test('every From field counts', async () => {
    expect(await from('From: a@example.com', 'From: b@example.com')).toEqual(['a@example.com', 'b@example.com']);
    expect(await from('From: a@example.com', 'X: 1', 'fRoM : b@example.com')).toEqual([
      'a@example.com',
      'b@example.com',
    ]);
    expect(await from('From: a@example.com, b@example.com')).toEqual(['a@example.com', 'b@example.com']);
    expect(await from('no colon here', 'From: a@example.com')).toEqual(['a@example.com']);
  });

  test.for([
    'From: a@example.com\rFrom: b@example.com',
    'From: a@example.com b@example.com',
    'From: <a@example.com> <b@example.com>',
    'From: "a@example.com',
    'From: a@example.com (b@example.com',
    'From: =?utf-8?q?a=40example=2Ecom?=',
    'From: a@example.com\u0000@example.org',
    '\u00a0From: a@example.com',
    '\ufeffFrom: a@example.com',
    'From:',
  ])('%j names nobody', async (field) => {
    expect(await from(field)).toEqual([]);
    if (/^From:./.test(field)) expect(await from(field, 'From: a@example.com')).toEqual([]);
  });

  test('a name that looks like an address is a name', async () => {
    expect(await from('From: "bob@example.org" <a@example.com>', '')).toEqual(['a@example.com']);
    expect(await from('From: a@example.com (bob@example.org)')).toEqual(['a@example.com']);
  });

  test('folded fields are one', async () => {
    expect(await from('From: Anna', ' <a@example.com>')).toEqual(['a@example.com']);
  });

  test('our address is found in a field that is badly written', async () => {
    const { to } = await readMail(
      raw('To: undisclosed, <x@example.com> <replies+token@shop.example.com>, Bob (', '', ''),
    );
    expect(to).toContain('replies+token@shop.example.com');
  });

  test('an address in a name is none that the mail goes to, however the field is written', async () => {
    const names = [
      '"replies+token@shop.example.com" <eve@example.org>',
      '"replies+token@shop.example.com": eve@example.org;',
      String.raw`"\" replies+token@shop.example.com" <eve@example.org> (replies+token@shop.example.com), <>`,
    ];
    for (const name of names) expect((await readMail(raw(`To: ${name}`, '', ''))).to).toEqual(['eve@example.org']);
  });

  test('references are safe to send back', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `<${index}@example.com>`);
    const fields = [
      `References: ${ids.slice(0, 59).join('\r\n ')} <a b@x> <${'x'.repeat(300)}@x> <ü@x>`,
      `In-Reply-To: ${ids[59]}`,
    ];
    const { references } = await readMail(raw(...fields, 'Message-ID: <a\u0000b@x>', '', ''));
    expect(references).toEqual(ids);
  });

  test('a header that is not read to its end says nothing: a second From field may follow', async () => {
    const long = raw('From: a@example.com', ...Array(100_000).fill('X-A: 1'), '', 'yes');
    const cut = raw('From: a@example.com', 'X-A: 1');
    for (const mail of [await readMail(long), await readMail(cut, { size: 1_000 })])
      expect(mail).toMatchObject({ headers: [], from: [], to: [] });
  });
});

test('what is longer than can be read is cut, and says so', async () => {
  const whole = mailOf({ body: `Yes\r\n${'x'.repeat(longestRead)}` });
  for (const mail of [await readMail(whole), await readMail(whole.subarray(0, 5_000), { size: whole.length })]) {
    expect(mail.text.startsWith('Yes')).toBe(true);
    expect(mail.text.endsWith(leftOut)).toBe(true);
  }
});

describe('broken mails say less, and never fail', () => {
  const nested = (depth: number): string =>
    Array.from(
      { length: depth },
      (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`,
    ).join('');

  test.for([
    ['a thousand parts', multipart('mixed', Array(1_000).fill(part('text/plain', 'Yes'))), /^\[…\]$/],
    ['parts 200 deep', multipart('mixed', [`${nested(200)}Content-Type: text/plain\r\n\r\nYes`]), /^\[…\]$/],
    ['parts 10 deep', multipart('mixed', [`${nested(10)}Content-Type: text/plain\r\n\r\nYes`]), /^Yes$/],
    ['no end of the parts', { type: 'multipart/mixed; boundary=b', body: '--b\r\n\r\nYes' }, /^Yes$/],
    ['a boundary that is not there', { type: 'multipart/mixed; boundary=b', body: '--c\r\n\r\nYes' }, /^$/],
    [
      'a boundary that begins like another',
      { type: 'multipart/mixed; boundary=b', body: '--b\n\nYes\n--bb\nno\n--b--' },
      /^Yes\n--bb\nno$/,
    ],
    ['no boundary', { type: 'multipart/mixed', body: '--b\r\n\r\nYes' }, /^$/],
    ['two boundaries', { type: 'multipart/mixed; boundary=b; boundary=c', body: '--b\n\nYes\n--c\n\nno' }, /^Yes/],
    ['no type', { type: '', body: 'Yes' }, /^$/],
    ['lone carriage returns', { body: 'Yes\rplease' }, /^Yes\nplease$/],
  ] as const)('%s', async ([, shape, text]) => {
    expect(await textOf(shape)).toMatch(text);
  });

  test('nothing at all', async () => {
    expect(await readMail(new Uint8Array())).toMatchObject({ from: [], text: '' });
  });

  property.prop([fc.uint8Array({ maxLength: 2_000 })])('any bytes are read', async (bytes) => {
    expect((await readMail(bytes)).text).not.toContain(leftOut);
  });

  const pieces = [
    '--b',
    '--b--',
    '',
    'Content-Type: multipart/mixed; boundary=b',
    'Content-Type: text/html',
    'From: a@example.com',
    ' x',
    '=',
    '"',
    '<b',
    question[0] as string,
  ];
  property.prop([fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 60 })])(
    'any lines are read',
    async (lines) => {
      const mail = await readMail(raw('Content-Type: multipart/mixed; boundary=b', '', ...lines));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
      expect(mail.text + mail.subject + mail.attachments.join('')).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    },
  );
});
