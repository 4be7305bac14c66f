/**
 * What a person wrote now, out of the text of a mail: not the mail that they answer, nor the signature. It never guesses: where it is not
 * clear what is new, every line that is not quoted counts, and what cannot be told from a quote does not.
 */
import { AgentError } from '../../../core/errors.js';
import { inert, isBlank } from '../../../core/text.js';
import {
  attributionBefore,
  isBroken,
  isQuotedLine,
  isRule,
  type LineHabits,
  markerLine,
  startsUnmarkedQuote,
} from './text/quoted-lines.js';
import { withoutSignature } from './text/signature.js';

/** The widest line that mail programs send. */
const lineWidth = 76;

/** The new text of a mail. `markers` are the lines that our own mails begin with, in every language. */
export async function newText(text: string, markers: readonly string[]): Promise<string> {
  const habits = await lineHabits();
  const lines = beforeUnmarkedQuote(inert(text).split('\n'), markers, habits);
  const written = unquotedRuns(lines).flatMap(({ run, isQuoteNext }) => {
    const said = withoutSignature(isQuoteNext ? withoutAttribution(run, habits) : run, habits);
    const whole = said
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    return isBlank(whole) ? [] : [whole];
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
  const above = isUnmarked ? lines.slice(0, marker) : lines;
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

/** The lines between quotes. A quoted line that was broken on its way goes on in a line without its mark. */
function unquotedRuns(
  lines: readonly string[],
): readonly { readonly run: readonly string[]; readonly isQuoteNext: boolean }[] {
  const runs: { readonly run: string[]; isQuoteNext: boolean }[] = [];
  let run: string[] | undefined;
  for (const [at, line] of lines.entries()) {
    const [before = '', after = ''] = [lines[at - 1], lines[at + 1]];
    const isRemainder =
      isQuotedLine(before) && isQuotedLine(after) && line.trim() !== '' && isBroken(before, line, lineWidth);
    if (isQuotedLine(line) || isRemainder) {
      const last = runs.at(-1);
      if (last !== undefined) last.isQuoteNext = true;
      run = undefined;
    } else if (run === undefined) {
      run = [line];
      runs.push({ run, isQuoteNext: false });
    } else {
      run.push(line);
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
    const message =
      'EmailChannel needs the package email-reply-parser to read replies, which could not be loaded. Install it:\n  npm install email-reply-parser';
    throw new AgentError('missing-package', message, { cause });
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
