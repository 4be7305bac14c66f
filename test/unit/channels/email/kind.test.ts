/** Machines are told from people: automatic replies, lists, bounces and our own mail are never answers. */
import { describe, expect, test } from 'vitest';
import { kindOf, ownMailHeader } from '../../../../src/channels/email/incoming/kind.js';
import { readMail } from '../../../support/mail/read.js';
import { mailOf, multipart, part } from './mail.js';

const isOwn = (address: string) => address.endsWith('@shop.example.com');
const kind = async (...lines: readonly string[]) => {
  const head = lines.some((line) => /^from:/i.test(line)) ? lines : ['From: Anna <anna@example.com>', ...lines];
  return kindOf(await readMail(Buffer.from([...head, '', 'yes'].join('\r\n'))), isOwn);
};

describe('people', () => {
  test.for([
    ['Return-Path: <anna@example.com>'],
    ['Auto-Submitted: no'],
    ['Auto-Submitted: No (a person)'],
    ['X-Autoreply: no'],
    ['Precedence: first-class'],
    ['Subject: Re: Automatic reply: A refund', 'In-Reply-To: <a@example.com>'],
    ['Subject: Out of office: who takes over?'],
    ['From: noreen@example.com'],
    ['From: "Mailer-Daemon" <anna@example.com>'],
    ['Content-Type: text/plain; x="multipart/report"'],
    Array(50).fill('Received: from a by b'),
  ])('%s', async (lines) => {
    expect(await kind(...lines)).toEqual({ kind: 'person', why: 'no-mark' });
  });
});

describe('machines', () => {
  test.for([
    ['automatic', 'auto-submitted', ['Auto-Submitted: auto-replied']],
    ['automatic', 'auto-submitted', ['Auto-Submitted: auto-generated (vacation)']],
    ['automatic', 'auto-submitted', ['Auto-Submitted: no', 'Auto-Submitted: auto-replied']],
    ['automatic', 'auto-submitted', ['Auto-Submitted:']],
    ['automatic', 'x-autoreply', ['X-Autoreply: yes']],
    ['automatic', 'x-autorespond', ['X-Autorespond: Re: refund']],
    ['automatic', 'x-auto-response-suppress', ['X-Auto-Response-Suppress: All']],
    ['automatic', 'precedence', ['Precedence: bulk']],
    ['automatic', 'precedence', ['Precedence: auto_reply']],
    ['automatic', 'precedence', ['PRECEDENCE: Junk']],
    [
      'automatic',
      'x-ms-exchange-generated-message-source',
      ['X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent'],
    ],
    ['automatic', 'x-ms-exchange-inbox-rules-loop', ['X-MS-Exchange-Inbox-Rules-Loop: anna@example.com']],
    ['automatic', 'null-return-path', ['Return-Path: <>']],
    ['automatic', 'sender', ['From: no-reply@example.com']],
    ['automatic', 'sender', ['From: Shop <DoNotReply@example.com>']],
    ['automatic', 'sender', ['From: noreply+1@example.com']],
    ['automatic', 'sender', ['From: postmaster@example.com']],
    ['automatic', 'loop', Array(51).fill('Received: from a by b')],
    ['automatic', 'report', ['Content-Type: multipart/report; report-type=disposition-notification; boundary=b']],
    ['automatic', 'subject', ['Subject: Automatische Antwort: A refund', 'References: <a@example.com>']],
    ['automatic', 'subject', ['Subject: =?utf-8?q?R=C3=A9ponse_automatique_?=: x', 'In-Reply-To: <a@example.com>']],
    ['list', 'list-id', ['List-Id: <all.example.com>']],
    ['list', 'list-unsubscribe', ['List-Unsubscribe: <mailto:x@example.com>']],
    ['list', 'precedence', ['Precedence: list']],
    ['bounce', 'mailer-daemon', ['From: MAILER-DAEMON@example.com']],
    ['bounce', 'postmaster', ['From: postmaster@example.com', 'Return-Path: <>']],
    ['bounce', 'x-failed-recipients', ['X-Failed-Recipients: bob@example.com']],
    ['own', 'own-header', [`${ownMailHeader}: abc`]],
    ['own', 'own-address', ['From: The shop <replies+token@shop.example.com>']],
    ['own', 'own-address', ['From: anna@example.com, replies@shop.example.com']],
  ] as const)('%s by %s: %s', async ([is, why, lines]) => {
    expect(await kind(...lines)).toEqual({ kind: is, why });
  });
});

/** Delivery reports, as the servers write them. */
const report = (status: readonly string[], headers: readonly string[] = [], type = 'message/delivery-status') =>
  readMail(
    mailOf({
      headers,
      ...multipart(
        'report',
        [
          part('text/plain', 'Your mail could not be delivered.'),
          part(type, ['Reporting-MTA: dns; mx.example.com', '', ...status].join('\r\n')),
          part('message/rfc822', 'From: replies@shop.example.com\r\nTo: bob@example.com\r\n\r\nQuestion'),
        ],
        '; report-type=delivery-status',
      ),
    }),
  );

describe('bounces', () => {
  test.for([
    [
      'Postfix',
      [
        'Final-Recipient: rfc822; bob@example.com',
        'Original-Recipient: rfc822;team@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Remote-MTA: dns; mx.example.com',
        'Diagnostic-Code: smtp; 550 5.1.1 <bob@example.com>:',
        '    User unknown',
      ],
    ],
    [
      'Exchange',
      [
        'Final-Recipient: rfc822;bob@example.com',
        'Original-Recipient: rfc822;team@example.com',
        'Action: failed',
        'Status: 5.1.10',
        'Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound',
      ],
    ],
    [
      'Exim',
      [
        'Action: failed',
        'Final-Recipient: rfc822;<Bob@Example.com>',
        'Original-Recipient: rfc822;<team@example.com>',
        'Status: 5.0.0',
      ],
    ],
    [
      'Gmail',
      [
        'Final-Recipient: rfc822; bob@example.com',
        'Original-Recipient: rfc822; team@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Last-Attempt-Date: Tue, 17 Nov 2026 00:12:34 -0800 (PST)',
      ],
    ],
  ] as const)('%s: for good, and for whom', async ([, status]) => {
    const mail = await report(status);
    expect(mail.report).toEqual([expect.objectContaining({ recipient: 'bob@example.com', isPermanent: true })]);
    expect(mail.report[0]?.status).toMatch(/^5\.\d\.\d+$/);
    expect(kindOf(mail, isOwn)).toEqual({ kind: 'bounce', why: 'delivery-status' });
  });

  test.for([
    [['Action: delayed', 'Status: 4.4.1']],
    [['Action: delayed', 'Status: 5.4.1']],
    [['Action: failed', 'Status: 4.2.2']],
    [['Action: relayed', 'Status: 5.0.0']],
    [['Action: expanded', 'Status: 2.0.0']],
    [['Action: delivered', 'Status: 2.0.0']],
    [['Action: failed']],
    [['Action: failed', 'Status: 5']],
    [['Action: failed', 'Status: x5.1.1']],
  ])('%s is not for good', async ([status]) => {
    const mail = await report(['Final-Recipient: rfc822; bob@example.com', ...(status as readonly string[])]);
    expect(mail.report.map((each) => each.isPermanent)).toEqual([false]);
    expect(kindOf(mail, isOwn).kind).toBe('bounce');
  });

  test('several recipients, each with what became of the mail; at most a hundred', async () => {
    const one = (name: string, action: string, status: string) => [
      `Final-Recipient: rfc822; ${name}@example.com`,
      `Action: ${action}`,
      `Status: ${status}`,
      '',
    ];
    const mail = await report([
      ...one('a', 'failed', '5.1.1'),
      ...one('b', 'delayed', '4.0.0'),
      ...one('c', 'Failed', '5.7.1 (policy)'),
    ]);
    expect(mail.report.map(({ recipient, isPermanent }) => [recipient, isPermanent])).toEqual([
      ['a@example.com', true],
      ['b@example.com', false],
      ['c@example.com', true],
    ]);
    const many = await report(Array.from({ length: 500 }, (_, index) => one(`a${index}`, 'failed', '5.1.1')).flat());
    expect(many.report).toHaveLength(100);
  });

  test('a report without a recipient, and one that only looks like one, is no report', async () => {
    expect((await report(['X: 1'])).report).toEqual([]);
    expect((await report(['Action: failed', 'Status: 5.1.1'], [], 'text/plain')).report).toEqual([]);
  });

  test('a bounce without a report is one, but for good by no guess: qmail, old Exchange', async () => {
    const body = 'Hi. This is the qmail-send program.\r\n<bob@example.com>:\r\n550 5.1.1 User unknown';
    const mail = await readMail(Buffer.from(`Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example.com\r\n\r\n${body}`));
    expect([mail.report, kindOf(mail, isOwn).kind]).toEqual([[], 'bounce']);
  });

  test('the address that the bounce was sent to is among its recipients', async () => {
    const mail = await report(['Action: failed', 'Status: 5.1.1']);
    expect(mail.to).toEqual(['replies+token@shop.example.com']);
  });

  test('a diagnostic is one line', async () => {
    const mail = await report([
      'Action: failed',
      'Status: 5.1.1',
      `Diagnostic-Code: smtp; a\u0007\r\n\tb ${'x'.repeat(1_000)}`,
    ]);
    expect(mail.report[0]?.diagnostic).toMatch(/^smtp; a b x+…$/);
    expect(mail.report[0]?.diagnostic).toHaveLength(300);
  });
});
