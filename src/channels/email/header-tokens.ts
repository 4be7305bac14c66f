/**
 * The tokens of a structured header field (RFC 5322, section 3.2): words, quoted strings, comments and special characters. One pass, so a
 * hostile value takes no longer than a plain one. What the tokens mean is up to who asks.
 */

/** One token. `isApart`: white space or a comment stands before it, so it does not belong to the token on its left. */
export interface HeaderToken {
  readonly type: 'word' | 'quoted' | 'special';
  /** The text; that of a quoted string without its quotes and backslashes. */
  readonly text: string;
  readonly isApart: boolean;
}

/** The tokens of a value, and the texts of its comments, which are no tokens because they mean nothing. */
export interface HeaderTokens {
  readonly tokens: readonly HeaderToken[];
  readonly comments: readonly string[];
}

/** CR, LF, NUL and every other control character but the tab. A value that is unfolded has none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
const controls = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/;

/**
 * The tokens of an unfolded value; undefined if it has control characters, half a character, or a quoted string or a comment without its
 * end. Each character of `specials` is a token of its own.
 */
export function headerTokens(value: string, specials: string): HeaderTokens | undefined {
  if (controls.test(value) || !value.isWellFormed()) return undefined;
  const tokens: HeaderToken[] = [];
  const comments: string[] = [];
  const ends = `${specials} \t("`;
  let isApart = false;
  let at = 0;
  while (at < value.length) {
    const first = value[at] as string; // below the length
    if (first === ' ' || first === '\t') {
      [at, isApart] = [at + 1, true];
    } else if (first === '(') {
      const end = commentEnd(value, at);
      if (end === undefined) return undefined;
      comments.push(value.slice(at + 1, end - 1));
      [at, isApart] = [end, true];
    } else if (first === '"') {
      const end = quotedEnd(value, at);
      if (end === undefined) return undefined;
      tokens.push({ type: 'quoted', text: value.slice(at + 1, end - 1).replace(/\\(.)/gsu, '$1'), isApart });
      [at, isApart] = [end, false];
    } else if (specials.includes(first)) {
      tokens.push({ type: 'special', text: first, isApart });
      [at, isApart] = [at + 1, false];
    } else {
      let end = at + 1;
      while (end < value.length && !ends.includes(value[end] as string)) end += 1;
      tokens.push({ type: 'word', text: value.slice(at, end), isApart });
      [at, isApart] = [end, false];
    }
  }
  return { tokens, comments };
}

/** Where the comment that begins at `start` is over. Comments may stand in comments. */
function commentEnd(value: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === '(') depth += 1;
    else if (value[at] === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}

function quotedEnd(value: string, start: number): number | undefined {
  for (let at = start + 1; at < value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === '"') return at + 1;
  }
  return undefined;
}
