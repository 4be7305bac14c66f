/**
 * What a mail says, however it came: its header fields, who it claims to be from and to, and its text. It never fails because of what a
 * stranger sent: what cannot be read is not there. It proves nothing about who wrote the mail, and nothing about what is new in the text.
 */
import { Buffer } from 'node:buffer';
import type PostalMime from 'postal-mime';
import { definedFields } from '../../../core/defined-fields.js';
import { inert, isBlank } from '../../../core/text.js';
import { headerText, type MailAddress, parseAddress, parseAddresses } from '../addresses.js';
import { missingPackage } from '../connection/packages.js';
import { decodedWords } from '../encoded-words.js';
import { type DeliveryReport, deliveryReport } from './bounce.js';
import { type HeaderField, headerBlock, valuesOf } from './header-fields.js';
import { htmlText } from './html-text.js';
import { decodedBody, type MailPart, mailPart, parametersOf } from './parts.js';
import { windowsCharacters } from './text/windows-1252.js';

/** A mail, made of at most `longestRead` bytes of it. */
export interface Mail {
  /** All header fields from the top, names in lower case, values unfolded, otherwise as they came. */
  readonly headers: readonly HeaderField[];
  /** With its angle brackets. */
  readonly messageId?: string;
  /** The ids of the mails that it answers: the first and the last ones. */
  readonly references: readonly string[];
  /** Of all From fields together. Empty if one of them is not written as it must be. */
  readonly from: readonly MailAddress[];
  /** Of the only To field and the only Cc field, which its author wrote and a signature covers. Empty if one of them stands twice. */
  readonly to: readonly MailAddress[];
  /** Every other address that servers say it was sent to. Whoever sends a mail again chooses them. */
  readonly deliveredTo: readonly MailAddress[];
  /** One line without control characters. */
  readonly subject: string;
  /** The text part, or the HTML part as text; empty if there is none. */
  readonly text: string;
  /** File names, each one line without control characters; the type of a file that has no name. */
  readonly attachments: readonly string[];
  readonly report?: DeliveryReport;
  /** It accepts or declines a meeting, or proposes another time (RFC 5546): its text is about the meeting. */
  readonly isMeetingReply: boolean;
  /** The text goes on behind what was read: what is missing may take back what is there. */
  readonly isTextCut: boolean;
}

/** How many bytes of a mail are read. An answer stands at its beginning; what follows are files. */
export const longestRead = 1024 * 1024;

/** Bytes of the header. A longer one is none of a mail program, and says nothing. */
const longestHeader = 256 * 1024;
const mostReferences = 20;
const mostAttachments = 20;
const longestSubject = 500;
const longestFileName = 100;

const deliveryFields = [
  'delivered-to',
  'x-delivered-to',
  'x-original-to',
  'original-to',
  'envelope-to',
  'x-envelope-to',
  'x-forwarded-to',
  'apparently-to',
  'resent-to',
];

/** Reads a mail. `size` is that of the whole mail, where `raw` is only its beginning. */
export async function readMail(raw: Uint8Array, { size = raw.length }: { readonly size?: number } = {}): Promise<Mail> {
  const parser = await mimeParser();
  const bytes = raw.subarray(0, longestRead);
  const isCut = size > bytes.length;
  const block = headerBlock(bytes, longestHeader);
  // A header that goes on behind what was read may have a second From field there.
  if (block === undefined || (isCut && block.bodyAt >= bytes.length)) return nothing;
  const { fields } = block;
  const part = mailPart(bytes);
  return {
    headers: fields,
    ...definedFields({ messageId: messageIdsIn(valuesOf(fields, 'message-id')[0] ?? '')[0] }),
    references: referencesIn(fields),
    from: authorsIn(fields),
    to: ['to', 'cc'].some((name) => valuesOf(fields, name).length > 1) ? [] : recipientsIn(fields, ['to', 'cc']),
    deliveredTo: recipientsIn(fields, deliveryFields),
    subject: subjectIn(fields),
    text: inert(await textOf(part, parser)).trim(),
    attachments: await attachmentsOf(part, parser),
    ...definedFields({ report: deliveryReport(part) }),
    isMeetingReply: isMeetingReply(part),
    isTextCut: isCut && endsInText(part),
  };
}

const nothing: Mail = {
  headers: [],
  references: [],
  from: [],
  to: [],
  deliveredTo: [],
  subject: '',
  text: '',
  attachments: [],
  isMeetingReply: false,
  isTextCut: false,
};

/** The parser's class. Rejects if its package is missing. */
export async function mimeParser(): Promise<typeof PostalMime> {
  try {
    return (await import('postal-mime')).default;
  } catch (cause) {
    throw missingPackage('postal-mime', cause);
  }
}

/** Ids of mails in a value. Only what is safe to send back in a header field counts as one. */
function messageIdsIn(value: string): readonly string[] {
  return value.slice(0, 64 * 1024).match(/<[!-;=?-~]{1,250}>/g) ?? [];
}

function referencesIn(fields: readonly HeaderField[]): readonly string[] {
  const all = ['references', 'in-reply-to'].flatMap((name) => valuesOf(fields, name).flatMap(messageIdsIn));
  const ids = [...new Set(all)];
  return ids.length <= mostReferences ? ids : [...ids.slice(0, 1), ...ids.slice(1 - mostReferences)];
}

function subjectIn(fields: readonly HeaderField[]): string {
  const value = (valuesOf(fields, 'subject')[0] ?? '').slice(0, 4 * longestSubject);
  return headerText(windowsCharacters(decodedWords(value)), longestSubject);
}

function authorsIn(fields: readonly HeaderField[]): readonly MailAddress[] {
  const lists = valuesOf(fields, 'from').map(parseAddresses);
  return lists.includes(undefined) ? [] : lists.flatMap((list) => list?.addresses ?? []);
}

/** A field that is not written as it must be may still have our address in it, which is checked by its secret. */
function recipientsIn(fields: readonly HeaderField[], names: readonly string[]): readonly MailAddress[] {
  const found = new Map<string, MailAddress>();
  for (const name of names)
    for (const value of valuesOf(fields, name))
      for (const each of parseAddresses(value)?.addresses ?? bareAddressesIn(value))
        if (!found.has(each.address)) found.set(each.address, each);
  return [...found.values()];
}

function bareAddressesIn(value: string): readonly MailAddress[] {
  return value.split(/[\s<>,;:"()[\]]+/).flatMap((word) => {
    const address = word.includes('@') ? parseAddress(word) : undefined;
    return address === undefined ? [] : [address];
  });
}

/** The text that a part says. Files and mails within the mail say nothing: the person did not write them now. */
async function textOf(part: MailPart, parser: typeof PostalMime): Promise<string> {
  if (isText(part)) {
    const text = await decodedText(part, parser);
    if (part.type === 'text/html') return htmlText(text);
    return /^flowed$/i.test(part.parameters.get('format') ?? '')
      ? unflowed(text, /^yes$/i.test(part.parameters.get('delsp') ?? ''))
      : text;
  }
  if (part.type === 'multipart/encrypted') return '';
  const isOneOf = /^multipart\/(?:alternative|related|signed|report)$/.test(part.type);
  const parts = part.type === 'multipart/alternative' ? part.parts.toSorted(plainFirst) : part.parts;
  const texts: string[] = [];
  for (const each of parts) {
    const text = await textOf(each, parser);
    if (isBlank(text)) continue;
    texts.push(text);
    if (isOneOf) break;
  }
  return texts.join('\n\n');
}

function isText({ type, disposition, parameters, dispositionValue }: MailPart): boolean {
  return (
    (type === 'text/plain' || type === 'text/html') &&
    disposition !== 'attachment' &&
    ![...parameters.keys(), ...parametersOf(dispositionValue).keys()].some((name) =>
      /^(?:file)?name(?:\*|$)/.test(name),
    )
  );
}

/** A file that somebody attaches to their own words is none. */
function isMeetingReply({ type, parameters, disposition, parts }: MailPart): boolean {
  if (type === 'text/calendar')
    return disposition !== 'attachment' && /^(?:reply|counter)$/i.test(parameters.get('method') ?? '');
  return parts.some(isMeetingReply);
}

function endsInText(part: MailPart): boolean {
  const last = part.parts.at(-1);
  return last === undefined ? isText(part) : endsInText(last);
}

function plainFirst(a: MailPart, b: MailPart): number {
  return Number(b.type === 'text/plain') - Number(a.type === 'text/plain');
}

/** The text of a part in its charset. The parser gets the bytes on one line, because it takes seconds for a million short ones. */
async function decodedText(part: MailPart, parser: typeof PostalMime): Promise<string> {
  const charset = /^[\w.:()+-]{1,40}$/.exec(part.parameters.get('charset') ?? '')?.[0] ?? 'utf-8';
  const head = `Content-Type: text/plain; charset="${charset}"\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  const { text = '' } = await parser.parse(head + Buffer.from(decodedBody(part)).toString('base64'));
  return windowsCharacters(text);
}

/** Lines as they were written, before they were broken for the way (RFC 3676). A line is joined only to one of the same quote. */
function unflowed(text: string, isSpaceDeleted: boolean): string {
  const lines: string[] = [];
  let open: { readonly marks: string; readonly pieces: string[] } | undefined;
  const end = () => {
    if (open !== undefined) lines.push((open.marks === '' ? '' : `${open.marks} `) + open.pieces.join(''));
    open = undefined;
  };
  for (const line of text.split(/\r\n?|\n/)) {
    const marks = /^>*/.exec(line)?.[0] ?? '';
    const content = line.slice(line[marks.length] === ' ' ? marks.length + 1 : marks.length);
    const isFlowed = content.endsWith(' ') && content !== '-- ';
    if (open !== undefined && (open.marks !== marks || content === '-- ')) end();
    open ??= { marks, pieces: [] };
    open.pieces.push(isFlowed && isSpaceDeleted ? content.slice(0, -1) : content);
    if (!isFlowed) end();
  }
  end();
  return lines.join('\n');
}

async function attachmentsOf(mail: MailPart, parser: typeof PostalMime): Promise<readonly string[]> {
  const names: string[] = [];
  for (const part of files(mail)) {
    if (names.length >= mostAttachments) break;
    names.push((await fileName(part, parser)) || headerText(part.type, longestFileName));
  }
  return names;
}

/** Parts that are files. An image that the HTML part shows is none, nor is a report. */
function files(part: MailPart, isRelated = false): readonly MailPart[] {
  if (part.type === 'multipart/report' || part.type === 'multipart/signed')
    return part.parts.slice(0, 1).flatMap((each) => files(each));
  if (part.type.startsWith('multipart/'))
    return part.parts.flatMap((each) => files(each, part.type === 'multipart/related'));
  return isText(part) || (isRelated && part.disposition !== 'attachment') ? [] : [part];
}

async function fileName({ typeValue, dispositionValue }: MailPart, parser: typeof PostalMime): Promise<string> {
  const parametersFrom = (value: string) => (value.includes(';') ? value.slice(value.indexOf(';')) : '');
  const head = [
    `Content-Type: application/octet-stream${parametersFrom(typeValue)}`,
    `Content-Disposition: attachment${parametersFrom(dispositionValue)}`,
  ];
  const { attachments } = await parser.parse(`${head.join('\r\n')}\r\n\r\n`);
  return headerText(attachments[0]?.filename ?? '', longestFileName);
}
