/**
 * What a person wrote now, out of the text of a mail: not the mail that they answer, nor the signature. It never guesses: where it is not
 * clear what is new, every line that is not quoted counts, and what cannot be told from a quote does not.
 */
import { inert, isBlank } from '../../../core/text.js';
import { localPart, type MailAddress } from '../addresses.js';
import { missingPackage } from '../connection/packages.js';
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
import { withoutSignature, wordsOf } from './text/signature.js';

/** The widest line that mail programs send. */
const lineWidth = 76;

/**
 * The new text of a mail. `markers` are the lines that our own mails begin with, in every language. The author's name and address tell
 * their signature from what they say.
 */
export async function newText(text: string, markers: readonly string[], author?: MailAddress): Promise<string> {
  const habits = await lineHabits();
  const all = inert(text).split('\n');
  const names = new Set(author === undefined ? [] : wordsOf(`${author.name ?? ''} ${localPart(author.address)}`));
  const lines = beforeUnmarkedQuote(all, markers, habits);
  const written = unquotedRuns(lines).flatMap(({ run, isQuoteNext }) => {
    const said = withoutSignature(isQuoteNext ? withoutAttribution(run, habits) : run, habits, names);
    const whole = said
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    return isBlank(whole) ? [] : [{ whole, isLast: !isQuoteNext }];
  });
  const hasMarker = markerLine(all, markers) !== undefined;
  const counts = written.filter(({ whole, isLast }, at) => !(hasMarker && isLast && isFooter(whole, at === 0)));
  return counts.map(({ whole }) => whole).join('\n\n');
}

const courtesies = new Set(['please', 'sorry', 'bitte', 'pardon', 'perdón', 'ps']);
/** Words by which people begin to take back what they have written above. */
const reversals = new Set(
  `no not never but only just until wait stop hold don dont do however except without provided instead
  nein nicht nie aber nur erst warte warten stopp jedoch außer ohne non pas jamais mais seulement sauf attends attendez toutefois sans
  nunca pero solo sólo salvo espera espere sin`.split(/\s+/),
);
/** Words that begin a condition, and what companies put under every mail: "If you are not the addressee …" */
const conditions = new Set(['if', 'unless', 'wenn', 'falls', 'sofern', 'si']);
const longestCondition = 100;

/**
 * Whether the text below the quoted question is what servers put there: whoever is asked is told to reply above the line. A text that takes
 * back what stands above is none. Where nothing stands above, it is the answer, unless it is an advertisement.
 */
function isFooter(text: string, isAlone: boolean): boolean {
  const hasLink = /(?:https?:\/\/|www\.)\S/i.test(text);
  if (isAlone) return hasLink && text.length <= longestCondition;
  const first = wordsOf(text.slice(0, longestCondition)).find((word) => !courtesies.has(word)) ?? '';
  if (reversals.has(first)) return /^no virus/i.test(text);
  return hasLink || text.length > longestCondition || !conditions.has(first);
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
 * The lines between quotes. A line between two quoted ones may be the rest of the first, which was broken on its way, or an answer: nobody
 * can tell, so both lines are taken together, which is no clear answer to anything.
 */
function unquotedRuns(
  lines: readonly string[],
): readonly { readonly run: readonly string[]; readonly isQuoteNext: boolean }[] {
  const runs: { readonly run: string[]; isQuoteNext: boolean }[] = [];
  let run: string[] | undefined;
  for (const [at, line] of lines.entries()) {
    const [before = '', after = ''] = [lines[at - 1], lines[at + 1]];
    if (isQuotedLine(line)) {
      const last = runs.at(-1);
      if (last !== undefined) last.isQuoteNext = true;
      run = undefined;
      continue;
    }
    const isRemainder =
      isQuotedLine(before) && isQuotedLine(after) && line.trim() !== '' && isBroken(before, line, lineWidth);
    const said = isRemainder ? `${before.replace(/^[\s>]+/, '')} ${line}` : line;
    if (run === undefined) {
      run = [said];
      runs.push({ run, isQuoteNext: false });
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
