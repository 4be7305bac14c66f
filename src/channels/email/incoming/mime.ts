/**
 * What a mail says, however it came: its header first, and its text once its author is known. It never fails because of what a stranger
 * sent: what cannot be read is not there. It proves nothing about who wrote the mail, and nothing about what is new in the text.
 */
import { Buffer } from 'node:buffer';
import type { Email } from 'postal-mime';
import { definedFields } from '../../../core/defined-fields.js';
import { imported } from '../../../core/optional-package.js';
import { isBlank, withoutControls } from '../../../core/text.js';
import { list } from '../../../core/wording/list.js';
import { type DecodeWords, headerText, type MailAddress, parseAddress, parseAddresses } from '../addresses.js';
import { allImported, postalMime } from '../connection/packages.js';
import { type DeliveryStatus, deliveryReport } from './bounce.js';
import { type HeaderField, headerBlock, latin1, valuesOf } from './header-fields.js';
import { type HtmlReader, htmlReader } from './html.js';
import { leftOut } from './words.js';

/** The header of a mail. */
export interface MailHead {
  /** All header fields from the top, names in lower case, values unfolded, otherwise as they came. */
  readonly headers: readonly HeaderField[];
  /** With its angle brackets. */
  readonly messageId?: string;
  /** The ids of the mails that it answers. */
  readonly references: readonly string[];
  /** Of all From fields together. Empty if one of them is not written as it must be. */
  readonly from: readonly MailAddress[];
  /** Of the only To field and the only Cc field, which its author wrote and a signature covers. Empty if one of them stands twice. */
  readonly to: readonly string[];
  /** Every other address that servers say it was sent to. Whoever sends a mail again chooses them. */
  readonly deliveredTo: readonly string[];
  /** One line without control characters. */
  readonly subject: string;
}

/** What stands below the header. */
export interface MailBody {
  /** The text part, or the HTML part as text; empty if there is none. What was not read is marked at its end. */
  readonly text: string;
  /** File names, each one line without control characters; the type of a file that has no name. */
  readonly attachments: readonly string[];
  /** What a delivery report says of each recipient. */
  readonly report: readonly DeliveryStatus[];
  /** It accepts or declines a meeting, or proposes another time (RFC 5546): its text is about the meeting. */
  readonly isMeetingReply: boolean;
}

/** How many bytes of a mail are read. An answer stands at its beginning; what follows are files. */
export const longestRead = 1024 * 1024;

/** Bytes of the header. Larger headers are rejected as malformed. */
const longestHeader = 256 * 1024;
/** The parser takes time for each line, and a person writes few. */
const mostLines = 16_000;
/** Lines that may begin a part. */
const mostBoundaries = 1_000;
const deepest = 20;
const mostAttachments = 20;
const longestSubject = 500;
const longestFileName = 100;

/** Of a longer list of recipients only the beginning is looked at. */
const longestList = 32 * 1024;

const deliveryFields =
  list(`delivered-to, x-delivered-to, x-original-to, original-to, envelope-to, x-envelope-to, x-forwarded-to,
  apparently-to, resent-to`);

const noHead: MailHead = { headers: [], references: [], from: [], to: [], deliveredTo: [], subject: '' };

/** Reads mails. */
export class MailReader {
  readonly #mime: typeof import('postal-mime');
  readonly #html: HtmlReader;

  private constructor(mime: typeof import('postal-mime'), html: HtmlReader) {
    this.#mime = mime;
    this.#html = html;
  }

  /** Imports the packages for it. Rejects if one is missing. */
  static async load(): Promise<MailReader> {
    const [mime, html] = [imported(postalMime, () => import('postal-mime')), htmlReader()];
    await allImported([mime, html]);
    return new MailReader(await mime, await html);
  }

  /** Reads the header of a mail. `size` is that of the whole mail, where `raw` is only its beginning. */
  head(raw: Uint8Array, size: number = raw.length): MailHead {
    const bytes = raw.subarray(0, longestRead);
    const block = headerBlock(bytes, longestHeader);
    // A header that goes on behind what was read may have a second From field there.
    if (block === undefined || (size > bytes.length && block.bodyAt >= bytes.length)) return noHead;
    const { fields } = block;
    const { decodeWords } = this.#mime;
    const [subject = ''] = valuesOf(fields, 'subject');
    const answered = ['references', 'in-reply-to'].flatMap((name) => valuesOf(fields, name).flatMap(messageIdsIn));
    return {
      headers: fields,
      ...definedFields({ messageId: messageIdsIn(valuesOf(fields, 'message-id')[0] ?? '')[0] }),
      references: [...new Set(answered)],
      from: authorsIn(fields, decodeWords),
      to: ['to', 'cc'].some((name) => valuesOf(fields, name).length > 1) ? [] : recipientsIn(fields, ['to', 'cc']),
      deliveredTo: recipientsIn(fields, deliveryFields),
      subject: headerText(decodeWords(subject.slice(0, 4 * longestSubject)), longestSubject),
    };
  }

  /** HTML as text: of a mail, or of one of ours. */
  htmlText(html: string): string {
    return this.#html(html);
  }

  /** `size` is that of the whole mail. What is behind the first bytes or lines is marked as left out: it may take back what is there. */
  async read(raw: Uint8Array, size: number = raw.length): Promise<MailBody> {
    const bytes = firstLines(raw.subarray(0, longestRead));
    const found = await this.#parsed(bytes);
    if (found === undefined) return { text: leftOut, attachments: [], report: [], isMeetingReply: false };
    const { text, html, attachments } = found;
    const written = windowsCharacters(isBlank(text ?? '') ? fromHtml(this.#html(html ?? '')) : (text ?? ''));
    const files = attachments.filter(({ related }) => related !== true);
    return {
      text: `${withoutControls(written).trim()}${size > bytes.length ? `\n\n${leftOut}` : ''}`,
      attachments: files.slice(0, mostAttachments).map(fileName),
      report: deliveryReport(attachments),
      isMeetingReply: attachments.some(isMeetingReply),
    };
  }

  /** Undefined for a mail that is nested or has more header fields than mail programs write. */
  async #parsed(bytes: Uint8Array): Promise<Email | undefined> {
    if (latin1(bytes).split('\n--', mostBoundaries + 1).length > mostBoundaries) return undefined;
    const limits = { maxNestingDepth: deepest, maxHeadersSize: 2 * longestHeader, forceRfc822Attachments: true };
    return this.#mime.default.parse(withFixedLines(withoutEnvelope(bytes)), limits).catch(() => undefined);
  }
}

/** In HTML, a line that begins with > is no quote, and the line above a signature has lost its blank. */
function fromHtml(text: string): string {
  return text.replace(/^>/gm, ' >').replace(/^--$/gm, '-- ');
}

function firstLines(bytes: Uint8Array): Uint8Array {
  let end = -1;
  for (let lines = 0; lines < mostLines; lines += 1) {
    end = bytes.indexOf(0x0a, end + 1);
    if (end < 0) return bytes;
  }
  return bytes.subarray(0, end + 1);
}

/** The mail with only those header fields that say how its body is written: the parser takes its time to read the others. */
function withoutEnvelope(bytes: Uint8Array): Uint8Array {
  const { fields, bodyAt } = headerBlock(bytes, longestHeader) ?? { fields: [], bodyAt: 0 };
  const kept = fields.filter(({ name }) => name === 'mime-version' || name.startsWith('content-'));
  const head = kept.map(({ name, value }) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`${head}\r\n`), bytes.subarray(bodyAt)]);
}

/** The parser joins a flowed line (RFC 3676) also to one of another quote, and an answer must not become a part of the line above it. */
function withFixedLines(bytes: Uint8Array): Uint8Array {
  return Buffer.from(latin1(bytes).replace(/\bformat(\s*=\s*"?)flowed\b/gi, 'format$1fixed '), 'latin1');
}

/** U+0080 to U+009F of windows-1252. Some releases of Node read it as ISO 8859-1, where they are control characters. */
const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function windowsCharacters(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (control) => windows[control.charCodeAt(0) - 0x80] as string); // 32 of both
}

type MailFile = Email['attachments'][number];

function fileName({ filename, mimeType }: MailFile): string {
  return headerText(filename ?? '', longestFileName) || headerText(mimeType, longestFileName);
}

/** A file that a person attaches to their own words is none. */
function isMeetingReply({ mimeType, disposition, method = '' }: MailFile): boolean {
  return mimeType === 'text/calendar' && disposition !== 'attachment' && /^(?:reply|counter)$/i.test(method);
}

/** Ids of mails in a value. Only what is safe to send back in a header field counts as one. */
export function messageIdsIn(value: string): readonly string[] {
  return value.slice(0, 64 * 1024).match(/<[!-;=?-~]{1,250}>/g) ?? [];
}

/** The addresses of all From fields; none if one of the fields is not written as it must be. */
export function authorsIn(fields: readonly HeaderField[], decode?: DecodeWords): readonly MailAddress[] {
  const lists = valuesOf(fields, 'from').map((value) => parseAddresses(value, decode));
  return lists.every((list) => list !== undefined) ? lists.flat() : [];
}

/** Each address once. A field that is not written as it must be may still have our address in it, which is checked by its secret. */
function recipientsIn(fields: readonly HeaderField[], names: readonly string[]): readonly string[] {
  const values = names.flatMap((name) => valuesOf(fields, name));
  const found = values.flatMap((value) => parseAddresses(value) ?? bareAddressesIn(value));
  return [...new Set(found.map(({ address }) => address))];
}

/** A display name or a comment. The sender chose it, so an address in it is no recipient. */
const nameOrComment = /"[^"]*"|\([^()]*\)/g;

function bareAddressesIn(value: string): readonly MailAddress[] {
  const words = value
    .slice(0, longestList)
    .replace(/\\./g, '')
    .replace(nameOrComment, ' ')
    .split(/[\s<>,;:"()[\]]+/);
  return words.flatMap((word) => (word.includes('@') ? (parseAddress(word) ?? []) : []));
}
