/**
 * The part of a text that its author has written and stands by. Text that is struck out tells what is not meant, but not what is meant
 * instead; quoted text is another person's. It reads no platform's message: it is given spans, or the markup of a platform.
 */

/** A part of a text, by UTF-16 positions. */
export interface TextSpan {
  readonly type: 'struck' | 'quoted';
  readonly start: number;
  readonly end: number;
}

/** What was typed. */
export interface OwnWords {
  /** Without quotes. If it is no answer, the whole of it. */
  readonly text: string;
  /** Part of it is struck out, or nothing but quotes is there. */
  readonly isNoAnswer?: true;
  /** The text that was left out as a quote. */
  readonly quoted?: string;
}

/** Returns the text without quotes, or the whole text as no answer. */
export function ownWords(text: string, spans: readonly TextSpan[]): OwnWords {
  const quotes = spans.filter(({ type, start, end }) => type === 'quoted' && end > start);
  const isStruck = spans
    .filter(({ type, start, end }) => type === 'struck' && text.slice(start, end).trim() !== '')
    .some((struck) => !quotes.some(({ start, end }) => start <= struck.start && struck.end <= end));
  if (isStruck) return { text, isNoAnswer: true };
  if (quotes.length === 0) return { text };
  let words = '';
  let quoted = '';
  let at = 0;
  for (const { start, end } of quotes.toSorted((a, b) => a.start - b.start)) {
    words += text.slice(at, Math.max(at, start));
    quoted += text.slice(Math.max(at, start), Math.max(at, end));
    at = Math.max(at, end);
  }
  return withoutQuotes(text, words + text.slice(at), quoted);
}

/** What is left of a text without its quotes. */
export function withoutQuotes(whole: string, words: string, quoted: string): OwnWords {
  if (words.trim() === '') return { text: whole, isNoAnswer: true };
  return { text: words.trim(), ...(quoted.trim() === '' ? {} : { quoted: quoted.trim() }) };
}

/** How platforms mark in the text what is struck out and what is quoted. */
const markup = {
  /** Two tildes, as in Markdown. A quote is a line, or with `>>>` all that follows. */
  doubled: { struck: /~~(?=[^~])[\s\S]*?[^~]~~/g, quoted: /^>>>\s[\s\S]*$|^>(?:[^\S\n].*)?$/gm },
  /** One tilde, at the borders of words. */
  single: { struck: /(?<![\w~])~(?=[^\s~])(?:[^~\n]*[^\s~])?~(?![\w~])/g, quoted: /^>(?:[^\S\n].*)?$/gm },
};

/** Returns what a text marks as struck out and as quoted. */
export function markedSpans(text: string, tildes: keyof typeof markup): readonly TextSpan[] {
  const { struck, quoted } = markup[tildes];
  const found = (type: TextSpan['type'], pattern: RegExp): readonly TextSpan[] =>
    [...text.matchAll(pattern)].map(({ 0: whole, index }) => ({ type, start: index, end: index + whole.length }));
  return [...found('struck', struck), ...found('quoted', quoted)];
}
