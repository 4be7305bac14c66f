/**
 * What a person wrote now, out of the text of a mail: not the mail that they answer, nor the signature. It never guesses: where it is not
 * clear what is new, every line that is not quoted counts, and what cannot be told from a quote does not.
 */
import { inert, isBlank } from '../../../core/text.js';
import { localPart, type MailAddress } from '../addresses.js';
import { missingPackage } from '../connection/packages.js';
import { wordsOf } from './text/decisive-words.js';
import { isFooter } from './text/footer.js';
import {
  attributionBefore,
  headerBlockAbove,
  isBroken,
  isQuotedLine,
  isRule,
  type LineHabits,
  markerLine,
  startsUnmarkedQuote,
} from './text/quoted-lines.js';
import { withoutSignature } from './text/signature.js';

/** The widest line that mail programs send, and the narrowest that they break, with the marks of a quote. */
const widestLine = 76;
const narrowestLine = 50;

/**
 * The new text of a mail. `markers` are the lines that our own mails begin with, in every language. The author's name and address tell
 * their signature from what they say.
 */
export async function newText(text: string, markers: readonly string[], author?: MailAddress): Promise<string> {
  const habits = await lineHabits();
  const all = inert(text).split('\n');
  const names = new Set(author === undefined ? [] : wordsOf(`${author.name ?? ''} ${localPart(author.address)}`));
  const lines = beforeUnmarkedQuote(all, markers, habits);
  const hasMarker = markerLine(all, markers) !== undefined; // of other mails, everything counts
  const written = unquotedRuns(lines).flatMap(({ run, isQuoteNext, isBelow }) => {
    const said = withoutSignature(isQuoteNext ? withoutAttribution(run, habits) : run, habits, names);
    const whole = said
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    return isBlank(whole) || (hasMarker && isBelow && !isQuoteNext && isFooter(whole)) ? [] : [whole];
  });
  return written.join('\n\n');
}

/** The lines above a quote that has no marks: nobody can tell what below it is new. */
function beforeUnmarkedQuote(
  lines: readonly string[],
  markers: readonly string[],
  habits: LineHabits,
): readonly string[] {
  const marker = markerLine(lines, markers);
  const isUnmarked = marker !== undefined && !isQuotedLine(lines[marker] ?? '');
  const above = isUnmarked ? lines.slice(0, headerBlockAbove(lines, marker)) : lines;
  const end = above.findIndex(
    (line, at) => startsUnmarkedQuote(above, at) || (/[:：]\s*$/.test(line.slice(-8)) && isCertainlyAbove(above, at)),
  );
  if (end < 0) return isUnmarked ? withoutAttribution(above, habits) : above;
  return withoutAttribution(above.slice(0, startsUnmarkedQuote(above, end) ? end : end + 1), habits);
}

/** Whether a quote without marks follows the line, because a mail program says who wrote what follows. */
function isCertainlyAbove(lines: readonly string[], at: number): boolean {
  if (isQuotedLine(lines[at] ?? '') || !attributionBefore(lines, at + 1).isCertain) return false;
  const next = lines.slice(at + 1, at + 5).find((line) => line.trim() !== '');
  return next !== undefined && !isQuotedLine(next);
}

/** The lines without what mail programs put between them and a quote. */
function withoutAttribution(lines: readonly string[], habits: LineHabits): readonly string[] {
  const end = lines.findLastIndex((line) => line.trim() !== '' && !isRule(line)) + 1;
  return lines.slice(0, end - attributionBefore(lines, end, habits).count);
}

/**
 * The lines between quotes. A line right below a quoted one may be the rest of it, which was broken on its way, or an answer: nobody can
 * tell, so both lines are taken together, which is no clear answer to anything. What is quoted may be a stranger's words. Between two quoted
 * lines a rest is likely, however narrow the program is; where the quote ends, people answer.
 */
function unquotedRuns(
  lines: readonly string[],
): readonly { readonly run: readonly string[]; readonly isQuoteNext: boolean; readonly isBelow: boolean }[] {
  const runs: { readonly run: string[]; isQuoteNext: boolean; readonly isBelow: boolean }[] = [];
  let run: string[] | undefined;
  for (const [at, line] of lines.entries()) {
    const [before = '', after = ''] = [lines[at - 1], lines[at + 1]];
    if (isQuotedLine(line)) {
      const last = runs.at(-1);
      if (last !== undefined) last.isQuoteNext = true;
      run = undefined;
      continue;
    }
    const width = isQuotedLine(after) ? narrowestLine : widestLine;
    const isRemainder = isQuotedLine(before) && line.trim() !== '' && isBroken(before, line, width);
    const said = isRemainder ? `${before.replace(/^[\s>]+/, '')} ${line}` : line;
    if (run === undefined) {
      run = [said];
      runs.push({ run, isQuoteNext: false, isBelow: at > 0 });
    } else {
      run.push(said);
    }
  }
  return runs;
}

/** A longer line is no greeting and no attribution. The package's patterns take cubic time, so it only ever sees one short line. */
const longestHabit = 150;
/** Lines that are looked up per text. A person's mail has a few where it matters. */
const mostHabits = 100;

/** The package's knowledge of many languages, one line at a time. Rejects if the package is missing. */
export async function lineHabits(): Promise<LineHabits> {
  let Parser: typeof import('email-reply-parser').default;
  try {
    Parser = (await import('email-reply-parser')).default;
  } catch (cause) {
    throw missingPackage('email-reply-parser', cause);
  }
  const parser = new Parser();
  let left = mostHabits;
  const last = (line: string, above: string) =>
    line.length > longestHabit || left-- <= 0
      ? undefined
      : parser
          .read(above + line)
          .getFragments()
          .at(-1);
  return {
    isAttribution: (line) => last(line, 'x\n\n')?.isQuoted() === true,
    isSignature: (line) => last(line, 'x\n')?.isSignature() === true,
  };
}
