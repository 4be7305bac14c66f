/**
 * Encoded words (RFC 2047): how a name that is not ASCII is written in a header field. They are decoded only after the field was taken
 * apart, so no decoded character can change what the field says.
 */
import { Buffer } from 'node:buffer';
import { TextDecoder } from 'node:util';

const encodedWord = /=\?([^?\s*]{1,40})(?:\*[^?\s]{0,40})?\?([bq])\?([^?\s]*)\?=/gi;

/** The text with its encoded words decoded. A word in a charset that nobody knows stays as it is. */
export function decodedWords(text: string): string {
  let decoded = '';
  let end = 0;
  let open: { readonly charset: string; readonly bytes: readonly Buffer[] } | undefined;
  const close = () => {
    if (open !== undefined) decoded += decodedBytes(open.charset, Buffer.concat(open.bytes));
    open = undefined;
  };
  for (const match of text.matchAll(encodedWord)) {
    const [whole, charset = '', encoding = '', content = ''] = match;
    const between = text.slice(end, match.index);
    const isNext = end > 0 && /^\s*$/.test(between); // white space between two encoded words is no part of the text
    end = match.index + whole.length;
    if (!isKnown(charset)) {
      close();
      decoded += between + whole;
      continue;
    }
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : quotedBytes(content);
    if (open !== undefined && isNext && open.charset === charset.toLowerCase()) {
      open = { charset: open.charset, bytes: [...open.bytes, bytes] }; // some programs cut a character in two
    } else {
      close();
      if (!isNext) decoded += between;
      open = { charset: charset.toLowerCase(), bytes: [bytes] };
    }
  }
  close();
  return decoded + text.slice(end);
}

function quotedBytes(content: string): Buffer {
  const raw = content
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(raw, 'latin1');
}

function isKnown(charset: string): boolean {
  return decoderOf(charset) !== undefined;
}

function decodedBytes(charset: string, bytes: Uint8Array): string {
  return decoderOf(charset)?.decode(bytes) ?? '';
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}
