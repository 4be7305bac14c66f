/** What mail servers send back about a question to Dora, whole and in the shape in which they are known to write it. */
import { type AnsweredQuestion, alternative, answers, date, html, type Written } from './automatic.js';

/** What came back, with the text, the status and the mail of the question. */
const report = (
  { id, to, subject }: AnsweredQuestion,
  { head, text, status }: { head: readonly string[]; text: readonly string[]; status: readonly string[] },
) => [
  ...head,
  date,
  'MIME-Version: 1.0',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="report"',
  '',
  '--report',
  ...text,
  '',
  '--report',
  'Content-Type: message/delivery-status',
  '',
  ...status,
  '',
  '--report',
  'Content-Type: message/rfc822',
  '',
  'From: Refunds <refunds@shop.example>',
  `Reply-To: ${to}`,
  'To: dora@example.com',
  `Subject: ${subject}`,
  `Message-ID: ${id}`,
  '',
  'Refund 48 EUR?',
  '',
  '--report--',
];

/** Bounces for good. */
export const bounces: Readonly<Record<string, Written>> = {
  'Exchange Online': (question) =>
    report(question, {
      head: [
        'From: <postmaster@example.com>',
        `To: <${question.to}>`,
        `Subject: Undeliverable: ${question.subject}`,
        'Auto-Submitted: auto-replied',
        'X-MS-Exchange-Message-Is-Ndr:',
        'Message-ID: <ndr@AM0PR01MB0001.eurprd01.prod.outlook.example>',
        ...answers(question),
      ],
      text: [
        'Content-Type: multipart/alternative; differences=Content-Type; boundary="inner"',
        '',
        '--inner',
        'Content-Type: text/plain; charset="us-ascii"',
        '',
        "Your message to dora@example.com couldn't be delivered.",
        'Yes',
        '',
        '--inner--',
      ],
      status: [
        'Reporting-MTA: dns;AM0PR01MB0001.eurprd01.prod.outlook.example',
        'Received-From-MTA: dns;mail.shop.example',
        'Arrival-Date: Tue, 17 Nov 2026 08:58:00 +0000',
        '',
        'Final-Recipient: rfc822;dora@example.com',
        'Action: failed',
        'Status: 5.1.10',
        'Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient dora@example.com not found by',
        ' SMTP address lookup',
      ],
    }),
  'an Exchange server of its own, in German': (question) =>
    report(question, {
      head: [
        'From: Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.com>',
        `To: ${question.to}`,
        `Subject: Unzustellbar: ${question.subject}`,
        'Message-ID: <ndr@exchange.example.com>',
        ...answers(question),
      ],
      text: ['Content-Type: text/html; charset="utf-8"', '', html('Fehler bei der Nachrichtenzustellung an dora.')],
      status: [
        'Reporting-MTA: dns;exchange.example.com',
        '',
        'Final-Recipient: rfc822;dora@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp;550 5.1.1 User unknown',
        'X-Display-Name: dora',
      ],
    }),
  Gmail: (question) =>
    report(question, {
      head: [
        'From: Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
        `To: ${question.to}`,
        'Auto-Submitted: auto-replied',
        'Subject: Delivery Status Notification (Failure)',
        ...answers(question),
        'X-Failed-Recipients: dora@example.com',
        'Message-ID: <691af.dsn@mx.google.example>',
      ],
      text: [
        'Content-Type: multipart/related; boundary="related"',
        '',
        '--related',
        ...alternative('alternative', '** Address not found **\r\n\r\nYour message was not delivered.'),
        '--related',
        'Content-Type: image/png; name="icon.png"',
        'Content-Disposition: attachment; filename="icon.png"',
        'Content-Transfer-Encoding: base64',
        'Content-ID: <icon.png>',
        '',
        'iVBORw0KGgo=',
        '--related--',
      ],
      status: [
        'Reporting-MTA: dns; googlemail.example',
        'Arrival-Date: Tue, 17 Nov 2026 00:58:00 -0800 (PST)',
        'X-Original-Message-ID: <q@shop.example>',
        '',
        'Final-Recipient: rfc822; dora@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Remote-MTA: dns; mx.example.com. (192.0.2.1, the server for the domain example.com.)',
        'Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist.',
        'Last-Attempt-Date: Tue, 17 Nov 2026 00:59:00 -0800 (PST)',
      ],
    }),
  Postfix: (question) =>
    report(question, {
      head: [
        'From: MAILER-DAEMON@mx.example.com (Mail Delivery System)',
        `To: ${question.to}`,
        'Subject: Undelivered Mail Returned to Sender',
        'Auto-Submitted: auto-replied',
        'Message-Id: <20261117085900.4BC@mx.example.com>',
      ],
      text: ['Content-Description: Notification', 'Content-Type: text/plain; charset=us-ascii', '', 'Yes'],
      status: [
        'Reporting-MTA: dns; mx.example.com',
        'X-Postfix-Queue-ID: 4BC',
        `X-Postfix-Sender: rfc822; ${question.to}`,
        '',
        'Final-Recipient: rfc822; dora@example.com',
        'Original-Recipient: rfc822;dora@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550 5.1.1 <dora@example.com>: Recipient address rejected: User unknown',
      ],
    }),
};

/** Notices of servers that say nothing for good. */
export const notices: Readonly<Record<string, Written>> = {
  'Postfix is still trying': (question) =>
    report(question, {
      head: [
        'From: MAILER-DAEMON@mx.example.com (Mail Delivery System)',
        `To: ${question.to}`,
        'Subject: Delayed Mail (still being retried)',
        'Auto-Submitted: auto-replied',
      ],
      text: ['Content-Type: text/plain', '', 'YOU DO NOT NEED TO RESEND YOUR MESSAGE.', '', 'Yes'],
      status: [
        'Reporting-MTA: dns; mx.example.com',
        '',
        'Final-Recipient: rfc822; dora@example.com',
        'Action: delayed',
        'Status: 4.4.1',
        'Diagnostic-Code: X-Postfix; connect to mx.example.com: Connection timed out',
        'Will-Retry-Until: Sun, 22 Nov 2026 08:58:00 +0000 (UTC)',
      ],
    }),
  'Gmail is still trying': (question) =>
    report(question, {
      head: [
        'From: Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
        `To: ${question.to}`,
        'Auto-Submitted: auto-replied',
        'Subject: Delivery Status Notification (Delay)',
        'X-Failed-Recipients: dora@example.com',
      ],
      text: ['Content-Type: text/plain', '', '** Delivery incomplete **'],
      status: [
        'Reporting-MTA: dns; googlemail.example',
        '',
        'Final-Recipient: rfc822; dora@example.com',
        'Action: delayed',
        'Status: 4.4.1',
      ],
    }),
  'a full mailbox': (question) =>
    report(question, {
      head: ['From: MAILER-DAEMON@mx.example.com', `To: ${question.to}`, 'Subject: Undelivered Mail'],
      text: ['Content-Type: text/plain', '', 'The mailbox is full.'],
      status: [
        'Reporting-MTA: dns; mx.example.com',
        '',
        'Final-Recipient: rfc822; dora@example.com',
        'Action: failed',
        'Status: 4.2.2',
      ],
    }),
  'it has been delivered': (question) =>
    report(question, {
      head: ['From: MAILER-DAEMON@mx.example.com', `To: ${question.to}`, 'Subject: Successful Mail Delivery Report'],
      text: ['Content-Type: text/plain', '', 'Yes'],
      status: [
        'Reporting-MTA: dns; mx.example.com',
        '',
        'Final-Recipient: rfc822; dora@example.com',
        'Action: delivered',
        'Status: 2.0.0',
      ],
    }),
};
