/** A mail as plain text. Lines are broken at blanks, so that a quote of them stays a quote. */
import type { MailContent } from './content.js';
import { looksLikeMarker } from './markers.js';

/** With the marks of a quote it is still below 76 characters. */
const width = 72;

export function textPart({ marker, text, details, options, isNumbered, notes, link }: MailContent): string {
  const blocks: (readonly string[])[] = [
    text.split('\n').map((line) => wrapped(line, '')),
    details.map(([name, value]) => wrapped(`${name}: ${value}`, '  ')),
    options.map((label, i) => wrapped(`${isNumbered ? `${i + 1}.` : '-'} ${label}`, '   ')),
    notes.map((note) => wrapped(note, '')),
    [link?.before, link?.url, link?.after].flatMap((line) => (line ? wrapped(line, '') : [])),
  ];
  const lines = blocks.filter((block) => block.length > 0).map((block) => block.join('\n'));
  const body = lines.join('\n\n').split('\n').map(harmless).join('\n');
  return `${marker === undefined ? '' : `${marker}\n\n`}${body}\n`;
}

/** The line broken at blanks. A longer word, such as an address of the web, stays whole. */
function wrapped(line: string, indent: string): string {
  const lines: string[] = [];
  let left = line.trimEnd();
  while (left.length > width) {
    const from = lines.length === 0 ? 1 : indent.length + 1;
    const last = left.lastIndexOf(' ', width);
    const at = last >= from ? last : left.indexOf(' ', width);
    if (at < 0) break;
    lines.push(left.slice(0, at).trimEnd());
    left = indent + left.slice(at + 1).trimStart();
  }
  return [...lines, left].join('\n');
}

/** Not what mail programs take for a signature, or for the beginning of another mail, and no second marker. */
function harmless(line: string): string {
  const trimmed = line.trimEnd();
  if (looksLikeMarker(trimmed)) return `· ${trimmed}`;
  return trimmed.startsWith('From ') ? ` ${trimmed}` : trimmed;
}
