/**
 * Whether all of a text is what its author says. Text that is struck out tells what is not meant, but not what is meant instead; what a person
 * marks as a quote may be their own words or those of another person. It reads no platform's message: it is given spans, or the markup of a
 * platform.
 */

/** A part of a text, by UTF-16 positions. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** What was typed. */
export interface OwnWords {
  readonly text: string;
  /** Part of it is struck out or marked as a quote, or nothing of it is the author's. */
  readonly isNoAnswer?: true;
}

/** Returns the text, as no answer where one of these parts has words. */
export function ownWords(text: string, marked: readonly TextSpan[]): OwnWords {
  const isMarked = marked.some(({ start, end }) => text.slice(start, end).trim() !== '');
  return isMarked ? { text, isNoAnswer: true } : { text };
}

/** How platforms mark in the text what is struck out and what is quoted. */
const markup = {
  /** Two tildes, as in Markdown. A quote is a line, or with `>>>` all that follows. */
  doubled: [/~~(?=[^~])[\s\S]*?[^~]~~/g, /^>>>\s[\s\S]*$|^>(?:[^\S\n].*)?$/gm],
  /** One tilde, at the borders of words. */
  single: [/(?<![\w~])~(?=[^\s~])(?:[^~\n]*[^\s~])?~(?![\w~])/g, /^>(?:[^\S\n].*)?$/gm],
};

/** Returns what a text marks as struck out and as quoted. */
export function markedSpans(text: string, tildes: keyof typeof markup): readonly TextSpan[] {
  return markup[tildes].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: whole, index }) => ({ start: index, end: index + whole.length })),
  );
}
