/** Mails as mail programs write them, built from their parts. */

import { bareMarker } from '../../../../src/channels/email/drawing/markers.js';

/** The line that the mails of this shop begin with. */
export const marker = `${bareMarker} Please reply above this line`;

/** What the shop has asked, as it stands in its mail. */
export const question = [marker, '', 'May order 12345 be refunded? Reply with yes or no.', '', 'The shop'];

/** The same with the marks of a quote. */
export const quoted = question.map((line) => `> ${line}`.trimEnd());

export interface MailShape {
  readonly headers?: readonly string[];
  readonly type?: string;
  readonly encoding?: string;
  readonly body: string | Uint8Array;
}

/** The bytes of a mail from Anna to the shop. A body that is a string is UTF-8. */
export function mailOf({
  headers = [],
  type = 'text/plain; charset=utf-8',
  encoding = '8bit',
  body,
}: MailShape): Uint8Array {
  const head = [
    'Return-Path: <anna@example.com>',
    'From: Anna Smith <anna@example.com>',
    'To: The shop <replies+token@shop.example.com>',
    'Subject: Re: A refund',
    'Message-ID: <reply-1@example.com>',
    'In-Reply-To: <question-1@shop.example.com>',
    'MIME-Version: 1.0',
    ...headers,
    `Content-Type: ${type}`,
    `Content-Transfer-Encoding: ${encoding}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** A multipart of parts that are written out. */
export function multipart(subtype: string, parts: readonly string[], more = ''): Pick<MailShape, 'type' | 'body'> {
  const boundary = `=_${subtype}_7f3a`;
  const body = [...parts.map((part) => `--${boundary}\r\n${part}\r\n`), `--${boundary}--\r\n`].join('');
  return { type: `multipart/${subtype}; boundary="${boundary}"${more}`, body };
}

/** A part of a multipart. */
export function part(type: string, body: string, ...headers: readonly string[]): string {
  return [`Content-Type: ${type}`, ...headers, '', body].join('\r\n');
}
