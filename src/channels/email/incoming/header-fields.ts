/**
 * The header fields of a mail or of one of its parts, as a strict reader sees them: split and unfolded, never interpreted.
 */
import { Buffer } from 'node:buffer';

/** One field. The name is in lower case; the value is unfolded, without white space around it, and otherwise as it came. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** The header of some bytes, and where the body begins. */
export interface HeaderBlock {
  readonly fields: readonly HeaderField[];
  readonly bodyAt: number;
}

/** A byte order mark stays a character: without it, a line that no strict reader takes for a From field would become one. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * All fields up to the first empty line. Undefined if the header is longer than `longest` bytes: a part of it must not pass for the
 * whole, because what counts is that there is no second From field.
 */
export function headerBlock(raw: Uint8Array, longest: number): HeaderBlock | undefined {
  const emptyLine = /(?<=^|\n)\r?\n/.exec(latin1(raw.subarray(0, longest + 2)));
  const end = emptyLine?.index ?? raw.length;
  if (end > longest) return undefined;
  const folded: string[][] = [];
  for (const line of decoder.decode(raw.subarray(0, end)).split('\n')) {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
    const field = folded.at(-1);
    if (field !== undefined && (whole.startsWith(' ') || whole.startsWith('\t'))) field.push(whole);
    else if (whole !== '') folded.push([whole]);
  }
  return { fields: folded.map((lines) => fieldOf(lines.join(''))), bodyAt: end + (emptyLine?.[0].length ?? 0) };
}

/** The bytes, each as one character. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** A line without a colon is a field without a value: reading goes on, so that no From field below it is overlooked. */
function fieldOf(line: string): HeaderField {
  const colon = line.indexOf(':');
  return {
    name: trimmed(colon < 0 ? line : line.slice(0, colon)).toLowerCase(),
    value: colon < 0 ? '' : trimmed(line.slice(colon + 1)),
  };
}

/** Without spaces and tabs around it. Other white space is none of a header, and stays. No pattern at the end: it can take quadratic time. */
function trimmed(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end -= 1;
  return text.slice(0, end).replace(/^[ \t]+/, '');
}

/** The values of all fields of a name, from the top. */
export function valuesOf(fields: readonly HeaderField[], name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map((field) => field.value);
}
