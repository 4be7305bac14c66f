/**
 * How mail programs mark the mail that is answered, line by line: quoted lines, the line above a quote, Outlook's block of header lines, and
 * our own marker. Nothing is cut here.
 */
import { hasDecisiveWord } from './decisive-words.js';

/** What knows lines by the habits of many languages. */
export interface LineHabits {
  isAttribution(line: string): boolean;
  isSignature(line: string): boolean;
}

export function isQuotedLine(line: string): boolean {
  return /^\s*>/.test(line);
}

/** A marker that is shorter, without its white space, could be anybody's words. */
const shortestMarker = 8;

/** The first line of our marker, which may be quoted, in bold, and broken over several lines. */
export function markerLine(lines: readonly string[], markers: readonly string[]): number | undefined {
  const compact = lines.map(compacted);
  const whole = compact.join('');
  const starts = new Map<number, number>(); // of lines that are not empty
  let length = 0;
  for (const [index, line] of compact.entries()) {
    if (line !== '') starts.set(length, index);
    length += line.length;
  }
  const found = markers.map(compacted).flatMap((marker) => {
    if (marker.length < shortestMarker) return [];
    for (let at = whole.indexOf(marker); at >= 0; at = whole.indexOf(marker, at + marker.length)) {
      const line = starts.get(at);
      if (line !== undefined) return [line];
    }
    return [];
  });
  return found.length === 0 ? undefined : Math.min(...found);
}

/** A line without what mail programs put before it, and without white space. */
function compacted(line: string): string {
  return line
    .replace(/^[\s>|*_]+/, '')
    .replace(/\s+/g, '')
    .toLowerCase();
}

const names = {
  from: /^(?:from|von|de|da|van|od|från|fra)$/,
  more: /^(?:sent|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|envoyé|à|objet|enviado|fecha|para|asunto|inviato|data|a|oggetto|verzonden|aan|onderwerp)$/,
};
const separator =
  /^[\s*]*-{2,20}\s*(?:original message|original[- ]nachricht|ursprüngliche nachricht|message d['’]origine|mensaje original|forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado)\s*:?\s*-{2,20}[\s*]*$/i;
const forwarded =
  /^(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:réexpédié|transféré)|inicio del mensaje reenviado)\s?:$/i;

/** Whether the mail that is answered begins here without any marks of a quote: only what stands above is new. */
export function startsUnmarkedQuote(lines: readonly string[], at: number): boolean {
  const line = short(lines[at]);
  if (separator.test(line) || forwarded.test(line.trim())) return true;
  if (!names.from.test(fieldName(line))) return false;
  const others = lines.slice(at + 1, at + 8).filter((each) => names.more.test(fieldName(short(each))));
  return others.length >= 2;
}

/**
 * Where the header lines begin that Outlook writes above the mail that is answered, in whatever language: each is a word, a colon and a
 * value, one of them has an address, and nothing but empty lines stands between them and the line `end`. Without them it is `end`.
 */
export function headerBlockAbove(lines: readonly string[], end: number): number {
  let [start, count, hasAddress] = [end, 0, false];
  for (let at = end - 1; at >= Math.max(0, end - 12); at -= 1) {
    const line = short(lines[at]);
    if (line.trim() === '' || isRule(line)) continue;
    if (!/^[\s*]{0,8}[\p{L}\p{M}. -]{1,25}[\s*]{0,3}[:：]/u.test(line)) break;
    count += 1;
    hasAddress ||= line.includes('@');
    start = at;
  }
  return count >= 3 && hasAddress ? start : end;
}

/** `sent` of `*Sent:* Tuesday`; French has a space before the colon. */
function fieldName(line: string): string {
  return (/^[\s*]{0,8}([\p{L}-]{1,12})[\s*]{0,3}:/u.exec(line)?.[1] ?? '').toLowerCase();
}

function short(line: string | undefined): string {
  return (line ?? '').slice(0, 200);
}

/** The line that Outlook draws above its block of header lines, and others between a text and a quote. */
export function isRule(line: string): boolean {
  return /^\s*[_=-]{5,200}\s*$/.test(short(line)) && line.length <= 200;
}

const longestAttribution = 600;
const mostAttributionLines = 4;
/** The narrowest line that a mail program breaks. */
const brokenWidth = 65;
const writing: readonly (readonly [start: RegExp, end: RegExp])[] = [
  [/^On\s/, /\bwrote\s?:$/],
  [/^Am\s/, /\b(?:schrieb|geschrieben)\b.{0,300}:$/],
  [/^Le\s/, /\bécrit\s?:$/],
  [/^El\s/, /\bescribió\s?:$/],
];

/**
 * How many of the lines that end before `end` say who wrote what follows, such as `On Tue, Anna wrote:`, also if that is broken over
 * several lines. `isCertain`: no person writes such a line, so that even without marks a quote follows.
 */
export function attributionBefore(
  lines: readonly string[],
  end: number,
  habits?: LineHabits,
): { readonly count: number; readonly isCertain: boolean } {
  let guess = 0;
  let joined = '';
  for (let count = 1; count <= mostAttributionLines; count += 1) {
    const line = lines[end - count];
    if (line === undefined || line.trim() === '' || isQuotedLine(line) || line.length > longestAttribution) break;
    if (count > 1 && !isBroken(line, joined)) break;
    joined = count === 1 ? line.trim() : `${line.trim()} ${joined}`;
    if (joined.length > longestAttribution || !/[:：]$/.test(joined)) break;
    const hasDate = /\d{4}|\d{1,2}[.:/h]\s?\d{2}/.test(joined);
    const hasAddress = joined.includes('@');
    if (hasDate && writing.some(([start, finish]) => start.test(joined) && finish.test(joined)))
      return { count, isCertain: hasAddress };
    const isLikely = hasDate && hasAddress && !hasDecisiveWord(joined); // "but only what bob@… said on 12.11.:" is a person's
    if (guess === 0 && (isLikely || habits?.isAttribution(joined) === true)) guess = count;
  }
  return { count: guess, isCertain: false };
}

/** Whether a line was broken because the next word had no room in it. */
export function isBroken(line: string, next: string, width: number = brokenWidth): boolean {
  const space = next.indexOf(' ');
  return line.length + 1 + (space < 0 ? next.length : space) > width;
}
