/**
 * Mails that are made to keep a reader busy take no longer than plain ones of their size, give or take a factor that any line-by-line work
 * needs. What grows with the square of its size would take hundreds of times as long.
 */
import { expect, test } from 'vitest';
import { readMail, written } from '../../../support/mail/read.js';
import { marker, question } from './mail.js';

const size = 512 * 1024;
const fill = (piece: string, length = size) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const head = (type: string, encoding = '8bit') =>
  `From: anna@example.com\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
const field = (name: string, piece: string) => `${name}: ${fill(piece, 250_000)}\r\n\r\nyes`;

/** Multiparts in multiparts, as deep as they are read. */
function nested(boundary: (depth: number) => string): string {
  const parts = Array.from({ length: 19 }, (_, depth) => {
    return `--${boundary(depth)}\r\nContent-Type: multipart/mixed; boundary="${boundary(depth + 1)}"\r\n\r\n`;
  });
  return head(`multipart/mixed; boundary="${boundary(0)}"`) + parts.join('');
}

const hostile: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['8bit', 'base64', 'quoted-printable'].flatMap((encoding) =>
      ['\n', '=', 'a=\n', 'a', '= ', '\r', '\u0000'].map((piece) => [
        `${encoding} ${JSON.stringify(piece)}`,
        head('text/plain', encoding) + fill(piece),
      ]),
    ),
  ),
  ...Object.fromEntries(
    [
      'a:\n',
      '>\na\n',
      'On a@b 2026 wrote:\n',
      'Regards\n>\n',
      'From: a\nTo: b\n',
      ' ',
      '-- \n',
      '\u001b]',
      marker.slice(0, 10),
      `${marker}\n`,
      `${marker}\nMay order 12345 be refunded`,
    ].map((piece) => [`text ${JSON.stringify(piece)}`, head('text/plain') + fill(piece)]),
  ),
  ...Object.fromEntries(
    [
      '<',
      '<a ',
      '<a b="',
      '<!--',
      '<div>',
      '<blockquote>',
      '</div>',
      '<div></p>',
      '<script>',
      '&',
      '<li>',
      '<pre>\n',
      '<!',
    ].map((piece) => [`html ${piece}`, head('text/html') + fill(piece)]),
  ),
  ...Object.fromEntries(
    ['/*', '{', '}', 'a ', 'a', '.a,', '.a{opacity:0}', '<!--', '\n'].map((piece) => [
      `style ${JSON.stringify(piece)}`,
      `${head('text/html')}<style>${fill(piece)}{display:none}</style>a`,
    ]),
  ),
  flowed: head('text/plain; format=flowed') + fill('> \na \n'),
  'one long field': `X: ${fill('a')}`,
  'many fields': fill('X: 1\r\n'),
  'a folded field': `From: a@example.com,\r\n${fill(' a@example.com,\r\n')}`,
  recipients: field('To', 'a@example.com, '),
  'recipients badly written': field('To', 'a@example.com <('),
  references: field('References', '<a'),
  'a subject of encoded words': field('Subject', '=?utf-8?q?a?= '),
  boundaries: head('multipart/mixed; boundary=b') + fill('--b\r\n'),
  'encoded parts':
    head('multipart/mixed; boundary=b') + fill('--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na\r\n'),
  'almost a boundary': head(`multipart/mixed; boundary=${'-'.repeat(190)}`) + fill('-'),
  'a boundary of one dash': head('multipart/mixed; boundary="-"') + fill('-'),
  'almost boundaries, nested': nested((depth) => '-'.repeat(1 + 3 * depth)) + fill('-'),
  'lines that are almost boundaries, nested': nested((depth) => 'b'.repeat(1 + depth)) + fill(`--${'b'.repeat(30)}\n`),
  'parts in parts':
    head('multipart/mixed; boundary=b') + fill('--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'),
};

async function duration(mail: string): Promise<number> {
  const raw = Buffer.from(mail, 'latin1');
  const start = performance.now();
  written((await readMail(raw)).text, [{ subject: 'A refund', texts: [question.join('\n')], at: new Date(0) }]);
  return performance.now() - start;
}

test('no mail keeps its reader busy', async () => {
  const plain = head('text/plain') + fill('A line of a mail as people write it, about this and that.\r\n');
  await duration(plain); // what is loaded and compiled once
  const usual = Math.max(50, await duration(plain));
  const slow: [string, number][] = [];
  for (const [name, mail] of Object.entries(hostile)) {
    const ratio = (await duration(mail)) / usual;
    if (ratio > 25) slow.push([name, Math.round(ratio)]);
  }
  expect(slow).toEqual([]);
});
