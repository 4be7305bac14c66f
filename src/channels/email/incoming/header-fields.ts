/**
 * The header fields of a mail or of one of its parts, as a strict reader sees them: split and unfolded, never interpreted.
 */

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

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * All fields up to the first empty line. Undefined if the header is longer than `longest` bytes: a part of it must not pass for the
 * whole, because what counts is that there is no second From field.
 */
export function headerBlock(raw: Uint8Array, longest: number): HeaderBlock | undefined {
  const { headerEnd, bodyAt } = ends(raw, longest);
  if (headerEnd > longest) return undefined;
  const folded: string[][] = [];
  for (const line of decoder.decode(raw.subarray(0, headerEnd)).split('\n')) {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
    const field = folded.at(-1);
    if (field !== undefined && (whole.startsWith(' ') || whole.startsWith('\t'))) field.push(whole);
    else if (whole !== '') folded.push([whole]);
  }
  return { fields: folded.map((lines) => fieldOf(lines.join(''))), bodyAt };
}

/** A line without a colon is a field without a value: reading goes on, so that no From field below it is overlooked. */
function fieldOf(line: string): HeaderField {
  const colon = line.indexOf(':');
  return {
    name: trimmed(colon < 0 ? line : line.slice(0, colon)).toLowerCase(),
    value: colon < 0 ? '' : trimmed(line.slice(colon + 1)),
  };
}

function ends(raw: Uint8Array, longest: number): { headerEnd: number; bodyAt: number } {
  let start = 0;
  while (start < raw.length && start <= longest) {
    const feed = raw.indexOf(lineFeed, start);
    const end = feed < 0 ? raw.length : feed;
    if (end === start || (end === start + 1 && raw[start] === carriageReturn))
      return { headerEnd: start, bodyAt: Math.min(end + 1, raw.length) };
    start = end + 1;
  }
  return { headerEnd: Math.min(start, raw.length), bodyAt: raw.length };
}

/** Without spaces and tabs around it. Other white space is none of a header, and stays. No pattern: one can take quadratic time here. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The values of all fields of a name, from the top. */
export function valuesOf(fields: readonly HeaderField[], name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map((field) => field.value);
}
