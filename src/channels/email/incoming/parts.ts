/**
 * The parts of a mail (RFC 2045, RFC 2046): where they begin and end, what they say that they are, and their bytes. Every step is linear in
 * the bytes, and parts and depth are counted, so a hostile mail is read as quickly as a plain one. What is broken is a part that says less.
 */
import { Buffer } from 'node:buffer';
import { headerBlock, valuesOf } from './header-fields.js';

/** A part of a mail; the mail itself is the outermost. */
export interface MailPart {
  /** In lower case: `text/plain`. */
  readonly type: string;
  /** Parameters of the type, their names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
  /** `attachment`, `inline` or whatever it says, in lower case. */
  readonly disposition: string;
  /** The two fields that may name a file, as they came. */
  readonly typeValue: string;
  readonly dispositionValue: string;
  /** In lower case: `base64`. */
  readonly encoding: string;
  /** As it was sent, encoded. */
  readonly body: Uint8Array;
  /** Of a multipart. */
  readonly parts: readonly MailPart[];
}

/** Header bytes of a part. What is longer is no header of a mail program. */
const longestPartHeader = 16 * 1024;
const longestValue = 4 * 1024;
const mostParts = 200;
const deepest = 20;
const longestBoundary = 200;

/** The part that these bytes are. Its own header may be of any length: the caller has looked at it. */
export function mailPart(raw: Uint8Array): MailPart {
  return partOf(raw, Number.POSITIVE_INFINITY, 'text/plain', 0, { left: mostParts });
}

function partOf(raw: Uint8Array, longest: number, fallback: string, depth: number, budget: { left: number }): MailPart {
  const { fields, bodyAt } = headerBlock(raw, longest) ?? { fields: [], bodyAt: raw.length };
  const first = (name: string) => (valuesOf(fields, name)[0] ?? '').slice(0, longestValue);
  const typeValue = first('content-type');
  const dispositionValue = first('content-disposition');
  const type = leading(typeValue);
  const parameters = parametersOf(typeValue);
  const body = raw.subarray(bodyAt);
  const part = {
    type: type.includes('/') ? type : fallback,
    parameters,
    disposition: leading(dispositionValue),
    typeValue,
    dispositionValue,
    encoding: /[\w-]+/.exec(first('content-transfer-encoding'))?.[0].toLowerCase() ?? '',
    body,
  };
  const boundary = parameters.get('boundary') ?? '';
  if (!part.type.startsWith('multipart/') || boundary === '' || boundary.length > longestBoundary || depth >= deepest)
    return { ...part, parts: [] };
  const inside = part.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const parts: MailPart[] = [];
  for (const bytes of pieces(body, boundary)) {
    if (budget.left <= 0) break;
    budget.left -= 1;
    parts.push(partOf(bytes, longestPartHeader, inside, depth + 1, budget));
  }
  return { ...part, parts };
}

/** What a structured value begins with, in lower case. */
function leading(value: string): string {
  return (/^[^;(\s]*/.exec(value)?.[0] ?? '').toLowerCase();
}

/** The parameters of a structured value. Of a name that stands twice, the first counts. */
export function parametersOf(value: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, token] of value.matchAll(
    /;[ \t]*([\w*-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/g,
  )) {
    const key = name.toLowerCase();
    if (!parameters.has(key))
      parameters.set(key, quoted === undefined ? (token ?? '') : quoted.replace(/\\(.)/g, '$1'));
  }
  return parameters;
}

/** The bytes between the boundary lines. A boundary that never ends the multipart ends it with its bytes. */
function* pieces(body: Uint8Array, boundary: string): Generator<Uint8Array> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = Buffer.from(`\n--${boundary}`);
  let start = -1;
  for (let at = nextLineWith(bytes, delimiter, 0); at >= 0; ) {
    const line = boundaryLine(bytes, at + delimiter.length - 1);
    if (line !== undefined) {
      if (start >= 0) yield bytes.subarray(start, withoutBreak(bytes, start, at));
      if (line.isLast) return;
      start = line.end;
    }
    at = nextLineWith(bytes, delimiter, line?.end ?? at + 1);
  }
  if (start >= 0) yield bytes.subarray(start);
}

/** Where the next line begins, at `from` or behind it, that begins with what follows the line feed of `delimiter`; -1 if there is none. */
function nextLineWith(bytes: Buffer, delimiter: Buffer, from: number): number {
  if (from === 0 && bytes.subarray(0, delimiter.length - 1).equals(delimiter.subarray(1))) return 0;
  const found = bytes.indexOf(delimiter, Math.max(0, from - 1));
  return found < 0 ? -1 : found + 1;
}

/** Blanks that may follow a boundary. RFC 2046 has no limit, and mail programs write none. */
const mostBlanks = 100;

/** What follows the boundary on its line, and where the next line begins. Undefined if it is something else than a boundary. */
function boundaryLine(bytes: Buffer, from: number): { readonly end: number; readonly isLast: boolean } | undefined {
  const isLast = bytes[from] === 0x2d && bytes[from + 1] === 0x2d;
  let at = isLast ? from + 2 : from;
  const limit = at + mostBlanks;
  while (at < limit && (bytes[at] === 0x20 || bytes[at] === 0x09)) at += 1;
  if (bytes[at] === 0x0d) at += 1;
  if (at < bytes.length && bytes[at] !== 0x0a) return undefined;
  return { end: Math.min(at + 1, bytes.length), isLast };
}

/** The line break before a boundary belongs to the boundary. */
function withoutBreak(bytes: Uint8Array, start: number, at: number): number {
  let end = at;
  if (end > start && bytes[end - 1] === 0x0a) end -= 1;
  if (end > start && bytes[end - 1] === 0x0d) end -= 1;
  return end;
}

/** The bytes of a part without their transfer encoding. What is cut off or broken gives what can be read of it. */
export function decodedBody({ encoding, body }: Pick<MailPart, 'encoding' | 'body'>): Uint8Array {
  if (encoding === 'base64') return fromBase64(body);
  return encoding === 'quoted-printable' ? fromQuotedPrintable(body) : body;
}

/** Some programs pad every line, so each padding ends a unit of its own. */
function fromBase64(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body).toString('latin1');
  const decoded = Buffer.alloc(Math.ceil((text.length / 4) * 3) + 3);
  let length = 0;
  for (const unit of text.replace(/[^A-Za-z0-9+/=]+/g, '').split(/=+/))
    if (unit !== '') length += decoded.write(unit, length, 'base64');
  return decoded.subarray(0, length);
}

function fromQuotedPrintable(body: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number; // below the length
    if (byte !== 0x3d) {
      decoded[length++] = byte;
      continue;
    }
    const soft = softBreak(body, at + 1);
    const code = soft === undefined ? hexByte(body[at + 1], body[at + 2]) : undefined;
    if (soft !== undefined) at = soft - 1;
    else if (code === undefined) decoded[length++] = byte;
    else {
      decoded[length++] = code;
      at += 2;
    }
  }
  return decoded.subarray(0, length);
}

/** Where the next line begins, if only a few blanks stand between here and the end of this one. */
function softBreak(body: Uint8Array, from: number): number | undefined {
  let at = from;
  while (at < from + 80 && (body[at] === 0x20 || body[at] === 0x09 || body[at] === 0x0d)) at += 1;
  if (at >= body.length) return body.length;
  return body[at] === 0x0a ? at + 1 : undefined;
}

function hexByte(high: number | undefined, low: number | undefined): number | undefined {
  const text = high === undefined || low === undefined ? '' : String.fromCharCode(high, low);
  return /^[0-9A-Fa-f]{2}$/.test(text) ? Number.parseInt(text, 16) : undefined;
}
