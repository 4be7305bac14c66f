/**
 * What a person wrote now, out of the text of a mail: without the lines of our own mail, word by word, and what mail programs write directly
 * above them. A line is cut only if all of it is known; any other line counts, wherever it stands, and none is left out because of a word in it.
 */
import { withoutControls } from '../../../core/text.js';
import { looksLikeMarker } from '../drawing/markers.js';
import { linesAbove, type ReplyContext } from './attribution.js';
import { withoutClosing, withoutSignature } from './closing.js';
import { addressOfPage, isDecoration, leftOut } from './words.js';

/** Longer texts have more than a reply and our mail. */
const mostLines = 1_000;
/** The label of a link. */
const linkInMarkdown = /\[([^\][]{1,200})\]\((?:https?|mailto):[^\s()]*\)/gi;

/** The new text of a mail. */
export function newText(text: string, reply: ReplyContext): string {
  const all = withoutControls(text).split('\n');
  const read = all.length > mostLines ? [...all.slice(0, mostLines), leftOut] : all;
  const runs = writtenRuns(read, reply).map(withoutSignature);
  const lines = runs.flatMap((run, i) => (i === 0 ? run : ['', ...run]));
  return withoutClosing(lines, reply.author)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The runs of lines that are left: each stands between two cuts. */
function writtenRuns(lines: readonly string[], reply: ReplyContext): readonly (readonly string[])[] {
  const found = foundLines(lines, reply);
  const isCut = found.map((each) => each === 'ours');
  const isAbove = linesAbove(reply);
  for (let at = 1; at < lines.length; at += 1) {
    const above = isCut[at] && !isCut[at - 1] ? isAbove(lines.slice(0, at)) : 0;
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

/** A line of ours; one of the person; or one that may be either. */
type FoundLine = 'ours' | 'theirs' | 'unclear';

function isQuotedLine(line: string): boolean {
  return line.startsWith('>');
}

function foundLines(lines: readonly string[], { sent, cutsQuotes }: ReplyContext): readonly FoundLine[] {
  const first = lines.findIndex((line) => isQuotedLine(line) || looksLikeMarker(line));
  const unknown = lines.map((line): FoundLine => (isQuotedLine(line) ? 'ours' : 'theirs'));
  if (first < 0) return unknown;
  const region = lines.slice(first);
  // without our mail, only its first line and what has the marks of a quote are known
  let best = unknown.slice(first).map((each, at) => (looksLikeMarker(region[at] as string) ? 'ours' : each));
  let most = -1;
  for (const text of sent.flatMap(({ texts }) => texts)) {
    const found = matched(region, text);
    const count = found.filter((each) => each === 'ours').length;
    if (count > most) [best, most] = [[...found], count];
  }
  if (cutsQuotes) best = best.map((each, at) => (isQuotedLine(region[at] as string) ? 'ours' : each));
  return [...unknown.slice(0, first), ...best];
}

/** Our mail as words; `starts` has the words with which a line begins, and the line. */
interface SentWords {
  readonly words: readonly string[];
  readonly starts: ReadonlyMap<number, string>;
  /** Where each word stands. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

function sentWords(text: string): SentWords {
  const starts = new Map<number, string>();
  const places = new Map<string, number[]>();
  const words: string[] = [];
  for (const line of text.split('\n')) {
    const found = wordsIn(line);
    if (found.length > 0) starts.set(words.length, shortForm(line));
    for (const word of found) {
      const known = places.get(word) ?? [];
      known.push(words.length);
      places.set(word, known);
      words.push(word);
    }
  }
  return { words, starts, places };
}

/** A shorter piece may be a person's word that our mail has, too. */
const longEnough = 12;

/**
 * The lines that our mail has, in its order, however they are broken. Each word must be the same: a person may have changed a number. What
 * was deleted before the first and behind the last of them is passed over; where something is missing between them, it is unclear what the
 * answer is about. Options are short, and people write them: one must have the mark that it was sent with. Without the marks of a quote our
 * lines are known from our first line on.
 */
function matched(lines: readonly string[], text: string): readonly FoundLine[] {
  const { words, starts, places } = sentWords(text);
  const isAt = (said: readonly string[], position: number) => said.every((word, i) => words[position + i] === word);
  let position = 0;
  let last = -1;
  let hasBegun = false;
  let hasMarks = false;
  const found = lines.map((line, at): FoundLine => {
    if (looksLikeMarker(line)) [position, hasBegun] = [0, true];
    const isQuoted = isQuotedLine(line);
    const said = wordsIn(line);
    if (said.length === 0) return isQuoted || (hasBegun && position < words.length) ? 'ours' : 'theirs';
    if (!isQuoted && !hasBegun) return 'theirs';
    const length = said.join('').length;
    const start = starts.get(position);
    const isOption = start !== undefined && length < longEnough && /^(?:- |\d+[.)] )/.test(start);
    const isNext = isAt(said, position) && (!isOption || start === shortForm(line));
    const all = (places.get(said[0] as string) ?? []).filter((place) => isAt(said, place));
    const further = length < longEnough ? undefined : all.find((place) => place > position && starts.has(place));
    const next = isNext ? position : further;
    if (next === undefined) {
      const isInOurs = position < words.length && all.length > 0;
      return isInOurs && (isQuoted || !hasMarks) ? 'unclear' : 'theirs';
    }
    const isGap = last >= 0 && next > position;
    position = next + said.length;
    last = at;
    hasMarks ||= isQuoted;
    return isGap ? 'unclear' : 'ours';
  });
  if (last >= 0 && position < words.length && !starts.has(position)) found[last] = 'unclear';
  return found;
}

/** A line with its mark of a list, in one form. */
function shortForm(line: string): string {
  const text = line
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[\s>|]+/, '');
  return text
    .replace(/^[-*•·◦]\s+/, '- ')
    .replace(/[*_]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The words of a line as they are written, with their marks. Programs change white space, marks of lists, and addresses of pages. */
function wordsIn(line: string): readonly string[] {
  if (isDecoration(line)) return [];
  const text = shortForm(line.replace(linkInMarkdown, '$1').replace(addressOfPage, ' '));
  const words = text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/^- /, '')
    .split(' ');
  return words.filter((word) => word !== '' && word !== '|');
}
