/**
 * Finds the lines of a reply that are not the person's: quotes with marks, the lines of our own mail, and what mail programs write directly
 * above them. A line is cut only if all of it is known; any other line counts, wherever it stands.
 */
import { looksLikeMarker } from '../drawing/markers.js';
import { bareSubject } from '../threading.js';
import { type Correspondents, isAttribution, isDateLine, isHeaderLine } from './attribution.js';
import { leftOut } from './words.js';

const addressOfPage = /<?\b(?:https?:\/\/|mailto:|tel:)[^\s<>]*>?/gi;

/** A mail of ours that may have been answered. */
export interface SentMail {
  readonly subject: string;
  /** All that it shows, as text. */
  readonly text: string;
}

const mostHeaderLines = 12;
const mostAttributionLines = 3;

/** The runs of lines that are left: each stands between two cuts. */
export function writtenRuns(
  lines: readonly string[],
  sent: readonly SentMail[],
  people: Correspondents,
): readonly (readonly string[])[] {
  const found = foundLines(lines, sent);
  const isCut = found.map((each) => each === 'ours');
  for (let at = 1; at < lines.length; at += 1) {
    const above = isCut[at] && !isCut[at - 1] ? linesAbove(lines.slice(0, at), sent, people) : 0;
    for (let k = at - above; k < at; k += 1) isCut[k] = true;
  }
  const runs: string[][] = [];
  for (const [at, line] of lines.entries()) {
    if (isCut[at]) continue;
    if (at === 0 || isCut[at - 1]) runs.push([]);
    runs.at(-1)?.push(found[at] === 'unclear' ? `${line} ${leftOut}` : line);
  }
  return runs;
}

/** A line of ours or of another quote; one of the person; or one that may be either. */
type FoundLine = 'ours' | 'theirs' | 'unclear';

function isQuotedLine(line: string): boolean {
  return line.startsWith('>');
}

/** Above our marker a quote is known by its marks; below it our lines are known by our mail, with marks and without. */
function foundLines(lines: readonly string[], sent: readonly SentMail[]): readonly FoundLine[] {
  const first = lines.findIndex(looksLikeMarker);
  const marked = lines.map((line): FoundLine => (isQuotedLine(line) ? 'ours' : 'theirs'));
  if (first < 0) return marked;
  const region = lines.slice(first);
  // without our mail, only its first line and what has the marks of a quote are known
  let best = marked.slice(first).map((each, at) => (at === 0 ? 'ours' : each));
  let most = sent.length === 0 ? Number.POSITIVE_INFINITY : 0;
  for (const { text } of sent) {
    const found = matched(region, text);
    const count = found.filter((each) => each === 'ours').length;
    if (count > most) [best, most] = [[...found], count];
  }
  return [...marked.slice(0, first), ...best];
}

/** A shorter piece may be a person's word that our mail has, too. */
const longEnough = 12;

/**
 * The lines that our mail has, in its order, however they are broken. What a person deleted of it is passed over; what they wrote between
 * its lines is not ours. Options are short, and people write them: one must have the mark that it was sent with. Of a quote without marks, a line with words of our mail
 * that is not in its place is unclear: the line above it may be damaged, and nobody wrote it.
 */
function matched(lines: readonly string[], text: string): readonly FoundLine[] {
  const starts = new Map<number, string>();
  let ours = '';
  for (const line of text.split('\n')) {
    const letters = lettersOf(line);
    if (letters !== '') starts.set(ours.length, shortForm(line));
    ours += letters;
  }
  let position = 0;
  let hasMarks = false;
  return lines.map((line, at): FoundLine => {
    if (looksLikeMarker(line)) position = 0;
    const letters = lettersOf(line);
    if (letters === '') return at === 0 || (position < ours.length && isDecoration(line)) ? 'ours' : 'theirs';
    const start = starts.get(position);
    const isNext =
      ours.startsWith(letters, position) &&
      (letters.length >= longEnough || start === undefined || !isOption(start) || start === shortForm(line));
    const found = isNext ? position : letters.length < longEnough ? -1 : ours.indexOf(letters, position);
    if (found >= 0) {
      position = found + letters.length;
      hasMarks ||= isQuotedLine(line);
      return 'ours';
    }
    const isTheirs = position >= ours.length || (hasMarks && !isQuotedLine(line)) || !ours.includes(letters);
    return isTheirs ? 'theirs' : 'unclear';
  });
}

function isOption(short: string): boolean {
  return /^(?:- |\d+[.)] )/.test(short);
}

/** A line with its mark of a list, in one form. */
function shortForm(line: string): string {
  return line
    .normalize('NFKC')
    .replace(addressOfPage, '')
    .toLowerCase()
    .replace(/^[\s>|]+/, '')
    .replace(/^[-*•·◦]\s+/, '- ')
    .replace(/[*_]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The letters and digits of a text: programs change everything else when they quote it. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .replace(addressOfPage, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** White space, marks of lists and rules, or the address of a page, which servers rewrite. */
function isDecoration(line: string): boolean {
  return /^[\s>*_|•·.=–—-]*$/u.test(line.replace(addressOfPage, ''));
}

/** How many of the last lines a mail program wrote above the mail that is answered. */
function linesAbove(lines: readonly string[], sent: readonly SentMail[], people: Correspondents): number {
  const end = lines.findLastIndex((line) => !isDecoration(line)) + 1;
  const blank = lines.length - end;
  const subjects = sent.map(({ subject }) => lettersOf(bareSubject(subject)));
  for (let size = 1; size <= Math.min(mostHeaderLines, end); size += 1) {
    const [first = '', ...more] = lines.slice(end - size, end).filter((line) => !isDecoration(line));
    const [second = ''] = more;
    // some programs write the date above the author
    const isTop = isDateLine(first, people) && isHeaderLine(second, people) === 'from';
    const isNext = size < end && isDateLine(lines[end - size - 1] ?? '', people);
    if (isTop || (isHeaderLine(first, people) === 'from' && more.length > 0 && !isNext)) {
      const isSubject = (line: string) => subjects.includes(lettersOf(bareSubject(line.slice(line.indexOf(':') + 1))));
      if (more.every((line) => isHeaderLine(line, people) !== undefined || isSubject(line)))
        return size + blank + separatorAbove(lines.slice(0, end - size));
    }
    if (size <= mostAttributionLines && isAttribution(lines.slice(end - size, end).join(' '), people))
      return size + blank;
  }
  return 0;
}

const separator =
  /^[\s*]*[-_]{2,40}\s*(?:original message|original appointment|original[- ]nachricht|ursprüngliche nachricht|message d['’]origine|mensaje original)?\s*[-_]{2,40}[\s*]*$/i;

function separatorAbove(lines: readonly string[]): number {
  const at = lines.findLastIndex((line) => line.trim() !== '');
  return at >= 0 && separator.test((lines[at] as string).slice(0, 200)) ? lines.length - at : 0;
}
