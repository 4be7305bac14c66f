/**
 * Text of people, agents and models for Slack: shown as it stands. It goes into plain text objects, where nothing is formatted and no name
 * is a mention; `& < >` are escaped as Slack asks for everywhere.
 */
import { inert, isBlank, oneLine } from '../../../core/text.js';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export function escaped(text: string): string {
  return inert(text).replace(/[&<>]/g, (character) => escapes[character] as string);
}

/** The escaped text, with an ellipsis at its end if it had to be cut. */
export function cut(text: string, most: number): string {
  const whole = escaped(text);
  return whole.length <= most ? whole : cutEscaped(whole, most);
}

/** The same for a text that is escaped already, and too long. */
export function cutEscaped(text: string, most: number): string {
  return `${startOf(text, most - 1)}…`;
}

/** The start of an escaped text. No escape and no character is cut in two. */
function startOf(text: string, most: number): string {
  const start = text.slice(0, most).replace(/&[a-z]{0,3}$/, '');
  return start.isWellFormed() ? start : start.slice(0, -1);
}

/** The escaped text in pieces of at most `most` characters, broken after blanks where there are any. */
export function piecesOf(text: string, most: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (let word of escaped(text).split(/(?<=\s)/)) {
    if (piece.length + word.length > most) {
      pieces.push(piece);
      piece = '';
    }
    while (word.length > most) {
      const start = startOf(word, most);
      pieces.push(start);
      word = word.slice(start.length);
    }
    piece += word;
  }
  return [...pieces, piece].filter((each) => !isBlank(each));
}

/** A plain text object. Its `:names:` stay as they are. The text is escaped already. */
export function plain(text: string) {
  return { type: 'plain_text', text, emoji: false } as const;
}

/** What a control or a heading says, on one line. Slack takes none without a text. */
export function words(text: string, most: number) {
  const line = oneLine(text);
  return plain(cut(line === '' ? '…' : line, most));
}

/** A time, in the time zone of whoever looks at it. */
export function shownTime(at: Date): string {
  const fallback = at.toISOString().slice(0, 16).replace('T', ' ');
  return `<!date^${Math.floor(at.getTime() / 1_000)}^{date_short_pretty} {time}|${fallback} UTC>`;
}
