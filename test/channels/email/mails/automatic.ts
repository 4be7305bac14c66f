/**
 * Mails that programs write about a question to Dora by themselves, whole and in the shape in which they are known to write them. Nothing in
 * them is of a real person or server.
 */

/** The question that they are about. */
export interface AnsweredQuestion {
  /** Its reply address, which is also where it comes back to. */
  readonly to: string;
  readonly id: string;
  readonly subject: string;
}

/** The lines of a mail about a question. */
export type Written = (question: AnsweredQuestion) => readonly string[];

/** When they were written. */
export const date = 'Date: Tue, 17 Nov 2026 08:59:00 +0000';
/** A text as HTML. */
export const html = (text: string) => `<html><body><p>${text}</p></body></html>`;

/** Two forms of one text, as most programs send. */
export const alternative = (boundary: string, text: string) => [
  `Content-Type: multipart/alternative; boundary="${boundary}"`,
  'MIME-Version: 1.0',
  '',
  `--${boundary}`,
  'Content-Type: text/plain; charset="utf-8"',
  '',
  text,
  '',
  `--${boundary}`,
  'Content-Type: text/html; charset="utf-8"',
  '',
  html(text),
  '',
  `--${boundary}--`,
];

/** The fields that name the question. */
export const answers = ({ id }: AnsweredQuestion) => [`In-Reply-To: ${id}`, `References: ${id}`];

/** What people's mail programs and servers answer by themselves, from an address whose author is proved. By the word that is logged. */
export const automaticMails: Readonly<Record<string, readonly [why: string, written: Written]>> = {
  'an automatic reply of Exchange': [
    'x-auto-response-suppress',
    (question) => [
      'From: Dora Lang <dora@example.com>',
      `To: Refunds <${question.to}>`,
      `Subject: Automatic reply: ${question.subject}`,
      `Thread-Topic: ${question.subject}`,
      'Thread-Index: AQHcWJ0b3k9r8kT0Z0CQ1w==',
      date,
      'Message-ID: <b0c1d2e3f4@AM0PR01MB0001.eurprd01.prod.outlook.example>',
      ...answers(question),
      'Accept-Language: en-GB, de-DE',
      'X-MS-Has-Attach:',
      'X-Auto-Response-Suppress: All',
      'X-MS-Exchange-Inbox-Rules-Loop: dora@example.com',
      'X-MS-TNEF-Correlator:',
      'auto-submitted: auto-generated',
      ...alternative('_000_b0c1', 'Yes, I am out of the office until Monday.'),
    ],
  ],
  'an automatic reply of Exchange, in German': [
    'x-auto-response-suppress',
    (question) => [
      'From: =?iso-8859-1?Q?Dora_L=E4ng?= <dora@example.com>',
      `To: Refunds <${question.to}>`,
      `Subject: Automatische Antwort: ${question.subject}`,
      date,
      'Message-ID: <0f1e2d3c@exchange.example.com>',
      ...answers(question),
      'X-Auto-Response-Suppress: All',
      'X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent',
      ...alternative('_000_0f1e', 'Ja. Ich bin bis Montag nicht im Büro.'),
    ],
  ],
  'an absence notice of a program that says so in the subject alone': [
    'subject',
    (question) => [
      'From: Dora Lang <dora@example.com>',
      `To: ${question.to}`,
      `Subject: Abwesenheitsnotiz: ${question.subject}`,
      date,
      'Message-ID: <4711@groupware.example.com>',
      ...answers(question),
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Ja',
    ],
  ],
  'the vacation responder of Gmail': [
    'auto-submitted',
    (question) => [
      'MIME-Version: 1.0',
      `In-Reply-To: ${question.id}`,
      `References: ${question.id}`,
      'From: Dora Lang <dora@example.com>',
      date,
      'Message-ID: <CAF0000000000@mail.gmail.example>',
      'X-Autoreply: yes',
      'Auto-Submitted: auto-replied',
      'Precedence: bulk',
      `Subject: On holiday Re: ${question.subject}`,
      `To: Refunds <${question.to}>`,
      ...alternative('0000000000000a', 'Yes'),
    ],
  ],
  'the vacation reply of iCloud': [
    'auto-submitted',
    (question) => [
      'From: Dora Lang <dora@example.com>',
      `To: ${question.to}`,
      date,
      `Subject: Re: ${question.subject}`,
      'Message-ID: <e2f0@icloud.example>',
      ...answers(question),
      'Auto-submitted: auto-replied (vacation)',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Yes',
    ],
  ],
  'the vacation of Sieve': [
    'auto-submitted',
    (question) => [
      'From: <dora@example.com>',
      `To: <${question.to}>`,
      `Subject: Auto: ${question.subject}`,
      date,
      'Message-ID: <dovecot-sieve-1@example.com>',
      ...answers(question),
      'Auto-Submitted: auto-replied (vacation)',
      'Precedence: bulk',
      'X-Priority: 5 (Lowest)',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Yes',
    ],
  ],
  'the acknowledgement of a ticket system (Zendesk)': [
    'x-auto-response-suppress',
    (question) => [
      'From: Help desk <dora@example.com>',
      'Reply-To: Help desk <support+id1@example.com>',
      `To: Refunds <${question.to}>`,
      date,
      'Message-ID: <1_sprut@zendesk.example>',
      `In-Reply-To: ${question.id}`,
      `Subject: [Request received] ${question.subject}`,
      'X-Auto-Response-Suppress: All',
      'Auto-Submitted: auto-generated',
      'X-Mailer: Zendesk Mailer',
      'X-Zendesk-From-Account-Id: 1a2b3c',
      ...alternative('--==_mimepart_1', '##- Please type your reply above this line -##\r\n\r\nYes'),
    ],
  ],
  'the acknowledgement of a ticket system (Freshdesk)': [
    'x-fc-machinegenerated',
    (question) => [
      'From: Help desk <dora@example.com>',
      `To: ${question.to}`,
      date,
      'Message-ID: <2@freshdesk.example>',
      `Subject: Ticket Received - ${question.subject}`,
      'X-FC-MachineGenerated: true',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Yes',
    ],
  ],
  'the acknowledgement of a ticket system (OTRS)': [
    'auto-submitted',
    (question) => [
      'From: Help desk <dora@example.com>',
      `To: ${question.to}`,
      date,
      'Message-ID: <1763.4711@otrs.example>',
      ...answers(question),
      `Subject: [Ticket#2026111700001] RE: ${question.subject}`,
      'Auto-Submitted: auto-replied',
      'Precedence: bulk',
      'X-Powered-By: OTRS',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Yes',
    ],
  ],
  'an accepted meeting of Outlook': [
    'meeting-reply',
    (question) => [
      'From: Dora Lang <dora@example.com>',
      `To: Refunds <${question.to}>`,
      `Subject: Accepted: ${question.subject}`,
      `Thread-Topic: ${question.subject}`,
      date,
      'Message-ID: <acc@AM0PR01MB0001.eurprd01.prod.outlook.example>',
      ...answers(question),
      'X-MS-Has-Attach:',
      'Content-Type: multipart/alternative; boundary="_000_acc"',
      'MIME-Version: 1.0',
      '',
      '--_000_acc',
      'Content-Type: text/plain; charset="us-ascii"',
      '',
      'Yes',
      '',
      '--_000_acc',
      'Content-Type: text/calendar; charset="utf-8"; method=REPLY',
      'Content-Transfer-Encoding: 8bit',
      '',
      'BEGIN:VCALENDAR',
      'METHOD:REPLY',
      'BEGIN:VEVENT',
      'ATTENDEE;PARTSTAT=ACCEPTED;CN=Dora Lang:mailto:dora@example.com',
      'COMMENT:Yes',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
      '--_000_acc--',
    ],
  ],
  'a read receipt': [
    'report',
    (question) => [
      'From: Dora Lang <dora@example.com>',
      `To: Refunds <${question.to}>`,
      `Subject: Read: ${question.subject}`,
      date,
      'Message-ID: <mdn@example.com>',
      ...answers(question),
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=disposition-notification; boundary="mdn"',
      '',
      '--mdn',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Yes',
      '',
      '--mdn',
      'Content-Type: message/disposition-notification',
      '',
      'Reporting-UA: example.com; Mail',
      'Final-Recipient: rfc822;dora@example.com',
      `Original-Message-ID: ${question.id}`,
      'Disposition: manual-action/MDN-sent-manually; displayed',
      '',
      '--mdn--',
    ],
  ],
};

/** The bytes of a mail, one character each. */
export const rawOf = (lines: readonly string[]) => Buffer.from(`${lines.join('\r\n')}\r\n`).toString('latin1');
